"""Unions of intervals."""

from __future__ import annotations

import numpy as np

from tfprof.profiles.schema import Array


class Intervals:
    """Disjoint intervals in ascending order, from any intervals."""

    def __init__(self, start: Array, end: Array) -> None:
        """Merge overlapping intervals and drop empty ones."""
        mask = end > start
        order = np.argsort(start[mask], kind="stable")
        start, end = start[mask][order], end[mask][order]
        latest_end = np.maximum.accumulate(end)
        gap = start[1:] > latest_end[:-1]
        self.start = start[np.append(True, gap)[: len(start)]]
        self.end = latest_end[np.append(gap, True)[: len(end)]]

    @property
    def length(self) -> int:
        """Their total length."""
        return int((self.end - self.start).sum())

    def clip(self, start: int, end: int) -> Intervals:
        """What of them is in a period."""
        return Intervals(np.clip(self.start, start, end), np.clip(self.end, start, end))

    def intersect(self, other: Intervals) -> Intervals:
        """What both of them cover."""
        first = np.searchsorted(other.end, self.start, "right")
        count = np.searchsorted(other.start, self.end, "left") - first
        mine = np.repeat(np.arange(len(self.start)), count)
        theirs = np.arange(len(mine)) - (np.cumsum(count) - count - first)[mine]
        return Intervals(
            np.maximum(self.start[mine], other.start[theirs]),
            np.minimum(self.end[mine], other.end[theirs]),
        )

    def union(self, *others: Intervals) -> Intervals:
        """The union with others."""
        parts = (self, *others)
        return Intervals(
            np.concatenate([part.start for part in parts]),
            np.concatenate([part.end for part in parts]),
        )

    def length_outside(self, other: Intervals) -> int:
        """The total length of what another union does not cover."""
        return self.union(other).length - other.length
