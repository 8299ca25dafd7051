"""The files of a job: which worker and step each is of, by its path, its devices or a pattern."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from mmap import mmap
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.limits import MAX_PATTERN
from tfprof.errors import LoadError, OptionError
from tfprof.loaders import find_loader
from tfprof.loaders.files import is_directory, map_file, read_head
from tfprof.loaders.message_kinds import HEAD_SIZE
from tfprof.protos.varint import read_varint

RUN = "RunMetadata"
_PROFILES = ("ProfileProto", "XPlane trace", "tables folder")
_RUN_NAME = re.compile(r"run_?meta(?:data)?[-_.]?(\d{1,9})(?:\.pb|\.pbtxt)?", re.ASCII)
_NUMBER = re.compile(r"(?:.*\D)?(\d{1,9})(?:\.\w+)?", re.ASCII)
_TASK = re.compile(rb"/job:([^/]+)(?:/replica:\d+)?/task:(\d+)")
_FIELDS = {"{worker}": "(?P<worker>[^/]+)", "{step}": "(?P<step>[0-9]{1,9})", "*": "[^/]*"}
_LENGTH_DELIMITED = 2


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a worker: a RunMetadata of one step, or a profile whose first step is `step`."""

    path: Path
    worker: str
    step: int
    is_run: bool = True
    name: str = ""
    """The path in the folder that was named, by which a profile is known again."""


def find_sources(folders: Sequence[Path], pattern: str = "") -> list[Source]:
    """The files below some folders, in the order of workers and steps."""
    regex = _regex_of(pattern) if pattern else ""
    sources = []
    for folder in folders:
        if not is_directory(folder):
            raise OptionError(f"{folder}: is no folder; name folders with traces")
        found = _matches(folder, regex) if regex else _recognized(folder)
        sources += list(found)
    if not sources:
        hint = f" that match '{pattern}'" if pattern else "; name them with --pattern"
        raise LoadError(f"{folders[0]}: has no traced steps{hint}")
    sources.sort(key=lambda source: (source.worker, source.step, source.name))
    _refuse_twice(sources)
    return sources


def _regex_of(pattern: str) -> str:
    """A regex for RE2, which takes linear time for any pattern."""
    if "{worker}" not in pattern and "{step}" not in pattern:
        raise OptionError(
            f"option 'pattern': '{pattern}' has neither {{worker}} nor {{step}}; "
            "give one such as '{worker}/run_meta_{step}'"
        )
    if pattern.count("{worker}") > 1 or pattern.count("{step}") > 1:
        raise OptionError(f"option 'pattern': '{pattern}' has a field twice; give it once")
    if len(pattern) > MAX_PATTERN:
        raise OptionError(
            f"option 'pattern': has {len(pattern):,} characters, at most {MAX_PATTERN:,} are "
            "allowed; match long names with *"
        )
    parts = re.split(r"(\{worker\}|\{step\}|\*)", pattern)
    regex = "".join(_FIELDS.get(part, re.escape(part)) for part in parts)
    return _valid_text(f"^{regex}$")


def _valid_text(name: str) -> str:
    """A name without the bytes of it that are no UTF-8, which Arrow does not hold."""
    return os.fsencode(name).decode("utf-8", "replace")


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Every file below a folder and its path there, without hidden ones and pipes."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(parent) / name
            if not name.startswith(".") and (path.is_file() or not path.exists()):
                yield path, path.relative_to(folder).as_posix()


def _matches(folder: Path, regex: str) -> Iterator[Source]:
    files = list(_files(folder))
    names = pa.array([_valid_text(name) for _, name in files], pa.string())
    matches = pc.extract_regex(names, regex).to_pylist()
    for (path, name), fields in zip(files, matches, strict=True):
        if fields is None:
            continue
        step = int(fields["step"]) if fields.get("step") else 0
        is_run = not _is_profile(path)
        if is_run and not fields.get("step"):
            step = _number(path.name, path)
        yield Source(path, fields.get("worker") or _worker(path, folder), step, is_run, name)


def _recognized(folder: Path) -> Iterator[Source]:
    """The files that are traced steps by their name or their content."""
    for path, name in _files(folder):
        parts = name.split("/")
        worker = parts[0] if len(parts) > 1 else ""
        match = _RUN_NAME.fullmatch(parts[-1])
        if match:
            yield Source(path, worker or _worker(path, folder), int(match[1]), name=name)
        elif _is_profile(path):
            yield Source(path, worker or folder.resolve().name, 0, False, name)
        elif _NUMBER.fullmatch(parts[-1]) and _loader_name(path) == RUN:
            step = _number(parts[-1], path)
            yield Source(path, worker or _worker(path, folder), step, name=name)


def _is_profile(path: Path) -> bool:
    return _loader_name(path) in _PROFILES


def _loader_name(path: Path) -> str:
    try:
        loader = find_loader(path, read_head(path, HEAD_SIZE), except_for=("checkpoint",))
    except LoadError:
        return ""
    return loader.name if loader else ""


def _number(name: str, path: Path) -> int:
    match = _NUMBER.fullmatch(name)
    if match is None:
        raise OptionError(f"{path}: has no step in its name; give it a number, as in run_meta_7")
    return int(match[1])


def _worker(path: Path, folder: Path) -> str:
    """The worker of a file that is in no folder of a worker: by its devices, or else the folder."""
    for job, task in _tasks(path):
        if job not in ("ps", "localhost"):
            return f"{job}_{task}"
    return folder.resolve().name


def _tasks(path: Path) -> Iterable[tuple[str, str]]:
    """The jobs and tasks of the devices of a RunMetadata, without reading its records."""
    try:
        data = map_file(path, "a traced step")
    except LoadError:
        return []
    with data:
        try:
            names = [
                data[a:b]
                for start, end in _messages(data, 0, len(data))
                for first, last in _messages(data, start, end)
                for a, b in list(_messages(data, first, last))[:1]
            ]
        except (IndexError, ValueError):
            return []
    matches = filter(None, map(_TASK.search, names))
    return sorted({(match[1].decode(), match[2].decode()) for match in matches})


def _messages(data: mmap, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where each field 1 begins and ends; every field has to have a length."""
    while start < end:
        tag, start = read_varint(data, start)
        if tag & 7 != _LENGTH_DELIMITED:
            return
        size, start = read_varint(data, start)
        if start + size > end:
            raise ValueError
        if tag >> 3 == 1:
            yield start, start + size
        start += size


def _refuse_twice(sources: Sequence[Source]) -> None:
    """Refuse two files that are the same step of a worker."""
    known: dict[tuple[str, int], Path] = {}
    for source in sources:
        if not source.is_run:
            continue
        other = known.setdefault((source.worker, source.step), source.path)
        if other != source.path:
            raise OptionError(
                f"{other} and {source.path} are both step {source.step} of worker "
                f"'{source.worker}'; say which is which with --pattern"
            )
