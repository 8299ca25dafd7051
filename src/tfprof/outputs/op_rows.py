"""The rows of op view as text: each number with its shares of the total."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import Metric
from tfprof.flops.flop_columns import format_count
from tfprof.flops.polynomial import Count, Polynomial
from tfprof.outputs.node_labels import op_input_lines, row_devices, row_types
from tfprof.outputs.tree_rows import LINE_BREAKS, escape_line_breaks, shown_metrics
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report

_ESCAPES = str.maketrans(LINE_BREAKS)
_SETS = {"device": row_devices, "op_types": row_types}


def encode_op_rows(
    report: Report, rows: Array, *, with_shapes: bool = True, one_line: bool = False
) -> bytes:
    """The bytes of some rows."""
    lines: list[bytes] = []
    names = escape_line_breaks(report.name) if one_line else report.name
    names = names.cast(pa.binary()).to_pylist()
    metrics = shown_metrics(report)
    columns = [op_cells(report, metric, rows) for metric in metrics]
    for row, *cells in zip(rows.tolist(), *columns, strict=True):
        below = ""
        if with_shapes and "input_shapes" in report.options.select:
            below = "\n" + "\n".join(op_input_lines(report, row)) + "\n\n"
        padded = [_pad(metric, text) for metric, text in zip(metrics, cells, strict=True)]
        text = ", ".join(text for text in padded if text is not None)
        if one_line:
            text = text.translate(_ESCAPES)
        lines.append(names[row].ljust(25) + f"{text}\n{below}".encode())
    return b"".join(lines)


def op_cells(report: Report, metric: Metric, rows: Array) -> list[str | None]:
    """The cells of a metric in some rows; None where it has none, as input shapes come below."""
    if metric.measure:
        own, total = (numbers[rows, metric.measure] for numbers in (report.own, report.total))
        root = report.total.number(0, metric.measure)
        pairs = zip(own.tolist(), total.tolist(), strict=True)
        infinite = report.quirks.negative_durations
        return [_own_and_shares(metric, *pair, root, infinite=infinite) for pair in pairs]
    if metric.name == "occurrence":
        runs = report.own[rows, "run_count"].tolist()
        members = np.diff(report.members[1][rows])[:, 0].tolist()
        return [f"{run}|{count}" for run, count in zip(runs, members, strict=True)]
    if metric.name in _SETS:
        sets = _SETS[metric.name](report)
        return ["|".join(sorted(sets[row])) for row in rows.tolist()]
    return [None] * len(rows)


def _pad(metric: Metric, text: str | None) -> str | None:
    width = 30 if metric.measure else 10 if metric.name == "occurrence" else 0
    return text and text.rjust(width)


def _own_and_shares(metric: Metric, own: Any, total: Any, root: Any, *, infinite: bool) -> str:
    """`own (share of this and all rows that follow, own share)`."""
    text = format_count(own, metric.unit) + metric.op_suffix
    if isinstance(root, Polynomial):
        return f"{text} ({constant_share(total, root)}%, {constant_share(own, root)}%)"
    if (own if metric.unit == "memory" else total) <= 0:
        return f"{text} (0.00%, 0.00%)"
    return f"{text} ({_percent(total, root, infinite)}%, {_percent(own, root, infinite)}%)"


def constant_share(part: Count, whole: Polynomial) -> str:
    """A share in percent, if it is the same for all values of the symbols."""
    (monomial, of_whole), *_ = whole.terms.items()
    of_part = part.terms.get(monomial, 0) if isinstance(part, Polynomial) else 0
    return f"{100.0 * of_part / of_whole:.2f}" if part * of_whole == whole * of_part else "--"


def _percent(part: int, whole: int, infinite: bool) -> str:
    """A share in percent; of zero it is zero, or what dividing by zero gives in C."""
    if whole:
        return f"{100.0 * part / whole:.2f}"
    if not infinite:
        return "0.00"
    return "-nan" if part == 0 else "inf" if part > 0 else "-inf"
