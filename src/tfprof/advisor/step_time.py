"""How long each step took, and when something ran in it."""

from __future__ import annotations

from dataclasses import dataclass

from tfprof.profiles.executions import Executions
from tfprof.profiles.intervals import Intervals
from tfprof.profiles.schema import Array, BoolArray


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

    def intervals(self, executions: Executions, rows: BoolArray) -> Intervals:
        """When something of the intervals in `rows` runs in this step."""
        mask = rows & self.rows
        start: Array = executions.interval_start[mask]
        return Intervals(start, start + executions.interval_duration[mask])


def step_times(executions: Executions, steps: tuple[int, ...]) -> list[StepTime]:
    """The steps in which anything ran."""
    times = []
    for position, step in enumerate(steps):
        rows = executions.interval_step == position
        if rows.any():
            start = executions.interval_start[rows]
            end = start + executions.interval_duration[rows]
            times.append(StepTime(step, rows, int(start.min()), int(end.max())))
    return times
