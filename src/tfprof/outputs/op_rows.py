"""The rows of op view as text: each number with its shares of the total."""

from __future__ import annotations

import pyarrow as pa

from tfprof.definitions.metrics import Metric
from tfprof.definitions.units import FORMATS
from tfprof.outputs.node_labels import op_input_lines, row_devices, row_types
from tfprof.outputs.tree_rows import LINE_BREAKS, escape_line_breaks, shown_metrics
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report

_ESCAPES = str.maketrans(LINE_BREAKS)


def encode_op_rows(
    report: Report, rows: Array, *, with_shapes: bool = True, one_line: bool = False
) -> bytes:
    """The bytes of some rows."""
    lines: list[bytes] = []
    names = escape_line_breaks(report.name) if one_line else report.name
    names = names.cast(pa.binary()).to_pylist()
    metrics = shown_metrics(report)
    selected = {metric.name for metric in metrics}
    devices = row_devices(report) if "device" in selected else []
    types = row_types(report) if "op_types" in selected else []
    for row in rows.tolist():
        cells = []
        for metric in metrics:
            if metric.measure:
                cells.append(f"{_own_and_shares(report, row, metric):>30}")
            elif metric.name == "device":
                cells.append("|".join(sorted(devices[row])))
            elif metric.name == "op_types":
                cells.append("|".join(sorted(types[row])))
            elif metric.name == "occurrence":
                first, last = report.members[1][row].tolist()
                runs = report.own[row, "run_count"]
                cells.append(f"{f'{runs}|{last - first}':>10}")
        below = ""
        if "input_shapes" in selected and with_shapes:
            below = "\n" + "\n".join(op_input_lines(report, row)) + "\n\n"
        text = ", ".join(cells)
        if one_line:
            text = text.translate(_ESCAPES)
        lines.append(names[row].ljust(25) + f"{text}\n{below}".encode())
    return b"".join(lines)


def _own_and_shares(report: Report, row: int, metric: Metric) -> str:
    """`own (share of this and all rows that follow, own share)`."""
    measure = metric.measure
    own, total = int(report.own[row, measure]), int(report.total[row, measure])
    root = int(report.total[0, measure])
    text = FORMATS[metric.unit](own) + metric.op_suffix
    if (own if metric.unit == "memory" else total) <= 0:
        return f"{text} (0.00%, 0.00%)"
    infinite = report.quirks.negative_durations
    return f"{text} ({_percent(total, root, infinite)}%, {_percent(own, root, infinite)}%)"


def _percent(part: int, whole: int, infinite: bool) -> str:
    """A share in percent; of zero it is zero, or what dividing by zero gives in C."""
    if whole:
        return f"{100.0 * part / whole:.2f}"
    if not infinite:
        return "0.00"
    return "-nan" if part == 0 else "inf" if part > 0 else "-inf"
