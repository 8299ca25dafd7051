"""MemoryPeak: which nodes hold memory when a step uses the most."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from tfprof.advisor.checker import MEMORY, Checker, Setting, Settings
from tfprof.advisor.finding import Finding, Impact
from tfprof.advisor.node_queries import NodeQueries, share, size, time
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.views.graph import producers

_NAME = "MemoryPeak"
_Lifetimes = tuple[Array, Array]
_FORWARDS = 20
"""How many ops in a chain may forward the same memory."""


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """A finding per device: its peak over all steps, and the nodes that hold the most memory."""
    queries = NodeQueries(profile, settings.quirks)
    lifetimes = cache(partial(_lifetimes, queries))
    devices = set(queries.executions.device.tolist()) - {-1}
    for device in sorted(devices, key=profile.devices.__getitem__):
        peaks = [_peak(queries, device, step, lifetimes) for step in range(len(profile.steps))]
        peak = max(peaks, key=lambda peak: peak.bytes)
        if peak.bytes < settings["min_bytes"] or not peak.bytes:
            continue
        all_nodes = np.ones(len(profile.nodes), bool)
        largest = queries.largest(peak.node_bytes, all_nodes, settings.top)
        rows = tuple(
            queries.evidence(
                node,
                memory=size(int(peak.node_bytes[node])),
                share=share(int(peak.node_bytes[node]) / peak.bytes),
            )
            for node in largest
        )
        how = "" if peak.recorded else " (estimated from the last use of outputs)"
        message = (
            f"{profile.devices[device]}: memory peaks at {size(peak.bytes)} in step "
            f"{profile.steps[peak.step]}, {time(peak.micros)} after its start{how}; "
            f"the {len(rows)} nodes that hold the most"
        )
        yield Finding(_NAME, "info", message, rows, Impact(size(peak.bytes), "at the peak"))


@dataclass(frozen=True, slots=True)
class _Peak:
    """The peak memory of a device in a step, and how much of it each node holds."""

    step: int
    bytes: int
    micros: int
    node_bytes: Array
    recorded: bool


def _peak(
    queries: NodeQueries, device: int, step: int, lifetimes: Callable[[int], _Lifetimes]
) -> _Peak:
    runs = queries.executions
    allocations = (runs.allocation_step == step) & (runs.device[runs.allocation_node] == device)
    recorded = bool(allocations.any())
    if recorded:
        node, micros, change = _recorded_changes(queries, device, step, allocations)
    else:
        node, micros, change = _estimated_changes(queries, device, step, lifetimes(step))
    count = len(queries.profile.nodes)
    if not len(node):
        return _Peak(step, 0, 0, np.zeros(count, np.int64), False)
    # At the same time, frees come before allocations.
    order = np.lexsort((change, micros))
    running = np.cumsum(change[order])
    peak_row = int(np.argmax(running))
    node_bytes = np.zeros(count, np.int64)
    np.add.at(node_bytes, node[order[: peak_row + 1]], change[order[: peak_row + 1]])
    step_start = runs.interval_start[runs.interval_step == step].min(
        initial=micros[order[peak_row]]
    )
    elapsed = int(micros[order[peak_row]]) - int(step_start)
    return _Peak(step, int(running[peak_row]), max(elapsed, 0), node_bytes, recorded)


def _recorded_changes(
    queries: NodeQueries, device: int, step: int, rows: BoolArray
) -> tuple[Array, Array, Array]:
    """Node, time and size of the allocations in `rows`; persistent memory precedes them."""
    runs = queries.executions
    kept = (runs.memory_step == step) & (runs.device[runs.memory_node] == device)
    fixed = runs.accelerator_persistent_bytes[kept]
    return (
        np.concatenate([runs.memory_node[kept], runs.allocation_node[rows]]),
        np.concatenate([np.zeros(len(fixed), np.int64), runs.allocation_micros[rows]]),
        np.concatenate([fixed, runs.allocation_bytes[rows]]),
    )


def _estimated_changes(
    queries: NodeQueries, device: int, step: int, lifetimes: _Lifetimes
) -> tuple[Array, Array, Array]:
    """The same without allocation records, from the peak and residual memory of each execution.

    An execution holds its peak until it ends, and its residual memory until its last consumer ends.
    Persistent memory stays until the end of the step.
    """
    runs = queries.executions
    rows = (runs.memory_step == step) & (runs.device[runs.memory_node] == device)
    node, ends, left = runs.memory_node[rows], runs.memory_micros[rows], runs.residual_bytes[rows]
    start, release = lifetimes
    fixed = runs.accelerator_persistent_bytes[rows] + runs.host_persistent_bytes[rows]
    peak = np.maximum(runs.peak_bytes[rows], left)
    begins = np.minimum(start[node], ends)
    return (
        np.concatenate([node, node, node]),
        np.concatenate([begins, ends, np.maximum(release[node], ends)]),
        np.concatenate([peak, left - peak, fixed - left]),
    )


def _lifetimes(queries: NodeQueries, step: int) -> _Lifetimes:
    """When each node starts in a step, and when its outputs are used for the last time."""
    runs, count = queries.executions, len(queries.profile.nodes)
    spans = runs.execution_step == step
    start, end = np.zeros(count, np.int64), np.zeros(count, np.int64)
    start[runs.execution_node[spans]] = runs.execution_start[spans]
    end[runs.execution_node[spans]] = runs.execution_end[spans]
    rows = runs.memory_step == step
    output, left = np.zeros(count, np.int64), np.zeros(count, np.int64)
    np.add.at(output, runs.memory_node[rows], runs.output_bytes[rows])
    np.add.at(left, runs.memory_node[rows], runs.residual_bytes[rows])
    # A node that outputs memory it did not allocate forwards an input, which lives as long.
    forwards = (output > 0) & (left == 0)
    consumer, producer = queries.profile.edges.consumer, producers(queries.profile)
    known = producer >= 0
    consumer, producer = consumer[known], producer[known]
    release = end.copy()
    for _ in range(_FORWARDS):
        before = release.copy()
        uses = np.where(forwards[consumer], release[consumer], end[consumer])
        np.maximum.at(release, producer, uses)
        if np.array_equal(before, release):
            break
    return start, release


CHECKER = Checker(
    _NAME,
    "which nodes hold memory at its peak",
    check,
    requires=(MEMORY,),
    settings={
        "min_bytes": Setting(1_000_000, "report nothing if the peak is lower"),
        "top": Setting(5, "nodes to show"),
    },
)
