"""Time of steps: elapsed, busy on each device, summed over ops, and the share of known nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfprof.definitions.quirks import REPAIRED
from tfprof.profiles.executions import Executions, executions_of
from tfprof.profiles.intervals import Intervals
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.resolve import attributed_share, resolve


@dataclass(frozen=True, slots=True)
class StepTotals:
    """The time of one step in nanoseconds."""

    step: int
    wall_ns: int
    """From the first start to the last end."""
    busy_ns: Mapping[str, int]
    """Device -> time in which at least one op ran."""
    summed_ns: int
    """The sum of all ops, which is more than busy time where threads run side by side."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "step": self.step,
            "wall_ns": self.wall_ns,
            "busy_ns": dict(self.busy_ns),
            "summed_ns": self.summed_ns,
        }


@dataclass(frozen=True, slots=True)
class TimeTotals:
    """The time of all steps in nanoseconds, and how much of it belongs to nodes of the graph."""

    wall_ns: int
    """The time that is in a step; where steps overlap, it counts once."""
    busy_ns: Mapping[str, int]
    """Device -> time in which at least one op ran."""
    summed_ns: int
    attributed_share: float | None
    """The share of summed time that belongs to nodes of the graph; None if there is no graph."""
    steps: tuple[StepTotals, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "wall_ns": self.wall_ns,
            "busy_ns": dict(self.busy_ns),
            "summed_ns": self.summed_ns,
            "attributed_share": self.attributed_share,
            "steps": [step.to_dict() for step in self.steps],
        }


def time_totals(profile: Profile) -> TimeTotals:
    """The time of a profile's steps, computed once."""
    return profile.memoize(time_totals, lambda: _time_totals(profile))


def _time_totals(profile: Profile) -> TimeTotals:
    resolved = resolve(profile, REPAIRED)
    executions = executions_of(resolved, REPAIRED)
    order = np.argsort(executions.interval_step, kind="stable")
    bounds = np.searchsorted(executions.interval_step[order], np.arange(len(profile.steps) + 1))
    totals, starts = [], []
    for i, step in enumerate(profile.steps):
        rows = order[bounds[i] : bounds[i + 1]]
        if len(rows):
            totals.append(_step_totals(resolved, executions, step, rows))
            starts.append(int(executions.interval_start_nanos[rows].min()))
    start = np.array(starts, np.int64)
    end = start + np.array([step.wall_ns for step in totals], np.int64)
    return TimeTotals(
        Intervals(start, end).length,
        _busy(resolved, executions, np.arange(len(order))),
        sum(step.summed_ns for step in totals),
        attributed_share(profile) if profile.nodes.in_graph.any() else None,
        tuple(totals),
    )


def _step_totals(profile: Profile, executions: Executions, step: int, rows: Array) -> StepTotals:
    start, end = executions.interval_start_nanos[rows], executions.interval_end_nanos[rows]
    return StepTotals(
        step,
        int(end.max()) - int(start.min()),
        _busy(profile, executions, rows),
        sum(executions.interval_self_nanos[rows].tolist()),
    )


def _busy(profile: Profile, executions: Executions, rows: Array) -> dict[str, int]:
    """Device -> the union of some intervals."""
    start, end = executions.interval_start_nanos[rows], executions.interval_end_nanos[rows]
    order = np.argsort(executions.interval_device[rows], kind="stable")
    devices, first = np.unique(executions.interval_device[rows][order], return_index=True)
    groups = np.split(order, first[1:])
    return {
        profile.devices[i]: Intervals(start[group], end[group]).length
        for i, group in zip(devices.tolist(), groups, strict=False)  # one group without rows
    }
