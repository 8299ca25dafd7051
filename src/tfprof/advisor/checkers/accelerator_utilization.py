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
    executions = queries.executions
    rows = _last_executions(executions)
    node = executions.execution_node[rows]
    busy = _busy(executions, node, executions.execution_step[rows], len(profile.nodes))
    order = np.argsort(executions.device[node], kind="stable")
    devices, first_of = np.unique(executions.device[node][order], return_index=True)
    groups = dict(zip(devices.tolist(), np.split(order, first_of[1:]), strict=False))
    for device, index in sorted((name, i) for i, name in enumerate(profile.devices)):
        if index not in groups or not queries.accelerators[index]:
            continue
        group = groups[index]
        starts = executions.execution_start[rows[group]]
        first = int(starts[starts != 0].min(initial=np.iinfo(np.int64).max))
        elapsed = int(executions.execution_end[rows[group]].max()) - (first if starts.any() else 0)
        if elapsed <= 0:
            continue
        busy_micros = int(busy[group].sum())
        low = busy_micros / elapsed < settings["threshold"]
        idle_micros = max(elapsed - busy_micros, 0)
        impact = Impact(time(idle_micros), "per step without a running kernel")
        yield Finding(
            _NAME,
            "warning" if low else "info",
            f"device: {device} {'low ' if low else ''}utilization: {busy_micros / elapsed:.2f}",
            (Evidence(device, {"busy": time(busy_micros), "elapsed": time(elapsed)}),),
            impact if low else None,
        )


def _last_executions(executions: Executions) -> Array:
    """The execution of each node in its last step."""
    following = np.append(executions.execution_node[1:], -1)
    return np.flatnonzero(executions.execution_node != following)


def _busy(executions: Executions, node: Array, step: Array, count: int) -> Array:
    """The accelerator time of nodes, each in its own step."""
    step_of = np.full(count, -1, np.int64)
    step_of[node] = step
    counts = executions.interval_step == step_of[executions.interval_node]
    counts &= executions.interval_accelerator
    sums = np.zeros(count, np.int64)
    np.add.at(sums, executions.interval_node[counts], executions.interval_duration[counts])
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
