"""Bytes that are live over time in each pool, its peak, and the live bytes of each node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof.memory.allocations import MemoryBlocks, Pool
from tfprof.profiles.record_columns import LATEST
from tfprof.profiles.schema import Array, BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class LiveMemory:
    """The live bytes of a pool in a step: from `time[i]` to the next, `live[i]` bytes are live.

    `rows` are the blocks of the pool in that step.
    """

    pool: Pool
    step: int
    blocks: MemoryBlocks
    rows: Array
    time: Array
    live: Array

    @property
    def peak(self) -> int:
        """The most bytes that were live."""
        return int(self.live.max(initial=0))

    @property
    def peak_time(self) -> int:
        """When the peak was first reached, on the clock of the records."""
        return int(self.time[np.argmax(self.live)]) if len(self.live) else 0

    @property
    def kept(self) -> int:
        """The bytes that the step allocated and did not release."""
        return int(self.live[-1]) if len(self.live) else 0

    def rows_at(self, micros: int) -> Array:
        """The blocks that are live at a time."""
        start, end = self.blocks.start[self.rows], self.blocks.end[self.rows]
        rows: Array = self.rows[(start <= micros) & (end > micros)]
        return rows


def live_memory(blocks: MemoryBlocks, rows: Array) -> LiveMemory:
    """The live bytes of a pool in a step, from the blocks that are all of them."""
    start, end, size = blocks.start[rows], blocks.end[rows], blocks.size[rows]
    released: BoolArray = end < LATEST
    micros = np.concatenate([start, end[released]])
    change = np.concatenate([size, -size[released]])
    order = np.argsort(micros, kind="stable")
    micros, running = micros[order], np.cumsum(change[order])
    is_last = np.append(np.diff(micros) != 0, True)[: len(micros)]
    pool, step = blocks.pools[int(blocks.pool[rows[0]])], int(blocks.step[rows[0]])
    return LiveMemory(pool, step, blocks, rows, micros[is_last], running[is_last])


def all_live_memory(blocks: MemoryBlocks) -> list[LiveMemory]:
    """The live bytes of each pool in each step that has any, by pool and then by step."""
    order = np.lexsort((blocks.step, blocks.pool))
    pool, step = blocks.pool[order], blocks.step[order]
    first = 1 + np.flatnonzero((np.diff(pool) != 0) | (np.diff(step) != 0))
    return [live_memory(blocks, rows) for rows in np.split(order, first) if len(rows)]


def bytes_by_node(blocks: MemoryBlocks, rows: Array, nodes: int) -> Array:
    """The bytes of some blocks, summed by the node that allocated them."""
    sums = np.zeros(nodes, np.int64)
    np.add.at(sums, blocks.node[rows], blocks.size[rows])
    return sums
