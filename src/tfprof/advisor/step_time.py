"""How long each step took, and when something ran in it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tfprof.profiles.executions import Executions
from tfprof.profiles.grouping import group_offsets
from tfprof.profiles.intervals import Intervals
from tfprof.profiles.schema import Array, BoolArray


@dataclass(frozen=True, slots=True)
class StepTime:
    """A step: the rows of the intervals in it, and when it starts and ends."""

    step: int
    rows: Array
    start: int
    end: int

    @property
    def length(self) -> int:
        """From the first start to the last end."""
        return self.end - self.start

    def intervals(self, executions: Executions, rows: BoolArray) -> Intervals:
        """When something of the intervals in `rows` runs in this step."""
        inside = self.rows[rows[self.rows]]
        start: Array = executions.interval_start[inside]
        return Intervals(start, start + executions.interval_duration[inside])


def step_times(executions: Executions, steps: tuple[int, ...]) -> list[StepTime]:
    """The steps in which anything ran."""
    order = np.argsort(executions.interval_step, kind="stable")
    bounds = pairwise(group_offsets(executions.interval_step, len(steps)).tolist())
    times = []
    for step, (first, last) in zip(steps, bounds, strict=True):
        if first < last:
            rows = order[first:last]
            start = executions.interval_start[rows]
            end = start + executions.interval_duration[rows]
            times.append(StepTime(step, rows, int(start.min()), int(end.max())))
    return times
