"""What stands before the rows of a text report: options, legend and column titles."""

from __future__ import annotations

from tfprof.definitions.metrics import Metric, columns, legend
from tfprof.definitions.options import Options, format_options
from tfprof.reports.report import Report

_VIEW_LEGENDS = {
    "scope": "scope: The nodes in the model graph are organized by their names, which is "
    "hierarchical like filesystem.",
    "graph": "graph: The nodes in the model graph are organized by their operation input and "
    "output.",
    "code": "code: When python trace is available, the nodes are python lines and their are "
    "organized by the python call stack.",
    "op": "op: The nodes are operation kernel type, such as MatMul, Conv2D. Graph nodes belonging "
    "to the same type are aggregated together.",
}
_MISSING_STREAM = (
    "\n\nFound accelerator operation but misses accelerator stream stats!\n\n"
    "It's likely a gpu tracing issue rather than tf-profiler issue.\n"
    "If you found your operation missing accelerator time, consider to post to "
    "discuss@tensorflow.org!\n\n"
)


def options_block(options: Options, *, extensions: bool = True) -> str:
    """The options, a line each, or only those that the original has."""
    lines = format_options(options, extensions=extensions)
    return "".join(f"{name:<28}{value}\n" for name, value in lines)


def legend_text(report: Report) -> str:
    """A warning if there is one, and what the view and its columns mean."""
    profile, quirks = report.profile, report.quirks
    missing = profile.missing_stream or (
        profile.saved_missing_stream and not quirks.warning_lost_on_load
    )
    kind = report.kind
    if kind == "graph" and quirks.graph_legend_says_scope:
        kind = "scope"
    lines = "\n".join(legend(report.options.select, quirks))
    warning = _MISSING_STREAM if missing else ""
    return f"{warning}\nDoc:\n{_VIEW_LEGENDS[kind]}\n{lines}\n\nProfile:\n"


def shown_metrics(report: Report) -> list[Metric]:
    """The metrics of a report in the order of their columns."""
    return columns(report.options.select, report.kind, report.quirks)


def header(report: Report) -> str:
    """The line of column titles."""
    in_list = report.kind in ("op", "code")
    titles = [
        metric.op_title if in_list and metric.op_title else metric.title
        for metric in shown_metrics(report)
    ]
    return f"node name | {' | '.join(titles)}\n"
