"""A report as text: legend, header line, rows and footer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.definitions.metrics import LIST_VIEWS, OPERATIONS, Metric
from tfprof.definitions.metrics import legend as metric_legends
from tfprof.definitions.options import format_options
from tfprof.flops.node_flops import node_flops
from tfprof.outputs.document import Document, Rendering, RenderSettings
from tfprof.outputs.op_rows import encode_op_rows
from tfprof.outputs.tree_rows import encode_tree_rows, shown_metrics
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


def render(report: Report, settings: RenderSettings) -> Rendering:
    """Render the text, for standard output if no file is named."""
    path = settings.keys.get("outfile")
    if path is not None:
        yield Document(text_chunks(report, legend=settings.legend), path)
    elif settings.banners:
        yield Document(with_banners(report, one_line=settings.one_line))
    else:
        yield Document(text_chunks(report, legend=settings.legend, one_line=settings.one_line))


def text_bytes(report: Report, *, legend: bool | None = None, one_line: bool = False) -> bytes:
    """The text of a report in UTF-8."""
    return b"".join(text_chunks(report, legend=legend, one_line=one_line))


def text_chunks(
    report: Report, *, legend: bool | None = None, one_line: bool = False
) -> Iterator[bytes | memoryview]:
    """The same bytes, some rows at a time."""
    if not report.shown:
        return
    if report.quirks.legend_always if legend is None else legend:
        yield legend_text(report).encode()
    if report.kind == "op" and len(report.view.tree) == 1:
        yield encode_op_rows(report, np.zeros(1, np.int64), with_shapes=False, one_line=one_line)
        return
    yield _header(report).encode()
    if report.kind == "op":
        yield encode_op_rows(report, np.arange(1, len(report)), one_line=one_line)
    else:
        yield from encode_tree_rows(report, one_line=one_line)
    if report.footer:
        yield f"{report.footer}\n".encode()


def with_banners(report: Report, *, one_line: bool) -> Iterator[bytes | memoryview]:
    """The text as the original's Python functions print it: options, report, end."""
    yield b"\n=========================Options=============================\n"
    yield _options_block(report).encode()
    yield b"\n==================Model Analysis Report======================\n"
    yield from text_chunks(report, legend=True, one_line=one_line)
    yield b"\n======================End of Report==========================\n"


def _options_block(report: Report) -> str:
    """The options, a line each; in compat only those that the original has."""
    lines = format_options(report.options, extensions=not report.quirks.original_options_only)
    return "".join(f"{name:<28}{value}\n" for name, value in lines)


def legend_text(report: Report) -> str:
    """A warning if there is one, and what the view and its columns mean."""
    kind, quirks = report.kind, report.quirks
    if kind == "graph" and quirks.graph_legend_says_scope:
        kind = "scope"
    lines = "\n".join(metric_legends(report.options.select, quirks))
    warning = _MISSING_STREAM if report.profile.misses_stream(quirks) else ""
    return f"{warning}\nDoc:\n{_VIEW_LEGENDS[kind]}\n{lines}\n\nProfile:\n"


def _header(report: Report) -> str:
    """The line of column titles."""
    titles = [column_title(report, metric) for metric in shown_metrics(report)]
    return f"node name | {' | '.join(titles)}\n"


def column_title(report: Report, metric: Metric) -> str:
    """The title of a metric's column; that of float operations says if they are not of a run."""
    in_list = report.kind in LIST_VIEWS
    title = metric.op_title if in_list and metric.op_title else metric.title
    if metric.measure not in OPERATIONS:
        return title
    per = node_flops(report.profile, report.quirks).per()
    return f"{title} ({per})" if per else title
