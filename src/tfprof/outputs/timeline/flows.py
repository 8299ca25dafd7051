"""The flows of a graph timeline: arrows from an interval of a producer to one of its consumer."""

from __future__ import annotations

import numpy as np

from tfprof.outputs.node_labels import device_ranks
from tfprof.outputs.timeline.trace_layout import TraceLayout, drawable_nodes
from tfprof.profiles.executions import executions_of
from tfprof.profiles.grouping import group_offsets
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report
from tfprof.views.graph import producers

FLOWS = ("cross", "all", "none")
"""Which flows are drawn: those between devices, all of them, or none."""


def latest_flows(report: Report, layout: TraceLayout, flows: str) -> tuple[Array, Array]:
    """From the latest interval of each input before a consumer's start to that consumer."""
    scheduled = np.flatnonzero(~layout.accelerator)
    if flows == "none" or not len(scheduled):
        return scheduled[:0], scheduled[:0]
    starts = np.sort(layout.start)
    code = np.searchsorted(starts, layout.start)
    key = layout.node * len(starts) + code
    source = scheduled[np.argsort(key[scheduled], kind="stable")]
    target, producer = _pair_with_inputs(report, layout, scheduled)
    pair = np.unique(target * len(report.profile.nodes) + producer)
    target, producer = np.divmod(pair, len(report.profile.nodes))
    limit = producer * len(starts) + code[target]
    index = np.searchsorted(key[source], limit, side="right") - 1
    source = source[index]
    mask = (index >= 0) & (layout.node[source] == producer) & (source != target)
    if flows == "cross":
        mask &= layout.device[source] != layout.device[target]
    return source[mask], target[mask]


def all_flows(report: Report, layout: TraceLayout) -> tuple[Array, Array]:
    """From every interval of a producer on another device to every interval of its consumer.

    A producer's interval is looked up by device and start alone. If another node has the same, the
    arrow begins there, as in the original.
    """
    scheduled = np.flatnonzero(~layout.accelerator)
    if not np.diff(layout.device[scheduled]).any():  # there is only one device
        return scheduled[:0], scheduled[:0]
    target, producer = _pair_with_inputs(report, layout, scheduled)
    executions = executions_of(report.profile, report.quirks)
    rank = device_ranks(report.profile)
    step = report.profile.steps.index(report.options.step)
    rows = np.flatnonzero((executions.interval_step == step) & ~executions.interval_accelerator)
    nodes, devices = executions.interval_node, executions.interval_device
    rows = rows[np.lexsort((rank[devices[rows]], nodes[rows]))]
    first = group_offsets(nodes[rows], len(report.profile.nodes))
    group, index = _expand(first, producer)
    target, source_row = target[group], rows[index]
    device = np.array(layout.devices, np.int64)[layout.device]
    crossing = device[target] != devices[source_row]
    target, source_row = target[crossing], source_row[crossing]
    start = executions.interval_start[source_row]
    source = _find_intervals(layout, rank[device], rank[devices[source_row]], start)
    return source[source >= 0], target[source >= 0]


def _find_intervals(layout: TraceLayout, ranks: Array, rank: Array, start: Array) -> Array:
    """The interval that starts at a time on the device of a rank; -1 where none does."""
    interval = np.full(len(start), -1, np.int64)
    for device in np.flatnonzero(np.bincount(rank, minlength=1)).tolist():
        rows = np.flatnonzero(rank == device)
        first, last = np.searchsorted(ranks, [device, device + 1]).tolist()
        index = first + np.searchsorted(layout.start[first:last], start[rows])
        mask = index < last
        mask[mask] = layout.start[index[mask]] == start[rows[mask]]
        interval[rows[mask]] = index[mask]
    return interval


def _pair_with_inputs(report: Report, layout: TraceLayout, scheduled: Array) -> tuple[Array, Array]:
    """Intervals, each paired with each input of its node that counts and ran in the step."""
    profile = report.profile
    count = len(profile.nodes)
    counts = np.zeros(count, bool)
    counts[report.view.node[1:]] = True
    counts &= drawable_nodes(report, executions_of(profile, report.quirks))
    counts &= report.match_count > 0
    producer = producers(profile)
    edges = np.flatnonzero((producer >= 0) & counts[producer])
    first = group_offsets(profile.edges.consumer[edges], count)
    group, index = _expand(first, layout.node[scheduled])
    return scheduled[group], producer[edges[index]]


def _expand(offsets: Array, groups: Array) -> tuple[Array, Array]:
    """All elements of some groups, and the index of each one's group; groups begin at offsets."""
    first = offsets[groups]
    lengths = offsets[groups + 1] - first
    group = np.repeat(np.arange(len(groups)), lengths)
    before = np.cumsum(lengths) - lengths
    return group, np.arange(len(group)) - np.repeat(before - first, lengths)
