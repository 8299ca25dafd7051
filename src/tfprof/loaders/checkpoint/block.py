"""One block of a table: its checksum, its compression and its prefix-compressed keys."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tfprof.errors import LoadError
from tfprof.loaders.checkpoint.storage import masked_crc32c
from tfprof.loaders.files import read_range
from tfprof.protos.varint import read_varint

_TRAILER_SIZE = 5  # one byte of compression type, four of checksum
_RAW, _SNAPPY = 0, 1

# The densest snappy element turns 3 bytes into 64, so a larger size is false.
_SNAPPY_GROWTH = 22

# Keys that grow by one byte each would need memory in the square of the table's size. TensorFlow
# writes a whole key every 16 entries, so its keys grow 16-fold at most.
_KEY_GROWTH = 16
_MIN_KEY_BYTES = 1 << 22


class KeyBudget:
    """The bytes that all keys of a walk through a table may have."""

    def __init__(self, path: Path, size: int) -> None:
        """For a table of some bytes."""
        self._path, self._left = path, _MIN_KEY_BYTES + _KEY_GROWTH * size

    def take(self, size: int) -> None:
        """Count a key; a LoadError if all together have too many bytes."""
        self._left -= size
        if self._left < 0:
            raise LoadError(
                f"{self._path}: the keys of the table are too long for its size; write the "
                "checkpoint again with TensorFlow"
            )


class BlockHandle(NamedTuple):
    """Where a block is; the size leaves out the trailer."""

    offset: int
    size: int


def read_block(path: Path, handle: BlockHandle) -> bytes:
    """The contents of a block, verified and decompressed."""
    what = f"the block at {handle.offset}"
    stored = read_range(path, handle.offset, handle.size + _TRAILER_SIZE, what)
    contents, kind = stored[: handle.size], stored[handle.size]
    (crc,) = struct.unpack_from("<I", stored, handle.size + 1)
    if masked_crc32c(stored[: handle.size + 1]) != crc:
        raise LoadError(f"{path}: {what} does not match its checksum; copy the checkpoint again")
    if kind == _RAW:
        return contents
    if kind == _SNAPPY:
        return _decompress(contents, path, what)
    raise LoadError(f"{path}: {what} has the unknown compression {kind}; write it with another")


def block_entries(contents: bytes, path: Path, budget: KeyBudget) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of a block in order."""
    limit = _entries_end(contents, path)
    offset, key = 0, b""
    while offset < limit:
        try:
            shared, offset = read_varint(contents, offset)
            added, offset = read_varint(contents, offset)
            length, offset = read_varint(contents, offset)
        except ValueError:
            raise _broken_block_error(path) from None
        middle, end = offset + added, offset + added + length
        if shared > len(key) or end > limit:
            raise _broken_block_error(path)
        budget.take(shared + added)
        key = key[:shared] + contents[offset:middle]
        yield key, contents[middle:end]
        offset = end


def _entries_end(contents: bytes, path: Path) -> int:
    """Where the entries end and the restart points, which only a search needs, begin."""
    if len(contents) < 4:
        raise _broken_block_error(path)
    (restarts,) = struct.unpack_from("<I", contents, len(contents) - 4)
    end: int = len(contents) - 4 - 4 * restarts
    if end < 0:
        raise _broken_block_error(path)
    return end


def _decompress(contents: bytes, path: Path, what: str) -> bytes:
    import pyarrow as pa  # rarely needed: TensorFlow's own tables are not compressed

    try:
        size, _ = read_varint(contents, 0)
        if size > _SNAPPY_GROWTH * len(contents):
            raise ValueError("announces more than snappy can hold")
        plain: bytes = pa.Codec("snappy").decompress(contents, size, asbytes=True)
    except (ValueError, OSError, pa.ArrowException) as error:
        raise LoadError(f"{path}: {what} is broken snappy; copy the checkpoint again") from error
    return plain


def _broken_block_error(path: Path) -> LoadError:
    return LoadError(f"{path}: a block of the table is broken; write the checkpoint again")
