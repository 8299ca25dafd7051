"""The bytes of files that users name: all, the first, or a range.

`what` names what is read in errors, such as `the graph`.
"""

from __future__ import annotations

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
    with _opened(path, what) as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file.read()
        return _read_stream(file, path, what)


def read_head(path: Path, size: int) -> bytes:
    """The first bytes of a file; none of a directory, a pipe, or what does not exist."""
    if not is_file(path):
        return b""
    with _opened(path, "the input") as file:
        return file.read(size)


def file_size(path: Path, what: str) -> int:
    """The size of a file in bytes."""
    with _load_errors(path, what):
        return path.stat().st_size


def read_range(path: Path, offset: int, size: int, what: str) -> bytes:
    """The bytes [offset, offset + size) of a file."""
    with _opened(path, what) as file:
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


def is_directory(path: Path) -> bool:
    """Whether there is such a directory."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


@contextmanager
def _opened(path: Path, what: str) -> Iterator[BinaryIO]:
    with _load_errors(path, what), path.open("rb") as file:
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
