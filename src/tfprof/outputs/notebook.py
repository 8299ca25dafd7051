"""A report in a notebook: rows that can be collapsed, and data frames."""

from __future__ import annotations

from html import escape
from typing import Any

import pyarrow as pa

from tfprof.definitions.data_frames import import_pandas
from tfprof.definitions.metrics import Metric
from tfprof.errors import OutputError
from tfprof.flops.flop_columns import format_count
from tfprof.outputs.flame import display_tree
from tfprof.outputs.row_table import row_table
from tfprof.outputs.text import column_title
from tfprof.outputs.tree_rows import shown_metrics
from tfprof.reports.report import Report

_MAX_ROWS = 2000
_OPEN_DEPTH = 2
_STYLE = (
    "<style>.tfprof{font-family:monospace;font-size:13px}"
    ".tfprof summary,.tfprof .row{display:flex;gap:1.5em;padding:1px 4px;cursor:default}"
    ".tfprof summary:hover,.tfprof .row:hover{background:rgba(128,128,128,.15)}"
    ".tfprof summary::before{content:'▸';width:1em}"
    ".tfprof details[open]>summary::before{content:'▾'}"
    ".tfprof .row::before{content:'';width:1em}"
    ".tfprof details>div,.tfprof details>details{margin-left:1em}"
    ".tfprof .name{flex:1;white-space:pre;overflow:hidden;text-overflow:ellipsis}"
    ".tfprof .number{text-align:right;min-width:11em}</style>"
)


def to_html(report: Report, first: int = 0) -> str:
    """The first rows below a row of a report as HTML, each with its children to expand."""
    metrics = [metric for metric in shown_metrics(report) if metric.measure]
    tree = display_tree(report)
    end = int(tree.end[first])
    depths = (tree.depth - tree.depth[first]).tolist()
    last = min(end, first + _MAX_ROWS)
    titles = "".join(
        f'<span class="number">{escape(column_title(report, metric))}</span>' for metric in metrics
    )
    parts = [
        f'{_STYLE}<div class="tfprof"><div class="row">',
        f'<b class="name">{report.kind}: node name</b>{titles}</div>',
    ]
    unclosed = 0
    for row in range(first, last):
        parts.append("</details>" * (unclosed - depths[row]))
        unclosed = min(unclosed, depths[row])
        text = _row(report, row, metrics)
        if row + 1 < last and depths[row + 1] > depths[row]:
            opened = " open" if depths[row] < _OPEN_DEPTH else ""
            parts.append(f"<details{opened}><summary>{text}</summary>")
            unclosed += 1
        else:
            parts.append(f'<div class="row">{text}</div>')
    parts.append("</details>" * unclosed)
    if last < end:
        parts.append(f'<div class="row">… and {end - last} more rows</div>')
    messages = "".join(f"<div>{escape(message)}</div>" for message in report.messages)
    return "".join([*parts, messages, "</div>"])


def _row(report: Report, row: int, metrics: list[Metric]) -> str:
    cells = [f'<span class="name">{escape(report.names[row])}</span>']
    for metric in metrics:
        measure = metric.measure
        own = "--"
        if report.matched[row]:
            own = format_count(report.own.number(row, measure), metric.unit)
        total = format_count(report.total.number(row, measure), metric.unit)
        cells.append(f'<span class="number">{own}/{total}</span>')
    return "".join(cells)


def to_pandas(report: Report, first: int = 0) -> Any:
    """A row and those below it as a pandas DataFrame, by default all rows."""
    import_pandas()  # Arrow needs it and says so less plainly
    count = int(display_tree(report).end[first]) - first
    return row_table(report).slice(first, count).to_pandas()


def to_polars(report: Report) -> Any:
    """The rows as a polars DataFrame."""
    return table_to_polars(row_table(report))


def table_to_polars(table: pa.Table) -> Any:
    """A table as a polars DataFrame."""
    try:
        import polars
    except ImportError:
        raise OutputError("polars is not installed; pip install polars") from None
    return polars.from_arrow(table)
