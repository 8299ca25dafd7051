"""From what a user names (a prefix, a file, a directory) to an open checkpoint."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path

from tfprof.errors import LoadError
from tfprof.loaders import identify
from tfprof.loaders.checkpoint.bundle import open_bundle
from tfprof.loaders.checkpoint.checkpoint import Checkpoint
from tfprof.loaders.checkpoint.table import is_table, open_table
from tfprof.loaders.checkpoint.tensor_slices import open_slice_tables
from tfprof.loaders.files import file_size, is_directory, is_file, read_head, read_range
from tfprof.loaders.message_kinds import HEAD_SIZE
from tfprof.loaders.pbtxt.escapes import unescape

_INDEX = re.compile(r".+\.index")
_PART = re.compile(r"(?P<prefix>.+)\.(index|meta|data-\d{5}-of-\d{5})", re.DOTALL)
_V1_SHARD = re.compile(r"(?P<stem>.*)-(\d{5}|\?{5})-of-(?P<count>\d{5})", re.DOTALL)
_STATE = re.compile(rb'^[ \t]*model_checkpoint_path\s*:\s*"((?:[^"\\\n]|\\.)*)"', re.MULTILINE)
_STATE_SIZE = 1 << 20  # the latest checkpoint comes first
_V1_TAG = b"\x0a"  # SavedTensorSlices.meta; the header of a V2 checkpoint starts with a number


def is_checkpoint(path: Path) -> bool:
    """Whether a path is the prefix, a file or the directory of a checkpoint; no file is parsed."""
    if is_directory(path):
        return is_file(path / "checkpoint") or bool(_listing(path, _INDEX))
    if not is_file(path):
        return is_file(_add_suffix(path, ".index")) or bool(_shard_files(path))
    is_part = ".data-" in path.name and is_file(_add_suffix(_prefix(path), ".index"))
    return is_part or _is_state(path) or is_table(path)


def open_checkpoint(path: str | PathLike[str]) -> Checkpoint:
    """The checkpoint at a prefix, one of its files, or in a directory or SavedModel."""
    prefix = path = Path(path)
    if _is_state(path):
        prefix = _latest(path)
    elif not is_file(_add_suffix(path, ".index")):
        prefix = _in_directory(path) if is_directory(path) else _prefix(path)
    index = _add_suffix(prefix, ".index")
    if is_file(index):
        return _open(index, prefix)
    if is_file(prefix):
        return _open(prefix, prefix)
    shards = _shard_files(prefix)
    if shards:
        return _open_v1(shards, prefix)
    raise LoadError(f"{path}: no checkpoint there (nor {index}); name it without .index")


def _open(file: Path, prefix: Path) -> Checkpoint:
    """A checkpoint of the version that its first key shows."""
    other = "" if is_table(file) else identify(read_head(file, HEAD_SIZE), file)
    if other:
        raise LoadError(f"{file}: not a checkpoint; it is {other}")
    table = open_table(file)
    if (table.get(b"") or b"").startswith(_V1_TAG):
        return _open_v1(_shard_set(file) or [file], prefix)
    return Checkpoint(prefix, open_bundle(table, prefix))


def _open_v1(files: list[Path], prefix: Path) -> Checkpoint:
    return Checkpoint(prefix, open_slice_tables([open_table(file) for file in files], prefix))


def _in_directory(directory: Path) -> Path:
    """The prefix of the checkpoint that a directory or SavedModel holds."""
    state = directory / "checkpoint"
    if is_file(state):
        return _latest(state)
    for prefix in (directory / "variables" / "variables", directory / "variables"):
        if is_file(_add_suffix(prefix, ".index")):
            return prefix
    files = _listing(directory, _INDEX)
    if len(files) == 1:
        return files[0].with_suffix("")
    if files:
        raise LoadError(f"{directory}: has {len(files)} checkpoints; name one, as in {files[0]}")
    if is_file(directory / "saved_model.pb"):
        raise LoadError(f"{directory}: is a SavedModel without variables")
    raise LoadError(f"{directory}: no checkpoint in this directory; name a file or a prefix")


def _latest(state: Path) -> Path:
    """The prefix that a `checkpoint` file, a text message, names as the latest."""
    match = _STATE.search(
        read_range(state, 0, min(file_size(state, "the state"), _STATE_SIZE), "the state")
    )
    try:
        name = unescape(match[1]).decode() if match else ""
    except ValueError:
        name = ""
    if not name:
        raise LoadError(f"{state}: names no checkpoint; name one by its prefix")
    return state.parent / name


def _prefix(path: Path) -> Path:
    """A path without the suffix of one of a checkpoint's files."""
    match = _PART.fullmatch(path.name)
    return path.with_name(match["prefix"]) if match else path


def _is_state(path: Path) -> bool:
    """Whether a path is the `checkpoint` file of a directory, which names the latest one."""
    return path.name == "checkpoint" and b"model_checkpoint_path" in read_head(path, HEAD_SIZE)


def _shard_files(prefix: Path) -> list[Path]:
    """The files of a sharded V1 checkpoint from its prefix, one of them, or their pattern."""
    return _shard_set(prefix) or _shard_set(_first_shard(prefix))


def _shard_set(path: Path) -> list[Path]:
    """The files of a sharded V1 checkpoint from one of them, or from their pattern."""
    match = _V1_SHARD.fullmatch(path.name)
    if match is None:
        return []
    stem, count = match["stem"], match["count"]
    return [path.with_name(f"{stem}-{number:05d}-of-{count}") for number in range(int(count))]


def _first_shard(prefix: Path) -> Path:
    """The first file of the sharded V1 checkpoint that has this prefix, or the prefix itself."""
    shards = _listing(prefix.parent, re.compile(re.escape(prefix.name) + r"-00000-of-\d{5}"))
    if len(shards) > 1:
        raise LoadError(f"{prefix}: has several sets of shards; name one, as in {shards[0]}")
    return shards[0] if shards else prefix


def _listing(directory: Path, pattern: re.Pattern[str]) -> list[Path]:
    if not is_directory(directory):
        return []
    try:
        return sorted(file for file in directory.iterdir() if pattern.fullmatch(file.name))
    except OSError as error:
        raise LoadError(f"{directory}: cannot be listed ({error.strerror})") from error


def _add_suffix(path: Path, suffix: str) -> Path:
    return path.parent / (path.name + suffix)
