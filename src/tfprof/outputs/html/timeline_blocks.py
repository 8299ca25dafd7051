"""What ran when on which device, as the timeline draws it, and when devices were idle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tfprof.definitions.options import ALL_LEVELS
from tfprof.outputs.html.blocks import Blocks
from tfprof.outputs.timeline.trace_layout import TraceLayout, lay_out_trace
from tfprof.profiles.grouping import group_offsets
from tfprof.profiles.schema import Array
from tfprof.reports.make_report import make_report
from tfprof.reports.report import Report
from tfprof.reports.time_window import step_start

_GAPS = 20
"""How many idle times are listed for each device."""


def add_timeline(blocks: Blocks, report: Report, step: int) -> dict[str, Any]:
    """The blocks of one step: its intervals, sorted by device and start, from its first start."""
    profile = report.profile.source or report.profile
    options = replace(
        type(report.options)(),
        step=step,
        order_by="depth",
        max_depth=ALL_LEVELS,
        select=("micros",),
    )
    graph = make_report(profile, "graph", options, report.quirks)
    layout = lay_out_trace(graph)
    first = step_start(graph.profile, step, report.quirks)
    end = int((layout.start + layout.duration).max()) if len(layout) else 0
    rows = np.split(
        np.argsort(layout.device, kind="stable"),
        group_offsets(layout.device, len(layout.devices))[1:-1],
    )
    devices = [
        _describe_device(layout, rows_of_device, report.profile.devices[device], first, end)
        for device, rows_of_device in zip(layout.devices, rows, strict=False)
    ]
    return {
        "micros": end - first,
        "start": str(first),
        "devices": devices,
        "node": blocks.add_integers(layout.node),
        "device": blocks.add_integers(layout.device),
        "lane": blocks.add_integers(layout.lane),
        "time": blocks.add_integers(layout.start - first, delta=True),
        "duration": blocks.add_integers(layout.duration),
    }


def _describe_device(
    layout: TraceLayout, rows: Array, name: str, first: int, end: int
) -> dict[str, Any]:
    """A device's lanes, busy and summed time, and its longest idle times in a step."""
    start, stop = layout.start[rows], layout.start[rows] + layout.duration[rows]
    latest = np.maximum.accumulate(stop)
    before = np.concatenate([[first], latest])
    idle = np.concatenate([start, [end]]) - before
    longest = np.argsort(-idle, kind="stable")[:_GAPS]
    return {
        "name": name,
        "lanes": int(layout.lane[rows].max(initial=-1)) + 1,
        "summed": int(layout.duration[rows].sum()),
        "busy": end - first - int(np.maximum(idle, 0).sum()),
        "idle": [
            {
                "start": int(before[i]) - first,
                "micros": int(idle[i]),
                "before": _last_to_end(layout.node[rows], stop, int(before[i])),
                "after": int(layout.node[rows[i]]) if i < len(rows) else -1,
            }
            for i in longest.tolist()
            if idle[i] > 0
        ],
    }


def _last_to_end(node: Array, stop: Array, time: int) -> int:
    """A node that ends at a time; -1 if none does."""
    ends = np.flatnonzero(stop == time)
    return int(node[ends[0]]) if len(ends) else -1
