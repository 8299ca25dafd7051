"""The memory peak of a device where no allocations were recorded.

It is estimated from the peak and residual memory of each execution, and from the last use of its
outputs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof.profiles.executions import Executions
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.views.graph import producers

_FORWARDS = 20
"""How many ops in a chain may forward the same memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Lifetimes:
    """When each node starts in a step, and when its outputs are used for the last time."""

    start: Array
    release: Array


@dataclass(frozen=True, slots=True, eq=False)
class EstimatedPeak:
    """The estimated peak of a device in a step, and the changes of memory until then."""

    bytes: int
    micros: int
    """On the clock of the records."""
    node: Array
    change: Array


def steps_with_memory(executions: Executions) -> set[int]:
    """The positions of the steps in which some record has memory."""
    columns = (
        executions.peak_bytes,
        executions.residual_bytes,
        executions.accelerator_persistent_bytes,
        executions.host_persistent_bytes,
    )
    has_memory = np.any([column != 0 for column in columns], axis=0)
    return set(executions.memory_step[has_memory].tolist())


def rows_by_device(executions: Executions, step: int) -> dict[int, Array]:
    """The records of memory of each device in a step, by its position among the steps."""
    rows = np.flatnonzero(executions.memory_step == step)
    device = executions.device[executions.memory_node[rows]]
    order = np.argsort(device, kind="stable")
    devices, first = np.unique(device[order], return_index=True)
    groups = np.split(rows[order], first[1:])
    pairs = zip(devices.tolist(), groups, strict=False)  # without records there is a group
    return {number: group for number, group in pairs if number >= 0}


def estimate_peak(executions: Executions, rows: Array, lifetimes: Lifetimes) -> EstimatedPeak:
    """The peak of a device in a step, from its records of memory."""
    node, micros, change = estimate_changes(executions, rows, lifetimes)
    # At the same time, frees come before allocations.
    order = np.lexsort((change, micros))
    running = np.cumsum(change[order])
    peak_row = int(np.argmax(running))
    live = order[: peak_row + 1]
    peak_micros = int(micros[order[peak_row]])
    return EstimatedPeak(int(running[peak_row]), peak_micros, node[live], change[live])


def estimate_changes(
    executions: Executions, rows: Array, lifetimes: Lifetimes
) -> tuple[Array, Array, Array]:
    """Node, time and size of changes, from peak and residual memory of executions.

    An execution holds its peak until it ends, and its residual memory until its last consumer ends.
    Persistent memory stays until the end of the step.
    """
    node, ends, left = (
        executions.memory_node[rows],
        executions.memory_micros[rows],
        executions.residual_bytes[rows],
    )
    fixed = executions.accelerator_persistent_bytes[rows] + executions.host_persistent_bytes[rows]
    peak = np.maximum(executions.peak_bytes[rows], left)
    starts = np.minimum(lifetimes.start[node], ends)
    return (
        np.concatenate([node, node, node]),
        np.concatenate([starts, ends, np.maximum(lifetimes.release[node], ends)]),
        np.concatenate([peak, left - peak, fixed - left]),
    )


def node_lifetimes(profile: Profile, executions: Executions, step: int) -> Lifetimes:
    """The lifetimes of all nodes in a step, by its position among the steps."""
    count = len(profile.nodes)
    in_step = executions.execution_step == step
    start, end = np.zeros(count, np.int64), np.zeros(count, np.int64)
    start[executions.execution_node[in_step]] = executions.execution_start[in_step]
    end[executions.execution_node[in_step]] = executions.execution_end[in_step]
    rows = executions.memory_step == step
    output, left = np.zeros(count, np.int64), np.zeros(count, np.int64)
    np.add.at(output, executions.memory_node[rows], executions.output_bytes[rows])
    np.add.at(left, executions.memory_node[rows], executions.residual_bytes[rows])
    # A node that outputs memory it did not allocate forwards an input, which lives as long.
    forwards = (output > 0) & (left == 0)
    consumer, producer = profile.edges.consumer, producers(profile)
    known = producer >= 0
    consumer, producer = consumer[known], producer[known]
    release = end.copy()
    for _ in range(_FORWARDS):
        before = release.copy()
        uses = np.where(forwards[consumer], release[consumer], end[consumer])
        np.maximum.at(release, producer, uses)
        if np.array_equal(before, release):
            break
    return Lifetimes(start, release)
