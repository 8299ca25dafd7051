"""Unions of time intervals: their length, and the length outside another union."""

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
        reached = np.maximum.accumulate(end) if len(end) else end
        is_first = np.ones(len(start), bool)
        is_first[1:] = start[1:] > reached[:-1]
        self.start = start[is_first]
        self.end = (
            reached[np.append(np.flatnonzero(is_first)[1:] - 1, len(start) - 1)]
            if len(start)
            else end
        )

    @property
    def length(self) -> int:
        """Their total length."""
        return int((self.end - self.start).sum())

    def length_outside(self, other: Intervals) -> int:
        """The total length of what another union does not cover."""
        return (
            Intervals(
                np.concatenate([self.start, other.start]), np.concatenate([self.end, other.end])
            ).length
            - other.length
        )
