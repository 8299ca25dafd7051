"""The arguments of timeline events, as the columns of a JSON object for each row."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.definitions.limits import check_output_size
from tfprof.definitions.metrics import METRICS
from tfprof.flops.flop_columns import without_symbols
from tfprof.outputs.encoding.json_encoder import ColumnLike, escape_json, format_integers
from tfprof.outputs.encoding.row_encoder import DictColumn, column_lengths, optional_column
from tfprof.outputs.node_labels import input_shapes, row_frames
from tfprof.profiles.schema import Array
from tfprof.profiles.user_code import user_lines
from tfprof.reports.report import Report

_NUMBERS = ("micros", "bytes", "float_ops", "params")


def row_args(report: Report) -> list[ColumnLike]:
    """Op type, own numbers, input shapes and source line of each row, as far as they are known."""
    all_rows = np.arange(len(report))
    columns: list[ColumnLike] = ['{"name":"', DictColumn(escape_json(report.name)), '"']
    if report.kind in ("scope", "graph"):
        profile = report.profile
        columns += _text("op", profile.nodes.op, report.node)
        columns += _text("input_shapes", input_shapes(report), all_rows)
        lines = user_lines(profile)
        line_of_node = np.append(lines.indices.fill_null(-1).to_numpy(), -1)
        columns += _text("source", lines.dictionary, line_of_node[report.node])
    else:
        columns += _text("source", _frame_lines(report), all_rows)
    for name in _NUMBERS:
        own = report.own[:, METRICS[name].measure]
        columns += _number(name, without_symbols(own, batch=1))
    return [*columns, "}"]


def _text(key: str, texts: pa.Array, indices: Array) -> list[ColumnLike]:
    """`,"key":"text"` for each row, nothing where there is no text (-1), or a null or empty one."""
    text = optional_column(escape_json(texts.fill_null("")), indices)
    lengths = np.asarray(column_lengths(text))
    size = int(lengths.sum(dtype=np.int64))
    check_output_size(size, f"the timeline: {key}", rows=len(lengths), names=0)
    missing = (lengths == 0).astype(np.int64)
    before, after = (DictColumn(pa.array([part, ""]), missing) for part in (f',"{key}":"', '"'))
    return [before, text, after]


def _number(key: str, values: Array) -> list[ColumnLike]:
    """`,"key":number` for each row, nothing where it is 0."""
    zero = (values == 0).astype(bool)
    text = optional_column(format_integers(values), np.where(zero, -1, np.arange(len(values))))
    return [DictColumn(pa.array([f',"{key}":', ""]), zero.astype(np.int64)), text]


def _frame_lines(report: Report) -> pa.Array:
    frames = row_frames(report, "the timeline")
    lines = [f"{frame.file}:{frame.line}" if frame else None for frame in frames]
    return pa.array(lines, pa.string())
