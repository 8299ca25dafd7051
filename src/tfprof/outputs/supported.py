"""Which outputs a view or a selection cannot have, and what is said then."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tfprof.definitions.metrics import known_metrics
from tfprof.errors import OptionError

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["refusal", "refused"]

_NO_TIMELINE = "op view doesn't support timeline yet. Consider graph/scope/code view."
_ONLY_CODE = "Only 'code' view supports pprof output now."
_ONLY_ONE = "Can only select 1 attribute for pprof output."


def refused(report: Report, output: str) -> bool:
    """Whether an output is refused: with a note like the original's, or else with an error."""
    reason = refusal(report, output)
    if reason and not report.quirks.unsupported_is_a_message:
        raise OptionError(f"option 'output': {reason}")
    if reason:
        sys.stderr.write(f"{reason}\n")
    return bool(reason)


def refusal(report: Report, output: str) -> str:
    """Why a report cannot be written so, or nothing."""
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
