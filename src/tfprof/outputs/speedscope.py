"""speedscope's file format: one profile of open and close events for each selected metric."""

from __future__ import annotations

import json
from typing import Any

from tfprof import __version__
from tfprof.definitions.metrics import Metric
from tfprof.outputs.document import Document, Rendering, RenderSettings
from tfprof.outputs.flame import display_tree, inclusive_values, selected_metrics
from tfprof.outputs.node_labels import row_frames
from tfprof.outputs.timeline.tree_trace_events import lay_out_rows
from tfprof.reports.report import Report

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_UNITS = {"time": "microseconds", "memory": "bytes", "number": "none"}


def render(report: Report, settings: RenderSettings) -> Rendering:
    """Render the selected metrics of a report; without the rows that have none of it."""
    metrics = selected_metrics(report, "speedscope")
    content = {
        "$schema": _SCHEMA,
        "exporter": f"tfprof {__version__}",
        "name": f"{report.kind} view",
        "activeProfileIndex": 0,
        "shared": {"frames": _frames(report)},
        "profiles": [_profile(report, metric) for metric in metrics],
    }
    data = json.dumps(content, separators=(",", ":")).encode()
    yield Document([data], settings.keys["outfile"])


def _frames(report: Report) -> list[dict[str, Any]]:
    frames = row_frames(report, "speedscope")
    return [
        {"name": name, "file": frame.file, "line": frame.line} if frame else {"name": name}
        for name, frame in zip(report.names, frames, strict=True)
    ]


def _profile(report: Report, metric: Metric) -> dict[str, Any]:
    tree = display_tree(report)
    rows, start, width = lay_out_rows(tree, inclusive_values(report, metric))
    return {
        "type": "evented",
        "name": metric.title,
        "unit": _UNITS[metric.unit],
        "startValue": 0,
        "endValue": int(width[0]),
        "events": _events(tree.depth[rows].tolist(), rows.tolist(), start, width),
    }


def _events(depth: list[int], rows: list[int], start: Any, width: Any) -> list[dict[str, Any]]:
    """Each row opens at its start, and closes before the next of its depth or less opens."""
    events: list[dict[str, Any]] = []
    stack: list[tuple[int, int, int]] = []
    for level, row, begin, size in zip(depth, rows, start.tolist(), width.tolist(), strict=True):
        while stack and stack[-1][0] >= level:
            _, inner, end = stack.pop()
            events.append({"type": "C", "frame": inner, "at": end})
        events.append({"type": "O", "frame": row, "at": begin})
        stack.append((level, row, begin + size))
    for _, inner, end in reversed(stack):
        events.append({"type": "C", "frame": inner, "at": end})
    return events
