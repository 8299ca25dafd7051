"""MemoryPeak: what is held when a step needs the most memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from tfprof.advisor.checker import Checker, Setting, Settings
from tfprof.advisor.finding import Finding, Saving
from tfprof.advisor.node_queries import (
    Facts,
    share,
    size,
    time,
)
from tfprof.advisor.requirement import MEMORY
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.views.graph import producers

__all__ = ["CHECKER"]

_NAME = "MemoryPeak"
_Lives = tuple[Array, Array]
_FORWARDS = 20
"""How many ops in a row may pass on the same memory."""


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """A finding per device: its peak over all steps, and the nodes that hold the most then."""
    facts = Facts(profile, settings.quirks)
    lives = cache(partial(_lifetimes, facts))
    for at in sorted(set(facts.runs.device.tolist()) - {-1}, key=profile.devices.__getitem__):
        peaks = [_peak(facts, at, step, lives) for step in range(len(profile.steps))]
        peak = max(peaks, key=lambda peak: peak.bytes)
        if peak.bytes < settings["min_bytes"] or not peak.bytes:
            continue
        everyone = np.ones(len(profile.nodes), bool)
        holders = facts.largest(peak.held, everyone, settings.top)
        rows = tuple(
            facts.row(
                node,
                holds=size(int(peak.held[node])),
                share=share(int(peak.held[node]) / peak.bytes),
            )
            for node in holders
        )
        how = "" if peak.recorded else ", as estimated from when outputs are last used"
        message = (
            f"{profile.devices[at]}: memory peaks at {size(peak.bytes)} in step "
            f"{profile.steps[peak.step]}, {time(peak.micros)} after its start{how}; "
            f"the {len(rows)} largest holders"
        )
        yield Finding(_NAME, "info", message, rows, Saving(size(peak.bytes), "at the peak"))


@dataclass(frozen=True, slots=True)
class _Peak:
    """The most memory of a device in a step, and what each node holds of it."""

    step: int
    bytes: int
    micros: int
    held: Array
    recorded: bool


def _peak(facts: Facts, device: int, step: int, lives: Callable[[int], _Lives]) -> _Peak:
    runs = facts.runs
    recorded = (runs.allocation_step == step) & (runs.device[runs.allocation_node] == device)
    if recorded.any():
        node, micros, change = _recorded(facts, device, step)
    else:
        node, micros, change = _estimated(facts, device, step, lives(step))
    count = len(facts.profile.nodes)
    if not len(node):
        return _Peak(step, 0, 0, np.zeros(count, np.int64), False)
    # What is freed at a moment makes room for what is allocated then.
    order = np.lexsort((change, micros))
    running = np.cumsum(change[order])
    most = int(np.argmax(running))
    held = np.zeros(count, np.int64)
    np.add.at(held, node[order[: most + 1]], change[order[: most + 1]])
    began = runs.interval_start[runs.interval_step == step].min(initial=micros[order[most]])
    when = int(micros[order[most]]) - int(began)
    return _Peak(step, int(running[most]), max(when, 0), held, bool(recorded.any()))


def _recorded(facts: Facts, device: int, step: int) -> tuple[Array, Array, Array]:
    """Node, time and size of every allocation; what is persistent is there from the start."""
    runs = facts.runs
    rows = (runs.allocation_step == step) & (runs.device[runs.allocation_node] == device)
    kept = (runs.memory_step == step) & (runs.device[runs.memory_node] == device)
    fixed = runs.accelerator_persistent_bytes[kept]
    return (
        np.concatenate([runs.memory_node[kept], runs.allocation_node[rows]]),
        np.concatenate([np.zeros(len(fixed), np.int64), runs.allocation_micros[rows]]),
        np.concatenate([fixed, runs.allocation_bytes[rows]]),
    )


def _estimated(facts: Facts, device: int, step: int, lives: _Lives) -> tuple[Array, Array, Array]:
    """The same without a record of allocations: from what each run took and what it left behind.

    A run holds its peak while it lasts, and what it leaves until its last consumer ends. What is
    persistent stays until the end of the step.
    """
    runs = facts.runs
    rows = (runs.memory_step == step) & (runs.device[runs.memory_node] == device)
    node, ends, left = runs.memory_node[rows], runs.memory_micros[rows], runs.residual_bytes[rows]
    start, release = lives
    fixed = runs.accelerator_persistent_bytes[rows] + runs.host_persistent_bytes[rows]
    peak = np.maximum(runs.peak_bytes[rows], left)
    begins = np.minimum(start[node], ends)
    return (
        np.concatenate([node, node, node]),
        np.concatenate([begins, ends, np.maximum(release[node], ends)]),
        np.concatenate([peak, left - peak, fixed - left]),
    )


def _lifetimes(facts: Facts, step: int) -> _Lives:
    """When each node starts in a step, and when its outputs are used for the last time."""
    runs, count = facts.runs, len(facts.profile.nodes)
    spans = runs.execution_step == step
    start, end = np.zeros(count, np.int64), np.zeros(count, np.int64)
    start[runs.execution_node[spans]] = runs.execution_start[spans]
    end[runs.execution_node[spans]] = runs.execution_end[spans]
    rows = runs.memory_step == step
    made, left = np.zeros(count, np.int64), np.zeros(count, np.int64)
    np.add.at(made, runs.memory_node[rows], runs.output_bytes[rows])
    np.add.at(left, runs.memory_node[rows], runs.residual_bytes[rows])
    # A node that outputs what it did not allocate passes an input on, which lives as long.
    forwards = (made > 0) & (left == 0)
    consumer, producer = facts.profile.edges.consumer, producers(facts.profile)
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
    "what is held when memory peaks",
    check,
    needs=(MEMORY,),
    settings={
        "min_bytes": Setting(1_000_000, "silent if the peak is lower"),
        "top": Setting(5, "holders to show"),
    },
)
