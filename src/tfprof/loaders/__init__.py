"""Loaders: from files, bytes and messages to the columns of a profile.

`LOADERS` has a row for each format. The command's inputs, `tfprof.load`, error messages,
completion, the documentation and the fuzz targets derive from it: a new format is a file in this
folder, and a row here.

    graph_def, graph_nodes, pbtxt/   GraphDef, binary and text
    saved_model/                     SavedModel and MetaGraphDef: graph, variables
    debug_info                       code traces of a SavedModel or a captured trace
    run_metadata, op_log             RunMetadata, OpLogProto
    fleet_run                        the few columns of a RunMetadata that stores need
    profile_proto, parquet/          whole profiles: ProfileProto, tables
    traces/                          profiles of traces of TensorFlow 2 and JAX
    xplane/                          the planes and events of such traces
    hlo/                             programs that XLA compiled, in such traces
    checkpoint/                      values of variables
    messages, model_messages, wire   paths, bytes and messages to messages and Arrow columns
    files, message_kinds             bytes of files, and which message they are
    other_formats                    formats that are only named in errors

Nothing here imports NumPy or Arrow before a file is read. `functions` and everything above may
import this package.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tfprof.errors import LoadError, OptionError
from tfprof.loaders.files import is_device, is_directory, is_file, read_head
from tfprof.loaders.message_kinds import (
    HEAD_SIZE,
    is_message,
    message_kind,
    possible_kinds,
)
from tfprof.loaders.other_formats import find_other_format

PARTS = {
    "graph": ("graph_path", "the graph"),
    "run_meta": ("run_meta_path", "traced steps 0, 1, 2…"),
    "op_log": ("op_log_path", "op types, float operations, code"),
    "checkpoint": ("checkpoint_path", "values of variables"),
    "profile": ("profile_path", "a whole profile"),
    "tables": ("profile_path", "a whole profile"),
}
"""The parts of a profile as `tfprof.load` calls them -> the command's flag, and what they are."""


@dataclass(frozen=True, slots=True)
class Loader:
    """A format: what it is called, how to recognize it, which part of a profile it provides.

    `recognize` takes the path and the first bytes of the file, which are empty for a directory or
    a prefix. `read` takes the path, and for messages also bytes and the message itself. It returns
    GraphColumns, RunColumns, LogColumns, a Checkpoint or a Profile, as the part needs. A format
    `in_folder` is one that a folder can be.
    """

    name: str
    help: str
    provides: str
    recognize: Callable[[Path, bytes], bool]
    read: Callable[[Any], Any]
    in_folder: bool = False

    @property
    def flag(self) -> str:
        """The command line's flag for this part, without dashes."""
        return PARTS[self.provides][0]

    @property
    def noun(self) -> str:
        """The name with its article, as in `a GraphDef`."""
        return f"{'an' if self.name[0] in 'AEIOUXaeiou' else 'a'} {self.name}"


def _is_message(kind: str) -> Callable[[Path, bytes], bool]:
    return lambda _path, head: message_kind(head) == kind


def _is_saved_model(path: Path, head: bytes) -> bool:
    files = ("saved_model.pb", "saved_model.pbtxt")
    if is_directory(path):
        return any(is_file(path / file) or is_device(path / file) for file in files)
    kind = message_kind(head)
    is_named = path.name in files and kind == "" and find_other_format(path, head) is None
    return is_named or kind == "SavedModel"


def _is_checkpoint(path: Path, _head: bytes) -> bool:
    from tfprof.loaders.checkpoint.location import is_checkpoint

    return is_checkpoint(path)


def _is_trace(path: Path, _head: bytes) -> bool:
    from tfprof.loaders.xplane.folders import ABOUT, find_traces

    return find_traces(path) is not None or is_file(path / ABOUT)


def _is_tables(path: Path, _head: bytes) -> bool:
    return is_file(path / "profile.parquet") and is_file(path / "nodes.parquet")


def _by(module: str, function: str) -> Callable[[Any], Any]:
    """A reader in a module of this folder, which is imported when it is needed."""

    def read(source: Any) -> Any:
        return getattr(import_module(f"{__name__}.{module}"), function)(source)

    return read


_read_graph = _by("graph_def", "read_graph")

LOADERS: dict[str, Loader] = {
    loader.name: loader
    for loader in (
        Loader(
            "GraphDef",
            "binary (.pb) or text (.pbtxt)",
            "graph",
            _is_message("GraphDef"),
            _read_graph,
        ),
        Loader(
            "SavedModel",
            "a folder with a saved_model.pb",
            "graph",
            _is_saved_model,
            _read_graph,
            in_folder=True,
        ),
        Loader(
            "MetaGraphDef",
            "the .meta file beside a checkpoint",
            "graph",
            _is_message("MetaGraphDef"),
            _read_graph,
        ),
        Loader(
            "RunMetadata",
            "a traced step; several are steps 0, 1, 2… in the given order",
            "run_meta",
            _is_message("RunMetadata"),
            _by("run_metadata", "read_run"),
        ),
        Loader(
            "OpLogProto",
            "a tfprof_log: op types, float operations, code traces",
            "op_log",
            _is_message("OpLogProto"),
            _by("op_log", "read_op_log"),
        ),
        Loader(
            "checkpoint",
            "its prefix, one of its files, or their folder",
            "checkpoint",
            _is_checkpoint,
            _by("checkpoint", "open_checkpoint"),
            in_folder=True,
        ),
        Loader(
            "ProfileProto",
            "a profile that tfprof saved",
            "profile",
            _is_message("ProfileProto"),
            _by("profile_proto", "read_profile"),
        ),
        Loader(
            "XPlane trace",
            "a .xplane.pb, a TensorBoard log folder, or what tfprof.capture wrote",
            "profile",
            _is_trace,
            _by("traces.read_trace", "read_trace"),
            in_folder=True,
        ),
        Loader(
            "tables folder",
            "what `tfprof tables` writes",
            "tables",
            _is_tables,
            _by("parquet.profile_tables", "read_tables"),
            in_folder=True,
        ),
    )
}
"""Every format that tfprof reads, by name."""


def recognize(path: str | os.PathLike[str]) -> Loader:
    """The loader of a file or folder; a LoadError names what it is instead."""
    path = Path(path)
    head = read_head(path, HEAD_SIZE)
    loader = find_loader(path, head)
    if loader is None:
        raise LoadError(f"{path}: {_describe(path, head)}")
    return loader


def find_loader(path: Path, head: bytes, *, except_for: Iterable[str] = ()) -> Loader | None:
    """The loader that recognizes a file or folder, if there is one."""
    for loader in LOADERS.values():
        if loader.name not in except_for and loader.recognize(path, head):
            return loader
    return None


def _describe(path: Path, head: bytes) -> str:
    """Why a path cannot be opened."""
    reads = f"tfprof reads {', '.join(LOADERS)}"
    if not os.path.lexists(path):
        return f"no such file or folder; {reads}"
    if is_device(path):
        return f"is a device; give a file: {reads}"
    if not (is_file(path) or is_directory(path)):
        return f"is a pipe; name its content, as in --graph_path={path}"
    other = find_other_format(path, head)
    if other is not None:
        return f"is {other.name}; {other.advice_for(path) or reads}"
    if is_directory(path):
        return f"is a directory of an unknown format; {reads}"
    if not head:
        return f"is empty; {reads}"
    possible = [LOADERS[kind] for kind in possible_kinds(head) if kind in LOADERS]
    if possible:
        names = " or ".join(loader.noun for loader in possible)
        flags = dict.fromkeys(f"--{loader.flag}" for loader in possible)
        return f"may be {names}; say which, with {' or '.join(flags)}"
    kind = "a protobuf message of another kind" if is_message(head) else "of an unknown format"
    return f"is {kind}; {reads}"


def identify(
    head: bytes, path: Path | None = None, *, expected: Iterable[str] = (), kind: str = ""
) -> str:
    """What an input is instead of what was `expected`, and what to do; empty if unknown.

    `kind` is the name of the message that it is, if that is known.
    """
    kind = kind or message_kind(head)
    loader = LOADERS.get(kind) if kind not in expected else None
    if loader is None and path is not None:
        loader = find_loader(path, head, except_for=expected)
    if loader is not None:
        return f"{loader.noun}: give it as {loader.provides} (--{loader.flag})"
    path = path or Path()
    other = find_other_format(path, head)
    if other is None:
        return ""
    return ": ".join(filter(None, (other.name, other.advice_for(path))))


def read_input(part: str, source: Any) -> Any:
    """Read a part of a profile from a path, bytes or a message."""
    default = next(loader for loader in LOADERS.values() if loader.provides == part)
    if not isinstance(source, (str, os.PathLike)):
        return default.read(source)
    path = Path(source)
    candidates = [loader for loader in LOADERS.values() if loader.flag == default.flag]
    if len(candidates) == 1 and not is_directory(path):
        return default.read(source)
    head = read_head(path, HEAD_SIZE)
    for loader in candidates:
        if loader.recognize(path, head):
            return loader.read(source)
    if not is_directory(path):
        return default.read(source)
    with contextlib.suppress(LoadError):
        # A SavedModel has a checkpoint of its variables.
        return default.read(source)
    raise LoadError(f"{path}: {_describe_folder(path, candidates)}")


def _describe_folder(path: Path, candidates: Sequence[Loader]) -> str:
    """Why a folder is none of the formats that a flag takes."""
    other = identify(b"", path)
    if other:
        return f"not {candidates[0].noun}; it is {other}"
    in_folder = [loader for loader in candidates if loader.in_folder]
    if not in_folder:
        return f"is a directory; give {candidates[0].noun}"
    formats = " or ".join(f"{loader.noun} ({loader.help})" for loader in in_folder)
    return f"is a directory, but not {formats}"


def assign_inputs(paths: Sequence[str | os.PathLike[str]]) -> dict[str, Any]:
    """The keyword arguments of `tfprof.load` for files and folders, each recognized."""
    inputs: dict[str, Any] = {}
    for path in paths:
        part = recognize(path).provides
        if part == "run_meta":
            inputs.setdefault(part, []).append(path)
        elif part in inputs:
            raise OptionError(f"{path}: is another {part} beside {inputs[part]}; give only one")
        else:
            inputs[part] = path
    check_inputs({part: str(value) for part, value in inputs.items()})
    return inputs


def check_inputs(names: Mapping[str, str]) -> None:
    """Refuse parts that contradict each other; `names` has the user's name of each."""
    for profile in ("profile", "tables"):
        for other in ("profile", "graph", "run_meta"):
            if profile in names and other in names and other != profile:
                raise OptionError(f"{names[profile]} is a whole profile; leave out {names[other]}")
