"""AcceleratorUtilizationChecker: how much of its time an accelerator computes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import Checker, Setting, Settings
from tfprof.advisor.device import is_accelerator
from tfprof.advisor.finding import Evidence, Finding, Saving
from tfprof.advisor.node_queries import Facts, time
from tfprof.advisor.requirement import ACCELERATOR
from tfprof.profiles.executions import Executions
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array

__all__ = ["CHECKER"]

_NAME = "AcceleratorUtilizationChecker"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """A finding per accelerator: busy time as a share of the time from first start to last end."""
    facts = Facts(profile, settings.quirks)
    runs = facts.runs
    rows = _last_spans(runs)
    node = runs.span_node[rows]
    busy = _busy(runs, node, runs.span_step[rows], len(profile.nodes))
    for device, at in sorted((name, at) for at, name in enumerate(profile.devices)):
        there = runs.device[node] == at
        strictly = settings.quirks.cpu_and_gpu_only
        if not there.any() or not ("gpu" in device if strictly else is_accelerator(device)):
            continue
        starts = runs.span_start[rows][there]
        first = int(starts[starts != 0].min(initial=np.iinfo(np.int64).max))
        took = int(runs.span_end[rows][there].max()) - (first if starts.any() else 0)
        if took <= 0:
            continue
        worked = int(busy[there].sum())
        low = worked / took < settings["threshold"]
        yield Finding(
            _NAME,
            "warning" if low else "info",
            f"device: {device} {'low ' if low else ''}utilization: {worked / took:.2f}",
            (Evidence(device, {"busy": time(worked), "of": time(took)}),),
            Saving(time(max(took - worked, 0)), "per step without a kernel running")
            if low
            else None,
        )


def _last_spans(runs: Executions) -> Array:
    """The row of each node's last step."""
    following = np.append(runs.span_node[1:], -1)
    return np.flatnonzero(runs.span_node != following)


def _busy(runs: Executions, node: Array, step: Array, count: int) -> Array:
    """The accelerator time of nodes, each in a step of its own."""
    step_of = np.full(count, -1, np.int64)
    step_of[node] = step
    counts = runs.time_accelerator & (runs.time_step == step_of[runs.time_node])
    sums = np.zeros(count, np.int64)
    np.add.at(sums, runs.time_node[counts], runs.time_duration[counts])
    found: Array = sums[node]
    return found


CHECKER = Checker(
    _NAME,
    "the share of time in which an accelerator computes",
    check,
    needs=(ACCELERATOR,),
    settings={"threshold": Setting(0.5, "a lower share of busy time is low")},
    original=True,
)
