"""The sorted table (SSTable) that holds a V2 checkpoint's index, or all of a V1 checkpoint."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tfprof.errors import LoadError
from tfprof.loaders.checkpoint.block import BlockHandle, KeyBudget, block_entries, read_block
from tfprof.loaders.files import file_size, read_range
from tfprof.protos.varint import read_varint

_FOOTER_SIZE = 48
_KEPT_SIZE = 1 << 26
_MAGIC = (0xDB4775248B80FB57).to_bytes(8, "little")


@dataclass(frozen=True, slots=True)
class Table:
    """A table by its index: the last key of each block and where the block is."""

    path: Path
    last_keys: tuple[bytes, ...]
    blocks: tuple[BlockHandle, ...]
    _last: dict[BlockHandle, dict[bytes, bytes]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """The block that was read last, if it is small: it may have thousands of keys."""

    def get(self, key: bytes) -> bytes | None:
        """The value of a key, from the one block that can hold it."""
        i = bisect_left(self.last_keys, key)
        if i == len(self.blocks):
            return None
        handle = self.blocks[i]
        entries = self._last.get(handle)
        if entries is None:
            contents = read_block(self.path, handle)
            entries = dict(block_entries(contents, self.path, _key_budget(self.path)))
            self._last.clear()
            if handle.size <= _KEPT_SIZE:
                self._last[handle] = entries
        return entries.get(key)

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """All keys and values in order."""
        previous: bytes | None = None
        budget = _key_budget(self.path)
        for handle in self.blocks:
            for key, value in block_entries(read_block(self.path, handle), self.path, budget):
                # Also ends a walk over an index that names one block again and again.
                if previous is not None and key <= previous:
                    raise LoadError(
                        f"{self.path}: key {key!r} is out of order; write the checkpoint again"
                    )
                previous = key
                yield key, value


def is_table(path: Path) -> bool:
    """Whether a file ends as a table does."""
    size = file_size(path, "the table")
    return size >= _FOOTER_SIZE and read_range(path, size - 8, 8, "the footer") == _MAGIC


def open_table(path: Path) -> Table:
    """A table from its footer and index block; no other block is read."""
    if not is_table(path):
        raise LoadError(
            f"{path}: not a checkpoint, or a truncated one (no table footer); copy it again"
        )
    footer = read_range(
        path, file_size(path, "the table") - _FOOTER_SIZE, _FOOTER_SIZE, "the footer"
    )
    _, position = _handle(footer, 0, path)  # the meta index, which is always empty
    index, _ = _handle(footer, position, path)
    last_keys, blocks = [], []
    for key, value in block_entries(read_block(path, index), path, _key_budget(path)):
        last_keys.append(key)
        blocks.append(_handle(value, 0, path)[0])
    return Table(path, tuple(last_keys), tuple(blocks))


def _key_budget(path: Path) -> KeyBudget:
    return KeyBudget(path, file_size(path, "the table"))


def _handle(data: bytes, position: int, path: Path) -> tuple[BlockHandle, int]:
    try:
        offset, position = read_varint(data, position)
        size, position = read_varint(data, position)
    except ValueError:
        raise LoadError(f"{path}: the table's index is broken; copy the checkpoint again") from None
    return BlockHandle(offset, size), position
