"""The memory that ops allocated, from the allocation events of a trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tfprof.loaders.xplane.events import TraceEvents
from tfprof.loaders.xplane.nesting import find_enclosing
from tfprof.profiles.schema import Array, BoolArray

ADDRESS, SIZE, REQUESTED = "addr", "allocation_bytes", "requested_bytes"
STATS = (ADDRESS, SIZE, REQUESTED)


@dataclass(frozen=True, slots=True)
class Allocations:
    """Blocks of memory: the op that allocated each, its bytes, and from when to when it lived.

    A block that was not freed ends at -1. Times are picoseconds. `requested` bytes are those before
    the allocator rounded them up. `planned` blocks are those of XLA's buffer assignment, which no
    allocator recorded.
    """

    op: Array
    size: Array
    start: Array
    end: Array
    requested: Array
    planned: BoolArray

    def __len__(self) -> int:
        return len(self.op)

    @classmethod
    def none(cls) -> Allocations:
        """No blocks."""
        empty = np.zeros(0, np.int64)
        return cls.planned_blocks(empty, empty, empty, empty)

    @classmethod
    def planned_blocks(cls, op: Array, size: Array, start: Array, end: Array) -> Allocations:
        """Blocks of XLA's buffer assignment."""
        return cls(op, size, start, end, size, np.ones(len(op), bool))

    @classmethod
    def concatenate(cls, parts: Sequence[Allocations]) -> Allocations:
        """All blocks of some parts."""
        names = cls.__slots__
        return cls(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))

    def filter(self, mask: BoolArray) -> Allocations:
        """The blocks in `mask`."""
        return Allocations(*(getattr(self, name)[mask] for name in self.__slots__))


def find_allocations(
    events: TraceEvents, allocated: Array, freed: Array, ops: Array, stats: dict[str, int]
) -> Allocations:
    """The blocks that were allocated while an op ran on the same thread."""
    if not len(allocated) or not len(ops):
        return Allocations.none()
    op, _ = find_enclosing(events, allocated, ops)
    rows = np.concatenate([allocated, freed])
    address = events.number(stats.get(ADDRESS))[rows]
    order = np.lexsort((events.start[rows], address))
    is_free = (np.arange(len(rows)) >= len(allocated))[order]
    # A block ends where the next event of its address frees it.
    end = np.full(len(rows), -1, np.int64)
    pairs = ~is_free[:-1] & is_free[1:] & (np.diff(address[order]) == 0)
    end[order[:-1][pairs]] = events.start[rows[order[1:][pairs]]]
    size, requested = (events.number(stats.get(name))[allocated] for name in (SIZE, REQUESTED))
    start, end = events.start[allocated], end[: len(allocated)]
    planned = np.zeros(len(allocated), bool)
    return Allocations(op, size, start, end, requested, planned).filter(op >= 0)
