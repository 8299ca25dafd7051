"""Sets of intervals of time: their union, its length, and what another set leaves of it."""

from __future__ import annotations

import numpy as np

from tfprof.profiles.schema import Array

__all__ = ["Intervals"]


class Intervals:
    """Disjoint intervals in ascending order, made from any."""

    def __init__(self, start: Array, end: Array) -> None:
        """Overlapping intervals are joined, empty ones dropped."""
        wanted = end > start
        order = np.argsort(start[wanted], kind="stable")
        start, end = start[wanted][order], end[wanted][order]
        reached = np.maximum.accumulate(end) if len(end) else end
        begins = np.ones(len(start), bool)
        begins[1:] = start[1:] > reached[:-1]
        self.start = start[begins]
        self.end = (
            reached[np.append(np.flatnonzero(begins)[1:] - 1, len(start) - 1)]
            if len(start)
            else end
        )

    @property
    def length(self) -> int:
        """How long they are together."""
        return int((self.end - self.start).sum())

    def without(self, other: Intervals) -> int:
        """How long the part is that the other set does not cover."""
        return (
            Intervals(
                np.concatenate([self.start, other.start]), np.concatenate([self.end, other.end])
            ).length
            - other.length
        )
