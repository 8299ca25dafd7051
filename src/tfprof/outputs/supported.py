"""Which outputs a view or a selection cannot have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.definitions.metrics import known_metrics

if TYPE_CHECKING:
    from tfprof.reports.report import Report

_NO_TIMELINE = "op view doesn't support timeline yet. Consider graph/scope/code view."
_ONLY_CODE = "Only 'code' view supports pprof output now."
_ONLY_ONE = "Can only select 1 attribute for pprof output."


def why_unsupported(report: Report, output: str) -> str:
    """Why a report cannot have an output, in compat in the original's words; empty if it can."""
    notes = report.quirks.unsupported_is_a_message
    if output == "timeline" and report.kind == "op":
        return _NO_TIMELINE if notes else "a timeline shows scope, graph or code view, not op view"
    if output != "pprof":
        return ""
    select = sorted(set(report.options.select))
    if notes and report.kind != "code":
        return _ONLY_CODE
    if notes and len(select) != 1:
        return _ONLY_ONE
    if report.kind not in ("code", "scope"):
        return f"pprof shows code or scope view, not {report.kind} view"
    if not select:
        return "pprof needs something selected"
    for name in select:
        metric = known_metrics(report.quirks).get(name)
        if metric is None or not metric.measure:
            return f"pprof doesn't support -select={name}"
    return ""
