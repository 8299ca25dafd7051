"""How long each step took, and unions of the intervals that ran in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof.profiles.executions import Executions
from tfprof.profiles.schema import Array, BoolArray


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

    def length_outside(self, other: Intervals) -> int:
        """The total length of what another union does not cover."""
        start = np.concatenate([self.start, other.start])
        end = np.concatenate([self.end, other.end])
        return Intervals(start, end).length - other.length


@dataclass(frozen=True, slots=True)
class StepTime:
    """A step: which intervals are in it, and when it starts and ends."""

    step: int
    rows: BoolArray
    start: int
    end: int

    @property
    def length(self) -> int:
        """From the first start to the last end."""
        return self.end - self.start

    def intervals(self, runs: Executions, rows: BoolArray) -> Intervals:
        """When something of the intervals in `rows` runs in this step."""
        mask = rows & self.rows
        start: Array = runs.interval_start[mask]
        return Intervals(start, start + runs.interval_duration[mask])


def step_times(runs: Executions, steps: tuple[int, ...]) -> list[StepTime]:
    """The steps in which anything ran."""
    times = []
    for position, step in enumerate(steps):
        rows = runs.interval_step == position
        if rows.any():
            end = runs.interval_start[rows] + runs.interval_duration[rows]
            times.append(StepTime(step, rows, int(runs.interval_start[rows].min()), int(end.max())))
    return times
