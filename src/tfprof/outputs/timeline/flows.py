"""The arrows of a graph timeline: from a run of a producer to a run of its consumer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tfprof.outputs.timeline.graph import TraceLayout, device_ranks, trackable
from tfprof.profiles.executions import executions_of
from tfprof.profiles.grouping import group_offsets
from tfprof.profiles.schema import Array
from tfprof.views.graph import producers

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["FLOWS", "all_pairs", "latest"]

FLOWS = ("cross", "all", "none")
"""Which arrows are drawn: between devices, between and within them, or none."""


def latest(report: Report, drawn: TraceLayout, flows: str) -> tuple[Array, Array]:
    """From each input's latest run before a consumer's start to that consumer."""
    scheduled = np.flatnonzero(~drawn.accelerator)
    if flows == "none" or not len(scheduled):
        return scheduled[:0], scheduled[:0]
    starts = np.sort(drawn.start)
    code = np.searchsorted(starts, drawn.start)
    key = drawn.node * len(starts) + code
    source = scheduled[np.argsort(key[scheduled], kind="stable")]
    target, producer = _with_inputs(report, drawn, scheduled)
    pair = np.unique(target * len(report.profile.nodes) + producer)
    target, producer = np.divmod(pair, len(report.profile.nodes))
    wanted = producer * len(starts) + code[target]
    at = np.searchsorted(key[source], wanted, side="right") - 1
    found = source[at]
    good = (at >= 0) & (drawn.node[found] == producer) & (found != target)
    if flows == "cross":
        good &= drawn.device[found] != drawn.device[target]
    return found[good], target[good]


def all_pairs(report: Report, drawn: TraceLayout) -> tuple[Array, Array]:
    """From every run of a producer on another device to every run of its consumer.

    A producer's run is looked up by device and start alone, so that another node that took its
    place is drawn instead, as the original does.
    """
    scheduled = np.flatnonzero(~drawn.accelerator)
    if not np.diff(drawn.device[scheduled]).any():  # there is but one device
        return scheduled[:0], scheduled[:0]
    target, producer = _with_inputs(report, drawn, scheduled)
    runs = executions_of(report.profile, report.quirks)
    rank = device_ranks(report)
    step = report.profile.steps.index(report.options.step)
    rows = np.flatnonzero((runs.interval_step == step) & ~runs.interval_accelerator)
    rows = rows[np.lexsort((rank[runs.interval_device[rows]], runs.interval_node[rows]))]
    first = group_offsets(runs.interval_node[rows], len(report.profile.nodes))
    which, at = _expanded(first, producer)
    target, run = target[which], rows[at]
    device = np.array(drawn.devices, np.int64)[drawn.device]
    crossing = device[target] != runs.interval_device[run]
    target, run = target[crossing], run[crossing]
    source = _drawn_at(
        drawn, rank[device], rank[runs.interval_device[run]], runs.interval_start[run]
    )
    return source[source >= 0], target[source >= 0]


def _drawn_at(drawn: TraceLayout, rank: Array, wanted: Array, start: Array) -> Array:
    """The interval of a device, given by its rank, that starts at a time; -1 where none does."""
    found = np.full(len(start), -1, np.int64)
    for device in np.flatnonzero(np.bincount(wanted, minlength=1)).tolist():
        rows = np.flatnonzero(wanted == device)
        first, last = np.searchsorted(rank, [device, device + 1]).tolist()
        at = first + np.searchsorted(drawn.start[first:last], start[rows])
        there = at < last
        there[there] = drawn.start[at[there]] == start[rows[there]]
        found[rows[there]] = at[there]
    return found


def _with_inputs(report: Report, drawn: TraceLayout, scheduled: Array) -> tuple[Array, Array]:
    """Each of these intervals with each input of its node that counts and ran in the step."""
    profile = report.profile
    count = len(profile.nodes)
    counts = np.zeros(count, bool)
    counts[report.view.node[1:]] = True
    counts &= (report.match_count > 0) & trackable(report, executions_of(profile, report.quirks))
    producer = producers(profile)
    edges = np.flatnonzero((producer >= 0) & counts[producer])
    first = group_offsets(profile.edges.consumer[edges], count)
    which, at = _expanded(first, drawn.node[scheduled])
    return scheduled[which], producer[edges[at]]


def _expanded(starts: Array, owners: Array) -> tuple[Array, Array]:
    """For each owner in turn its elements, from `starts[owner]` to `starts[owner + 1]`."""
    first = starts[owners]
    lengths = starts[owners + 1] - first
    which = np.repeat(np.arange(len(owners)), lengths)
    before = np.cumsum(lengths) - lengths
    return which, np.arange(len(which)) - np.repeat(before - first, lengths)
