"""AcceleratorUtilizationChecker: the share of time in which an accelerator is busy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import ACCELERATOR, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import NodeQueries, time
from tfprof.profiles.executions import Executions
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array

_NAME = "AcceleratorUtilizationChecker"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """A finding per accelerator: busy time as a share of the time from first start to last end."""
    queries = NodeQueries(profile, settings.quirks)
    runs = queries.executions
    rows = _last_executions(runs)
    node = runs.execution_node[rows]
    busy = _busy(runs, node, runs.execution_step[rows], len(profile.nodes))
    for device, index in sorted((name, i) for i, name in enumerate(profile.devices)):
        mask = runs.device[node] == index
        if not mask.any() or not queries.accelerators[index]:
            continue
        starts = runs.execution_start[rows][mask]
        first = int(starts[starts != 0].min(initial=np.iinfo(np.int64).max))
        took = int(runs.execution_end[rows][mask].max()) - (first if starts.any() else 0)
        if took <= 0:
            continue
        worked = int(busy[mask].sum())
        low = worked / took < settings["threshold"]
        yield Finding(
            _NAME,
            "warning" if low else "info",
            f"device: {device} {'low ' if low else ''}utilization: {worked / took:.2f}",
            (Evidence(device, {"busy": time(worked), "elapsed": time(took)}),),
            Impact(time(max(took - worked, 0)), "per step without a running kernel")
            if low
            else None,
        )


def _last_executions(runs: Executions) -> Array:
    """The execution of each node in its last step."""
    following = np.append(runs.execution_node[1:], -1)
    return np.flatnonzero(runs.execution_node != following)


def _busy(runs: Executions, node: Array, step: Array, count: int) -> Array:
    """The accelerator time of nodes, each in its own step."""
    step_of = np.full(count, -1, np.int64)
    step_of[node] = step
    counts = runs.interval_accelerator & (runs.interval_step == step_of[runs.interval_node])
    sums = np.zeros(count, np.int64)
    np.add.at(sums, runs.interval_node[counts], runs.interval_duration[counts])
    of_nodes: Array = sums[node]
    return of_nodes


CHECKER = Checker(
    _NAME,
    "the share of time in which an accelerator is busy",
    check,
    requires=(ACCELERATOR,),
    settings={"threshold": Setting(0.5, "utilization below this share is low")},
    original=True,
)
