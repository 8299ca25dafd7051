"""A report on a terminal: a table that fits, without columns of zeros, with heat and bars.

Files and pipes get the text of `tfprof.outputs.text` instead.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from tfprof.definitions.metrics import Metric
from tfprof.flops.flop_columns import has_symbols
from tfprof.outputs.encoding.row_encoder import cell_texts
from tfprof.outputs.node_labels import op_input_lines
from tfprof.outputs.op_rows import op_cells
from tfprof.outputs.terminal_table import Column, table_lines
from tfprof.outputs.text import column_title, legend_text
from tfprof.outputs.tree_rows import has_shapes, metric_cell, shape_cell, shown_metrics
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report
from tfprof.runtime.printable import one_line
from tfprof.runtime.terminal import (
    Line,
    Span,
    Terminal,
    bar,
    cell_width,
    heat,
    shorten_code,
    shorten_indented,
    shorten_middle,
    shorten_name,
)

_BAR = 10
_NAME_AMPLE, _NAME_LEAST = 40, 24
_LABEL_AMPLE, _LABEL_LEAST = 24, 12
_FIRST_SHARE = re.compile(r"\([^,]*, ")
"""The share of a row and all that follow it, which op view gives before that of the row alone."""


def report_lines(
    report: Report, terminal: Terminal, *, legend: bool | None = None
) -> Iterator[Line]:
    """The lines of a report for a terminal."""
    if legend:
        yield from ([Span(line)] for line in legend_text(report).split("\n")[:-1])
    rows = _rows(report)
    metrics = _without_zeros(report, rows)
    columns = [_name_column(report, rows)]
    for metric in metrics:
        if report.kind != "op" and has_shapes(report, metric):
            columns += _text_columns("shape", cell_texts(shape_cell(report), len(report)))
        columns += _metric_columns(report, metric, rows)
    if terminal.bars:
        columns += _share_columns(report, metrics, rows)
    yield from table_lines(columns, rows.tolist(), terminal.width, below=_below(report))
    yield from ([Span(line)] for line in textwrap.wrap(report.footer, terminal.width))


def _rows(report: Report) -> Array:
    """The rows that are shown; the root of op view is, if there is nothing else in the view."""
    first = 1 if report.kind == "op" and len(report.view.tree) > 1 else 0
    return np.arange(first, len(report))


def _without_zeros(report: Report, rows: Array) -> list[Metric]:
    """The metrics that are not zero in all rows; the first if all are."""
    shown = shown_metrics(report)
    filled = [
        metric
        for metric in shown
        if not metric.measure
        or (report.own[rows, metric.measure] != 0).any()
        or (report.total[rows, metric.measure] != 0).any()
    ]
    return filled or shown[:1]


def _name_column(report: Report, rows: Array) -> Column:
    names = list(map(one_line, report.names))
    depth = np.zeros(len(report), np.int64) if report.kind == "op" else report.tree.depth - 1
    widths = np.fromiter(map(cell_width, names), np.int64, len(names)) + 2 * depth
    shorten = shorten_code if report.kind == "code" else shorten_name

    def cell(row: int) -> Span:
        return Span("  " * int(depth[row]) + names[row])

    return Column(
        "node name",
        int(widths[rows].max(initial=0)),
        cell,
        shorten=partial(shorten_indented, shorten),
        ample=_NAME_AMPLE,
        least=_NAME_LEAST,
    )


def _metric_columns(report: Report, metric: Metric, rows: Array) -> list[Column]:
    title = column_title(report, metric)
    if report.kind != "op":
        texts = cell_texts(metric_cell(report, metric, suffix=False), len(report))
    else:
        texts = [""] * (len(report) - len(rows))
        texts += [text or "" for text in op_cells(report, metric, rows)]
    if not metric.measure:
        return _text_columns(title, texts, whole=bool(metric.counts))
    column = _number_column(report, metric, texts)
    if report.kind == "op":
        texts = [_FIRST_SHARE.sub("(", text) for text in texts]
        column = replace(column, compact=_number_column(report, metric, texts))
    return [column]


def _number_column(report: Report, metric: Metric, texts: Sequence[str]) -> Column:
    shares = _shares(report, metric)

    def cell(row: int) -> Span:
        return Span(texts[row], heat(shares[row]))

    title = column_title(report, metric)
    return Column(title, max(map(len, texts), default=0), cell, right=True)


def _text_columns(title: str, texts: Sequence[str], *, whole: bool = False) -> list[Column]:
    """A column of labels, or none if all are empty; `whole` ones are never shortened."""
    labels = list(map(one_line, texts))
    width = max(map(cell_width, labels), default=0)
    if not width:
        return []
    return [
        Column(
            title,
            width,
            lambda row: Span(labels[row]),
            right=whole,
            shorten=None if whole else shorten_middle,
            ample=_LABEL_AMPLE,
            least=_LABEL_LEAST,
        )
    ]


def _shares(report: Report, metric: Metric) -> Array:
    """The share of each row in the total: inclusive, in op view its own; 0 with symbols."""
    values = (report.own if report.kind == "op" else report.total)[:, metric.measure]
    if has_symbols(report.total[:, metric.measure]):
        return np.zeros(len(report))
    total = int(report.total[0, metric.measure])
    shares: Array = values.astype(float) / total if total > 0 else np.zeros(len(report))
    return shares


def _share_columns(report: Report, metrics: Sequence[Metric], rows: Array) -> list[Column]:
    """The shares of the metric that rows are sorted by, or of the first one, and their bars."""
    numbers = {metric.name: metric for metric in metrics if metric.measure}
    if not numbers or len(rows) < 2:
        return []
    metric = numbers.get(report.options.order_by, next(iter(numbers.values())))
    shares = _shares(report, metric)
    if not shares[rows].any():
        return []

    def share_cell(row: int) -> Span:
        return Span(f"{shares[row]:.1%}", heat(shares[row]))

    def bar_cell(row: int) -> Span:
        return Span(bar(shares[row], _BAR), "bar")

    columns = [Column("", _BAR, bar_cell, optional=True)]
    if report.kind != "op":
        width = len(f"{shares[rows].max():.1%}")
        columns.insert(0, Column("share", width, share_cell, right=True, optional=True))
    return columns


def _below(report: Report) -> Callable[[int], Iterable[str]] | None:
    """What follows a row on lines of its own: input shapes in op view, values of tensors."""
    selected = report.options.select
    if report.kind == "op" and "input_shapes" in selected:
        return lambda row: ["", *op_input_lines(report, row), ""]
    if "tensor_value" in selected:
        from tfprof.outputs.tensor_value import tensor_texts

        values = tensor_texts(report)
        if values is not None:
            return lambda row: values[row].as_py().splitlines()
    return None
