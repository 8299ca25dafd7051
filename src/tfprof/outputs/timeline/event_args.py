"""What a viewer shows about a region of a timeline: a JSON object for each row, in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import METRICS
from tfprof.outputs.encoding.json_encoder import Part, digits, escaped
from tfprof.outputs.encoding.row_encoder import DictColumn, lengths_of
from tfprof.outputs.input_shapes import input_shapes
from tfprof.profiles.schema import Array
from tfprof.profiles.user_code import user_lines

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["row_args"]

_NUMBERS = ("micros", "bytes", "float_ops", "params")


def row_args(report: Report) -> list[Part]:
    """Op type, own numbers, input shapes and source line of each row, as far as they are known."""
    every = np.arange(len(report))
    parts: list[Part] = ['{"name":"', DictColumn(escaped(report.name)), '"']
    if report.kind in ("scope", "graph"):
        profile = report.profile
        parts += _text("op", profile.nodes.op, report.node)
        parts += _text("input_shapes", input_shapes(report), every)
        parts += _text("source", user_lines(profile), report.node)
    else:
        parts += _text("source", _frame_lines(report), every)
    for name in _NUMBERS:
        parts += _number(name, report.own[:, METRICS[name].measure])
    return [*parts, "}"]


def _text(key: str, texts: pa.Array, at: Array) -> list[Part]:
    """`,"key":"text"` for each row, nothing where there is no text (-1), or a null or empty one."""
    words = pa.concat_arrays([escaped(texts.fill_null("")), pa.array([""])])
    text = DictColumn(words, np.where(at < 0, len(words) - 1, at))
    missing = (np.asarray(lengths_of(text)) == 0).astype(np.int64)
    before, after = (DictColumn(pa.array([word, ""]), missing) for word in (f',"{key}":"', '"'))
    return [before, text, after]


def _number(key: str, values: Array) -> list[Part]:
    """`,"key":number` for each row, nothing where it is 0."""
    zero = (values == 0).astype(bool)
    words = pa.concat_arrays([digits(values), pa.array([""])])
    text = DictColumn(words, np.where(zero, len(values), np.arange(len(values))))
    return [DictColumn(pa.array([f',"{key}":', ""]), zero.astype(np.int64)), text]


def _frame_lines(report: Report) -> pa.Array:
    frames = report.view.frames
    if frames is None:
        return pa.nulls(len(report), pa.string())
    rows = report.at.tolist()
    lines = [f"{frames.file[row]}:{frames.line[row]}" if row else None for row in rows]
    return pa.array(lines, pa.string())
