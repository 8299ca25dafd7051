"""What a viewer shows about a region of a timeline: a JSON object for each row of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.metrics import METRICS
from tfprof.outputs.input_shapes import input_shapes
from tfprof.outputs.json_text import escaped, joined
from tfprof.outputs.sources import source_lines
from tfprof.profiles.measures import column

if TYPE_CHECKING:
    from tfprof.report import Report

__all__ = ["row_args"]

_NUMBERS = ("micros", "bytes", "float_ops", "params")


def row_args(report: Report) -> pa.Array:
    """Op type, own numbers, input shapes and source line of each row, as far as they are known."""
    count = len(report)
    pieces = [joined(count, '{"name":"', escaped(report.name), '"')]
    if report.kind in ("scope", "graph"):
        pieces += [
            _piece("op", _of_nodes(report, report.profile.nodes.op)),
            _piece("input_shapes", input_shapes(report)),
            _piece("source", _of_nodes(report, source_lines(report.profile, report.quirks))),
        ]
    else:
        pieces.append(_piece("source", _frame_lines(report)))
    for name in _NUMBERS:
        values = report.own[:, column(METRICS[name].measure or "")]
        text = joined(count, f',"{name}":', values)
        pieces.append(pc.if_else(pa.array((values != 0).astype(bool)), text, ""))
    return joined(count, *pieces, "}")


def _piece(key: str, texts: pa.Array) -> pa.Array:
    """`,"key":"text"` for each row, nothing where the text is null or empty."""
    known = pc.fill_null(pc.not_equal(texts, ""), False)
    inner = escaped(texts.fill_null(""))
    return pc.if_else(known, joined(len(texts), f',"{key}":"', inner, '"'), "")


def _of_nodes(report: Report, texts: pa.Array) -> pa.Array:
    """What nodes have, for the rows that are nodes."""
    rows = pa.array(np.where(report.node < 0, len(texts), report.node))
    return pa.concat_arrays([texts, pa.nulls(1, pa.string())]).take(rows)


def _frame_lines(report: Report) -> pa.Array:
    frames = report.view.frames
    if frames is None:
        return pa.nulls(len(report), pa.string())
    rows = report.at.tolist()
    lines = [f"{frames.file[row]}:{frames.line[row]}" if row else None for row in rows]
    return pa.array(lines, pa.string())
