"""Loaders: from files, bytes and messages to the columns of a profile.

`LOADERS` has a row for each format. The command's inputs, `tfprof.load`, error messages,
completion, the documentation and the fuzz targets derive from it: a new format is a file in this
folder, and a row here.

    graph_def graph_nodes pbtxt/   GraphDef, binary and text
    saved_model/                   SavedModel and MetaGraphDef: graph, variables, code traces
    run_metadata  op_log           RunMetadata, OpLogProto
    profile_proto parquet/         whole profiles: ProfileProto, tables
    checkpoint/                    values of variables
    messages model_messages wire   paths, bytes and messages to messages and Arrow columns
    files message_kinds            bytes of files, and which message they are
    other_formats                  formats that are only named in errors

All stages after it may import this package. It imports only profiles, definitions, protos, errors
and runtime. Nothing here imports NumPy or Arrow before a file is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tfprof.errors import LoadError, OptionError
from tfprof.loaders.files import is_directory, is_file, read_head
from tfprof.loaders.message_kinds import HEAD_SIZE, is_message, is_text, message_kind
from tfprof.loaders.other_formats import name_format

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
    GraphColumns, RunColumns, LogColumns, a Checkpoint or a Profile, as the part needs.
    """

    name: str
    help: str
    provides: str
    recognize: Callable[[Path, bytes], bool]
    read: Callable[[Any], Any]

    @property
    def flag(self) -> str:
        """The command line's flag for this part, without dashes."""
        return PARTS[self.provides][0]

    @property
    def noun(self) -> str:
        """The name with its article, as in `a GraphDef`."""
        return f"{'an' if self.name[0] in 'AEIOUaeiou' else 'a'} {self.name}"


def _is_message(kind: str) -> Callable[[Path, bytes], bool]:
    return lambda _path, head: message_kind(head) == kind


def _is_saved_model(path: Path, head: bytes) -> bool:
    files = ("saved_model.pb", "saved_model.pbtxt")
    if is_directory(path):
        return any(is_file(path / file) for file in files)
    return path.name in files or message_kind(head) == "SavedModel"


def _is_checkpoint(path: Path, _head: bytes) -> bool:
    from tfprof.loaders.checkpoint.location import is_checkpoint

    return is_checkpoint(path)


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
            "SavedModel", "a folder with a saved_model.pb", "graph", _is_saved_model, _read_graph
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
        ),
        Loader(
            "ProfileProto",
            "a profile that tfprof saved",
            "profile",
            _is_message("ProfileProto"),
            _by("profile_proto", "read_profile"),
        ),
        Loader(
            "tables folder",
            "what `tfprof tables` writes",
            "tables",
            _is_tables,
            _by("parquet.profile_tables", "read_tables"),
        ),
    )
}
"""Every format that tfprof reads, by name."""


def recognize(path: str | os.PathLike[str]) -> Loader:
    """The loader of a file or folder; a LoadError names what it is instead."""
    path = Path(path)
    head = read_head(path, HEAD_SIZE)
    for loader in LOADERS.values():
        if loader.recognize(path, head):
            return loader
    raise LoadError(f"{path}: {_describe(path, head)}")


def _describe(path: Path, head: bytes) -> str:
    """Why a path cannot be opened."""
    reads = f"tfprof reads {', '.join(LOADERS)}"
    if not os.path.lexists(path):
        return f"no such file or folder; {reads}"
    if is_directory(path):
        return f"is a directory of an unknown format; {reads}"
    if not is_file(path):
        return f"is a pipe or a device; name its content, as in --graph_path={path}"
    if not head:
        return f"is empty; {reads}"
    name = name_format(head, path)
    if name:
        # What follows a colon is what to do instead.
        return f"is {name}" if ":" in name else f"is {name}; {reads}"
    if is_message(head):
        flags = dict.fromkeys(loader.flag for loader in LOADERS.values())
        return f"may be one of several messages; choose one of {', '.join(f'--{f}' for f in flags)}"
    return f"is {'text' if is_text(head) else 'of an unknown format'}; {reads}"


def identify(head: bytes, path: Path | None = None, *, expected: Iterable[str] = ()) -> str:
    """What an input is instead of what was `expected`, and how to pass it; empty if unknown."""
    kind = message_kind(head)
    for loader in LOADERS.values():
        if loader.name in expected:
            continue
        if loader.name == kind or (path is not None and loader.recognize(path, head)):
            return f"{loader.noun}: give it as {loader.provides} (--{loader.flag})"
    return name_format(head, path or Path())


def read_input(part: str, source: Any) -> Any:
    """Read a part of a profile from a path, bytes or a message."""
    default = next(loader for loader in LOADERS.values() if loader.provides == part)
    if not isinstance(source, (str, os.PathLike)):
        return default.read(source)
    path = Path(source)
    head = read_head(path, HEAD_SIZE)
    for loader in LOADERS.values():
        is_candidate = loader.provides == part or loader.flag == default.flag
        if is_candidate and loader.recognize(path, head):
            return loader.read(source)
    try:
        return default.read(source)
    except LoadError:
        other = identify(head, path) if is_directory(path) else ""
        if not other:
            raise
    raise LoadError(f"{path}: not {default.noun}; it is {other}")


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
