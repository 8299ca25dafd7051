"""Where the time of a trace of consecutive steps goes: in ops, waiting for input, in neither."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tfprof.advisor.node_queries import IDLE, INPUT, NodeQueries
from tfprof.loaders.xplane.op_events import DATA, EAGER
from tfprof.profiles.intervals import Intervals
from tfprof.profiles.schema import Array, BoolArray


class Run(NamedTuple):
    """From the first op of a function to its last, in a step."""

    start: int
    end: int
    step: int


@dataclass(frozen=True)
class TraceTime:
    """The intervals of a trace, all steps together."""

    queries: NodeQueries

    def _intervals(self, mask: BoolArray) -> Intervals:
        executions = self.queries.executions
        start: Array = executions.interval_start[mask]
        return Intervals(start, start + executions.interval_duration[mask])

    def _rows(self, nodes: BoolArray) -> BoolArray:
        """The intervals of some nodes."""
        mask: BoolArray = nodes[self.queries.executions.interval_node]
        return mask

    @cached_property
    def _is_data(self) -> BoolArray:
        return self.queries.is_in_scope(DATA)

    @cached_property
    def runs(self) -> list[Run]:
        """When each function ran in each step, in the order of their starts."""
        executions = self.queries.executions
        outside = self._is_data | self.queries.is_in_scope(EAGER)
        rows = np.flatnonzero(~self._rows(outside))
        step = executions.interval_step[rows].astype(np.int64)
        scope, count = self.queries.outermost_scope
        key = step * count + scope[executions.interval_node[rows]]
        keys, of_row = np.unique(key, return_inverse=True)
        start = np.full(len(keys), np.iinfo(np.int64).max)
        end = np.zeros(len(keys), np.int64)
        starts = executions.interval_start[rows]
        np.minimum.at(start, of_row, starts)
        np.maximum.at(end, of_row, starts + executions.interval_duration[rows])
        steps = self.queries.profile.steps
        columns = (start.tolist(), end.tolist(), (keys // count).tolist())
        return sorted(Run(a, b, steps[number]) for a, b, number in zip(*columns, strict=True))

    @cached_property
    def _run_times(self) -> Intervals:
        starts = np.array([run.start for run in self.runs], np.int64)
        return Intervals(starts, np.array([run.end for run in self.runs], np.int64))

    @property
    def elapsed(self) -> int:
        """From the first op of the program to the last; input that is prepared before is not."""
        return self._end - self._start

    @cached_property
    def _start(self) -> int:
        return int(self._program_times[0].min(initial=np.iinfo(np.int64).max))

    @cached_property
    def _end(self) -> int:
        return int(self._program_times[1].max(initial=self._start))

    @cached_property
    def _program_times(self) -> tuple[Array, Array]:
        executions = self.queries.executions
        start: Array = executions.interval_start[~self._rows(self._is_data)]
        return start, start + executions.interval_duration[~self._rows(self._is_data)]

    @cached_property
    def work(self) -> Intervals:
        """When an op computes that is not one of the input pipeline."""
        idle = self.queries.has_op_type(INPUT) | self.queries.has_op_type(IDLE)
        return self._intervals(~self._rows(idle | self._is_data))

    @cached_property
    def input(self) -> Intervals:
        """When the program takes its input: ops that wait for it, and tf.data during a run.

        A function waits for its input without a thread, so that no op shows it.
        """
        waits = self._intervals(self._rows(self.queries.has_op_type(INPUT) & ~self._is_data))
        data = self._intervals(self._rows(self._is_data))
        return waits.union(data.intersect(self._run_times))

    @property
    def stalled(self) -> int:
        """How long the program only waits for its input."""
        return self.input.length_outside(self.work)

    @property
    def idle(self) -> int:
        """How long nothing runs and no input is awaited: between runs of functions and ops."""
        executions = self.queries.executions
        ops = self._intervals(~self._rows(self._is_data) & (executions.interval_duration > 0))
        return (
            self.elapsed
            - ops.union(self.input, self._run_times).clip(self._start, self._end).length
        )
