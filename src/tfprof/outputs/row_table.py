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
from tfprof.errors import OptionError, OutputError
from tfprof.flops.flop_columns import has_symbols
from tfprof.flops.node_flops import node_flops
from tfprof.flops.polynomial import exact
from tfprof.outputs.document import Document, Rendering, RenderSettings
from tfprof.outputs.encoding.json_encoder import concat_columns, escape_json
from tfprof.outputs.flame import display_tree
from tfprof.outputs.node_labels import check_labels, row_frames
from tfprof.profiles.executions import executions_of
from tfprof.profiles.input_shapes import format_shapes
from tfprof.profiles.schema import NO_DEVICE, Array
from tfprof.profiles.string_columns import utf8_bytes
from tfprof.reports.report import Report

_FIRST = ("row", "parent", "depth", "name", "path", "counted")
_LAST = ("per_example", "op", "device", "shape", "file", "function", "line")
_FORMULA = r"\A[=+\-@\t\r]"
_SEPARATOR = ";"
_INTEGER = r"^-?[0-9]+$"
NUMBER_PREFIXES = ("own_", "total_", "before_", "after_", "delta_")
"""How the names of columns of numbers begin."""


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
    tree = display_tree(report)
    columns: dict[str, Any] = {
        "row": pa.array(np.arange(len(report))),
        "parent": pa.array(tree.parent, mask=tree.parent < 0),
        "depth": pa.array(tree.depth - 1),
        "name": pa.array(report.names, pa.string()),
        "counted": pa.array(report.matched),
    }
    known = known_metrics(report.quirks)
    for name, measure in measure_columns().items():
        if name in METRICS and name not in known:
            none = pa.nulls(len(report), pa.int64())
            columns |= {f"own_{name}": none, f"total_{name}": none}
            continue
        columns[f"own_{name}"] = number_array(report.own[:, measure])
        columns[f"total_{name}"] = number_array(report.total[:, measure])
    per_example = bool(node_flops(report.profile, report.quirks).per_example.any())
    columns["per_example"] = pa.array(np.full(len(report), per_example))
    columns |= label_columns(report)
    return pa.table({name: columns[name] for name in column_names()})


def label_columns(report: Report) -> dict[str, pa.Array]:
    """What rows are beside numbers: path; op, device and shape; file, function and line."""
    path = pa.array(_paths(report), pa.string())
    return {"path": path, **_node_columns(report), **_frame_columns(report)}


def _paths(report: Report) -> list[str]:
    """The path of each row: in code view the names of all frames, elsewhere the name."""
    names = report.names
    if report.kind != "code":
        return names
    paths, size = [names[0]], 0
    rows, name_bytes = len(names), sum(map(len, names))
    for name, parent in zip(names[1:], report.tree.parent[1:].tolist(), strict=True):
        paths.append(f"{paths[parent]}{_SEPARATOR}{name}" if parent else name)
        size += len(paths[-1])
        check_output_size(size, "the paths of the rows", rows=rows, names=name_bytes)
    return paths


def number_array(values: Array) -> pa.Array:
    """64-bit integers, or decimals where some are too large for them, or text with symbols."""
    if has_symbols(values):
        return pa.array([exact(value) for value in values.tolist()], pa.string())
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
    on_rows = np.append(device, NO_DEVICE)[report.node]
    check_labels(report.profile.devices, on_rows, "devices of the rows")
    devices = pa.array(report.profile.devices, pa.string())
    known = pc.greater(pc.list_value_length(nodes.shape), 0)
    shape = pc.if_else(known, format_shapes(nodes.shape), pa.scalar(None, pa.string()))
    rows = pa.array(report.node, mask=report.node < 0)
    return {
        "op": nodes.op.take(rows),
        "device": devices.take(pa.array(on_rows, mask=on_rows == NO_DEVICE)),
        "shape": shape.take(rows),
    }


def _frame_columns(report: Report) -> dict[str, pa.Array]:
    """File, function and line of rows of code view."""
    lines = row_frames(report, "the rows")
    return {
        "file": pa.array([line and line.file for line in lines], pa.string()),
        "function": pa.array([line and line.function for line in lines], pa.string()),
        "line": pa.array([line and line.line for line in lines], pa.int64()),
    }


def render_parquet(report: Report, settings: RenderSettings) -> Rendering:
    """Render the rows as a Parquet file, with the view and step among its metadata."""
    metadata = {"tfprof.view": report.kind, "tfprof.step": str(report.options.step)}
    yield parquet_document(row_table(report).replace_schema_metadata(metadata), settings)


def parquet_document(table: pa.Table, settings: RenderSettings) -> Document:
    """A table as a Parquet file."""
    stream = io.BytesIO()
    pyarrow.parquet.write_table(table, stream)
    return Document([stream.getvalue()], settings.keys["outfile"])


def render_csv(report: Report, settings: RenderSettings) -> Rendering:
    """Render the rows as a CSV file with a header line."""
    yield csv_document(row_table(report), settings)


def csv_document(table: pa.Table, settings: RenderSettings) -> Document:
    """A table as a CSV file with a header line."""
    safe = settings.keys.get("safe", "0")
    if safe not in ("0", "1"):
        raise OptionError(f"option 'output': safe is '{safe}'; it may be 0, 1")
    stream = io.BytesIO()
    pyarrow.csv.write_csv(_without_formulas(table) if safe == "1" else table, stream)
    return Document([stream.getvalue()], settings.keys["outfile"])


def _without_formulas(table: pa.Table) -> pa.Table:
    """A table with a quote before each text that a spreadsheet would run as a formula."""
    for i, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            texts = pc.replace_substring_regex(table.column(i), _FORMULA, r"'\0")
            table = table.set_column(i, field, texts)
    return table


def render_json(report: Report, settings: RenderSettings) -> Rendering:
    """Render the rows as a JSON array of objects, one to a line."""
    yield Document(json_bytes(report), settings.keys["outfile"])


def json_bytes(report: Report) -> list[bytes | memoryview]:
    """The same in parts."""
    return table_json(row_table(report))


def table_json(rows: pa.Table) -> list[bytes | memoryview]:
    """A table as a JSON array of objects, one to a line, in parts.

    Numbers with symbols are columns of text, in which integers are still written as numbers.
    """
    columns: list[Any] = []
    for i, name in enumerate(rows.column_names):
        values = rows.column(name).combine_chunks()
        text = values.cast(pa.string())
        if pa.types.is_string(values.type):
            quoted = concat_columns(len(values), '"', escape_json(text.fill_null("")), '"')
            is_number = name.startswith(NUMBER_PREFIXES)
            text = (
                pc.if_else(pc.match_substring_regex(text, _INTEGER), text, quoted)
                if is_number
                else quoted
            )
        columns.append(f'{"," if i else "{"}"{name}":')
        columns.append(pc.if_else(values.is_valid(), text, "null"))
    lines = utf8_bytes(concat_columns(rows.num_rows, *columns, "},\n")).data
    return [b"[\n", lines[:-2], b"\n]\n"]
