"""How long each step took, and which intervals ran in it."""

from __future__ import annotations

from dataclasses import dataclass

from tfprof.advisor.intervals import Intervals
from tfprof.profiles.executions import Executions
from tfprof.profiles.schema import Array, BoolArray


@dataclass(frozen=True, slots=True)
class StepTime:
    """A step: which executions are in it, and when it starts and ends."""

    step: int
    rows: BoolArray
    start: int
    end: int

    @property
    def length(self) -> int:
        """From the first start to the last end."""
        return self.end - self.start

    def intervals(self, runs: Executions, rows: BoolArray) -> Intervals:
        """When some of the executions run in this step."""
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
