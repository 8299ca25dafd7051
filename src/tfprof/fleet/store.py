"""The store: folders of jobs and workers, and a manifest that says which files are complete.

    STORE/store.json                                    the version
    STORE/job=J/manifest.jsonl                          a line for each chunk, and each merge
    STORE/job=J/nodes.parquet                           nodes by id
    STORE/job=J/<rollup>-<chunks>.parquet               rollups of all workers
    STORE/job=J/worker=W/records-<first step>.parquet   records, and their rollups beside them

A file that no complete line of the manifest names does not exist for a reader. Every file is
written under another name and renamed, so that one that is named is whole. A process that is
killed leaves files without a line, which the next ingest removes.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from tfprof.errors import LoadError, OutputError
from tfprof.loaders.files import read_file
from tfprof.outputs.files import make_folder, replace_file

VERSION = 1
ABOUT = "store.json"
MANIFEST = "manifest.jsonl"
NODES = "nodes.parquet"
ROLLUPS = ("steps", "devices", "histogram", "transfers")
"""The tables that ingest computes beside the records."""
NODE_SCHEMA = pa.schema(
    [
        ("job", pa.string()),
        ("node", pa.int64()),
        ("name", pa.string()),
        ("op", pa.string()),
        ("types", pa.list_(pa.string())),
        ("waits", pa.bool_()),
        ("file", pa.string()),
        ("line", pa.int32()),
        ("code", pa.string()),
        ("float_ops", pa.int64()),
    ]
)
"""The columns of `nodes.parquet`."""
UNFINISHED = ".tfprof."
"""How names of files begin that are being written."""
_LOCK = ".lock"
_FORMAT = "tfprof fleet store"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some steps of one worker: the files of its records and rollups end in `-<first>.parquet`."""

    worker: str
    steps: tuple[int, ...]
    records: int
    source: str = ""
    """The file that it was read from, if that has several steps."""

    @property
    def first(self) -> int:
        """The first step, which names the files."""
        return self.steps[0]

    def path(self, table: str) -> str:
        """Where a table of it is, in the folder of the job."""
        return f"{worker_folder(self.worker)}/{table}-{self.first}.parquet"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a job has: its chunks in the order in which they were added, the first `merged`."""

    chunks: tuple[Chunk, ...] = ()
    merged: int = 0

    @property
    def steps(self) -> set[tuple[str, int]]:
        """Every worker and step that it has."""
        return {(chunk.worker, step) for chunk in self.chunks for step in chunk.steps}

    @property
    def sources(self) -> set[tuple[str, str]]:
        """Every worker and file of several steps that it has."""
        return {(chunk.worker, chunk.source) for chunk in self.chunks if chunk.source}

    def files(self) -> set[str]:
        """Every file that readers use, in the folder of the job."""
        of_chunks = {c.path(table) for c in self.chunks for table in ("records", *ROLLUPS)}
        return of_chunks | {merged_path(table, self.merged) for table in ROLLUPS} | {NODES}


def merged_path(table: str, count: int) -> str:
    """Where a rollup of the first chunks is, in the folder of the job."""
    return f"{table}-{count}.parquet"


def worker_folder(worker: str) -> str:
    """The folder of a worker in that of its job."""
    return f"worker={_encode(worker)}"


def _encode(name: str) -> str:
    """A name that a folder can have and Spark reads: no dot or underscore comes first."""
    return re.sub(r"[^\w.,:@+ -]|^[._]", lambda match: _percent(match[0]), name, flags=re.ASCII)


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode(errors="surrogateescape"))


def _decode(text: str) -> str:
    parts = re.split(r"((?:%[0-9A-F]{2})+)", text)
    parts[1::2] = [
        bytes.fromhex(part.replace("%", "")).decode(errors="replace") for part in parts[1::2]
    ]
    return "".join(parts)


def parse_manifest(lines: str, folder: str) -> Manifest:
    """The manifest of a job's folder; a last line that was not finished does not count."""
    try:
        entries = [json.loads(line) for line in lines[: lines.rfind("\n") + 1].splitlines()]
        merged = [entry["merged"] for entry in entries if "merged" in entry]
        chunks = [_parse_chunk(entry) for entry in entries if "merged" not in entry]
        count = merged[-1] if merged else 0
        if type(count) is not int or not 0 <= count <= len(chunks):
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise LoadError(
            f"{folder}/{MANIFEST}: is damaged; remove {folder} and ingest its traces again"
        ) from None
    return Manifest(tuple(chunks), count)


def _parse_chunk(entry: dict[str, Any]) -> Chunk:
    """The chunk of a line; a TypeError or ValueError if it is none."""
    chunk = Chunk(**{**entry, "steps": tuple(entry["steps"])})
    worker_folder(chunk.worker)
    is_integer = all(type(number) is int for number in (*chunk.steps, chunk.records))
    if not chunk.steps or not is_integer or not isinstance(chunk.source, str):
        raise ValueError
    return chunk


def check_version(text: str, path: str) -> None:
    """Refuse a store that another version wrote."""
    try:
        about = json.loads(text)
        version = about["version"] if about["format"] == _FORMAT else None
    except (ValueError, KeyError, TypeError, RecursionError):
        version = None
    if version is None:
        raise LoadError(f"{path}: is no fleet store; make one with: tfprof fleet ingest")
    if version != VERSION:
        raise LoadError(
            f"{path}: is a fleet store of version {version}, this tfprof reads version {VERSION}; "
            "ingest the traces again, or use the tfprof that wrote it"
        )


@dataclass(slots=True)
class JobWriter:
    """A job of a store, to which one process at a time adds chunks."""

    folder: Path
    manifest: Manifest
    _lock: Any = field(repr=False)

    def add(self, chunk: Chunk, temporary: dict[str, Path]) -> None:
        """Add a chunk whose tables have been written to temporary files."""
        for table, path in temporary.items():
            path.replace(self.folder / chunk.path(table))
        self.manifest = Manifest((*self.manifest.chunks, chunk), self.manifest.merged)
        entry = {"worker": chunk.worker, "steps": chunk.steps, "records": chunk.records}
        self._append({**entry, "source": chunk.source} if chunk.source else entry)

    def add_merge(self, count: int) -> None:
        """Say that rollups of the first chunks are there."""
        self.manifest = Manifest(self.manifest.chunks, count)
        self._append({"merged": count})

    def _append(self, entry: dict[str, Any]) -> None:
        path = self.folder / MANIFEST
        with path.open("ab") as stream:
            stream.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())

    def remove_unused(self, *, keep: int = -1) -> None:
        """Remove what a killed process left, and rollups that were merged again."""
        files = self.manifest.files() | {MANIFEST, _LOCK}
        files |= {merged_path(table, keep) for table in ROLLUPS}
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and path.relative_to(self.folder).as_posix() not in files:
                path.unlink()


@contextlib.contextmanager
def open_job(store: Path, job: str) -> Iterator[JobWriter]:
    """Open a job of a store to add to it; make both if they are not there."""
    about = store / ABOUT
    if about.exists():
        check_version(read_store_file(about), str(store))
    elif store.exists() and (not store.is_dir() or any(store.iterdir())):
        raise OutputError(f"{store}: is no fleet store, and not empty; name a new folder")
    folder = store / f"job={_encode(job)}"
    make_folder(folder)
    if not about.exists():
        with replace_file(about) as stream:
            stream.write(json.dumps({"format": _FORMAT, "version": VERSION}).encode() + b"\n")
    with _locked(folder / _LOCK, store, job) as lock:
        path = folder / MANIFEST
        text = read_store_file(path) if path.exists() else ""
        complete = text[: text.rfind("\n") + 1]
        if complete != text:
            os.truncate(path, len(complete.encode()))
        writer = JobWriter(folder, parse_manifest(complete, str(folder)), lock)
        writer.remove_unused()
        try:
            yield writer
        except BaseException:
            # A full disk should not stay full of what nobody reads.
            with contextlib.suppress(OSError):
                writer.remove_unused()
            raise


@contextlib.contextmanager
def _locked(path: Path, store: Path, job: str) -> Iterator[Any]:
    """Hold the lock of a job; the system releases it if the process is killed."""
    with path.open("ab") as stream:
        try:
            import fcntl
        except ImportError:  # Windows
            yield stream
            return
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OutputError(
                f"{store}: another process adds to job '{job}'; wait until it ends"
            ) from None
        yield stream


def read_store_file(path: Path) -> str:
    """A small file of a store, as text."""
    try:
        return read_file(path, "the store").decode("utf-8")
    except UnicodeDecodeError as error:
        raise LoadError(f"{path}: cannot read: {error}") from None


def job_names(folders: list[str]) -> dict[str, str]:
    """The names of jobs, by folder."""
    prefix = "job="
    return {f: _decode(f.removeprefix(prefix)) for f in folders if f.startswith(prefix)}
