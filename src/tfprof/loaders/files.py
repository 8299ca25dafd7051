"""The bytes of files that users name: all, the first, or a range. No other module opens them.

`what` names what is read in errors, such as `the graph`.
"""

from __future__ import annotations

import mmap
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tfprof.definitions.limits import MAX_STREAM_BYTES
from tfprof.errors import LoadError

_CHUNK_SIZE = 1 << 20


def read_file(path: Path, what: str) -> bytes:
    """All of a file or pipe; a LoadError if it cannot be read, or would never end."""
    with _load_errors(path, what), open_file(path, what) as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file.read()
        return _read_stream(file, path, what)


def read_head(path: Path, size: int) -> bytes:
    """The first bytes of a file; none of a directory, a pipe, or what does not exist."""
    if not is_file(path):
        return b""
    with _load_errors(path, "the input"), open_file(path, "the input") as file:
        return file.read(size)


def map_file(path: Path, what: str) -> mmap.mmap:
    """A file that is not empty, mapped into memory."""
    with _load_errors(path, what), open_file(path, what) as file:
        if not os.fstat(file.fileno()).st_size:
            raise LoadError(f"{path}: is empty; expected {what}")
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def release_pages(mapped: mmap.mmap) -> None:
    """Give the memory back that holds parts of a mapped file, where the system can."""
    if hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def file_size(path: Path, what: str) -> int:
    """The size of a file in bytes."""
    with _load_errors(path, what):
        return path.stat().st_size


def modified_time(path: Path) -> float:
    """When a file was last written; 0 for one that cannot be read, such as a broken link."""
    try:
        return path.stat().st_mtime
    except (OSError, ValueError):
        return 0.0


def read_range(path: Path, offset: int, size: int, what: str) -> bytes:
    """The bytes [offset, offset + size) of a file."""
    with _load_errors(path, what), open_file(path, what) as file:
        # Before reading, because a read allocates what it is asked for.
        available = os.fstat(file.fileno()).st_size
        if offset < 0 or size < 0 or offset + size > available:
            raise LoadError(
                f"{path}: {what} should be {size} bytes at {offset}, but the file has "
                f"{available}; copy the file again"
            )
        file.seek(offset)
        data = file.read(size)
    if len(data) != size:
        raise LoadError(f"{path}: {what} ends too early; copy the file again")
    return data


def is_file(path: Path) -> bool:
    """Whether there is such a file; not if the name is one that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_device(path: Path) -> bool:
    """Whether a path is a device or a link to one, which `open_file` refuses."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


def is_directory(path: Path) -> bool:
    """Whether there is such a directory."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


@contextmanager
def open_file(path: Path, what: str) -> Iterator[BinaryIO]:
    """A file or pipe, open for reading; no device, which would never end."""
    with _load_errors(path, what):
        file = path.open("rb")
    with file:
        mode = os.fstat(file.fileno()).st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise LoadError(f"{path}: is a device; give a file for {what}")
        yield file


@contextmanager
def _load_errors(path: Path, what: str) -> Iterator[None]:
    """Errors of the file system become LoadErrors."""
    try:
        yield
    except IsADirectoryError:
        raise LoadError(f"{path}: is a directory; give a file for {what}") from None
    except FileNotFoundError:
        raise LoadError(f"{path}: no such file, needed for {what}; check the path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LoadError(f"{path}: {reason.lower()}; {what} cannot be read") from None


def _read_stream(file: BinaryIO, path: Path, what: str) -> bytes:
    """The bytes of a pipe, whose size is unknown."""
    chunks, size = [], 0
    while chunk := file.read(_CHUNK_SIZE):
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_STREAM_BYTES:
            raise LoadError(f"{path}: more than {MAX_STREAM_BYTES >> 30} GB; too large for {what}")
    return b"".join(chunks)
