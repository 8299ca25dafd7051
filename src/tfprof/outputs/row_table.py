"""The rows of a report as a table, and its files: JSON, CSV and Parquet.

The columns are the same whatever the view and the selection; `docs/outputs.md` describes them.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from tfprof.definitions.limits import check_output_size
from tfprof.definitions.metrics import METRICS, known_metrics
from tfprof.errors import OutputError
from tfprof.outputs.document import Document, Rendering, RenderSettings
from tfprof.outputs.encoding.json_encoder import concat_columns, escape_json
from tfprof.outputs.flame import display_tree
from tfprof.profiles.executions import executions_of
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.schema import NO_DEVICE, Array
from tfprof.profiles.string_columns import utf8_bytes
from tfprof.reports.report import Report

_FIRST = ("row", "parent", "depth", "name", "path", "counted")
_LAST = ("op", "device", "shape", "file", "function", "line")
_SEPARATOR = ";"


def measure_columns() -> dict[str, str]:
    """The measure of each number of a row, which has a column `own_…` and a column `total_…`."""
    metrics = {metric.name: metric.measure for metric in METRICS.values() if metric.measure}
    return {**metrics, "runs": "run_count", "definitions": "definition_count"}


def column_names() -> tuple[str, ...]:
    """All columns in order."""
    numbers = (f"{kind}_{name}" for name in measure_columns() for kind in ("own", "total"))
    return (*_FIRST, *numbers, *_LAST)


def row_table(report: Report) -> pa.Table:
    """The rows of a report; the first one is the root."""
    tree, names = display_tree(report), report.names
    columns: dict[str, Any] = {
        "row": pa.array(np.arange(len(report))),
        "parent": pa.array(tree.parent, mask=tree.parent < 0),
        "depth": pa.array(tree.depth - 1),
        "name": pa.array(names, pa.string()),
        "path": pa.array(_paths(report, names), pa.string()),
        "counted": pa.array(report.matched),
    }
    known = known_metrics(report.quirks)
    for name, measure in measure_columns().items():
        if name in METRICS and name not in known:
            none = pa.nulls(len(report), pa.int64())
            columns |= {f"own_{name}": none, f"total_{name}": none}
            continue
        columns[f"own_{name}"] = _numbers(report.own[:, measure])
        columns[f"total_{name}"] = _numbers(report.total[:, measure])
    columns |= _node_columns(report) | _frame_columns(report)
    return pa.table({name: columns[name] for name in column_names()})


def _paths(report: Report, names: list[str]) -> list[str]:
    """The path of each row: in code view the names of all frames, elsewhere the name."""
    if report.kind != "code":
        return names
    paths, size = [names[0]], 0
    for name, parent in zip(names[1:], report.tree.parent[1:].tolist(), strict=True):
        paths.append(f"{paths[parent]}{_SEPARATOR}{name}" if parent else name)
        size += len(paths[-1])
        check_output_size(size, "the paths of the rows")
    return paths


def _numbers(values: Array) -> pa.Array:
    """64-bit integers, or decimals where some are too large for them."""
    try:
        return pa.array(values.astype(np.int64) if values.dtype != object else values, pa.int64())
    except (pa.ArrowInvalid, OverflowError):
        pass
    try:
        return pa.array([int(value) for value in values], pa.decimal128(38, 0))
    except pa.ArrowInvalid:
        raise OutputError("a number has more than 38 digits; use the text report") from None


def _node_columns(report: Report) -> dict[str, pa.Array]:
    """Op, device and shape of rows that are nodes."""
    nodes = report.profile.nodes
    device = executions_of(report.profile, report.quirks).device
    devices = pa.array(report.profile.devices, pa.string())
    device_names = devices.take(pa.array(device, mask=device == NO_DEVICE))
    sizes = nodes.shape.flatten().cast(pa.string())
    offsets = list_offsets(nodes.shape)
    shape = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), sizes), "x")
    shape = pc.if_else(pa.array(np.diff(offsets) > 0), shape, pa.scalar(None, pa.string()))
    rows = pa.array(report.node, mask=report.node < 0)
    return {"op": nodes.op.take(rows), "device": device_names.take(rows), "shape": shape.take(rows)}


def _frame_columns(report: Report) -> dict[str, pa.Array]:
    """File, function and line of rows of code view."""
    frames = report.view.frames
    if frames is None:
        none = pa.nulls(len(report), pa.string())
        return {"file": none, "function": none, "line": pa.nulls(len(report), pa.int64())}
    lines = [frames[position] if position else None for position in report.view_positions.tolist()]
    return {
        "file": pa.array([line and line.file for line in lines], pa.string()),
        "function": pa.array([line and line.function for line in lines], pa.string()),
        "line": pa.array([line and line.line for line in lines], pa.int64()),
    }


def render_parquet(report: Report, settings: RenderSettings) -> Rendering:
    """Render the rows as a Parquet file, with the view and step among its metadata."""
    metadata = {"tfprof.view": report.kind, "tfprof.step": str(report.options.step)}
    stream = io.BytesIO()
    pyarrow.parquet.write_table(row_table(report).replace_schema_metadata(metadata), stream)
    yield Document([stream.getbuffer()], settings.keys["outfile"])


def render_csv(report: Report, settings: RenderSettings) -> Rendering:
    """Render the rows as a CSV file with a header line."""
    stream = io.BytesIO()
    pyarrow.csv.write_csv(row_table(report), stream)
    yield Document([stream.getbuffer()], settings.keys["outfile"])


def render_json(report: Report, settings: RenderSettings) -> Rendering:
    """Render the rows as a JSON array of objects, one to a line."""
    rows = row_table(report)
    columns: list[Any] = []
    for i, name in enumerate(rows.column_names):
        values = rows.column(name).combine_chunks()
        text = values.cast(pa.string())
        if pa.types.is_string(values.type):
            text = concat_columns(len(values), '"', escape_json(text.fill_null("")), '"')
        columns.append(f'{"," if i else "{"}"{name}":')
        columns.append(pc.if_else(values.is_valid(), text, "null"))
    lines = utf8_bytes(concat_columns(rows.num_rows, *columns, "},\n")).data
    yield Document([b"[\n", lines[:-2], b"\n]\n"], settings.keys["outfile"])
