"""The rows of a diff as a table, and its files: JSON, CSV and Parquet.

The columns are the same whatever the view and the selection; `docs/diff.md` describes them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.diffs.diff import Diff
from tfprof.diffs.match_rows import MATCHES
from tfprof.outputs.document import Document, Rendering, RenderSettings
from tfprof.outputs.row_table import (
    csv_document,
    label_columns,
    measure_columns,
    number_array,
    parquet_document,
    table_json,
)
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report

_FIRST = ("row", "parent", "depth", "name", "name_before", "path", "match")
_KINDS = ("before", "after", "delta", "own_delta")
_LABELS = ("op", "device", "shape", "file", "function", "line")


def column_names() -> tuple[str, ...]:
    """All columns in order."""
    numbers = (f"{kind}_{name}" for name in measure_columns() for kind in _KINDS)
    return (*_FIRST, *numbers, *_LABELS)


def diff_table(diff: Diff) -> pa.Table:
    """The rows of a diff; the first one is the root."""
    columns: dict[str, Any] = {
        "row": pa.array(np.arange(len(diff))),
        "parent": pa.array(diff.tree.parent, mask=diff.tree.parent < 0),
        "depth": pa.array(diff.tree.depth - 1),
        "name": pa.array(diff.names, pa.string()),
        "name_before": pa.array(diff.before_names, pa.string()),
        "match": pa.array(MATCHES).take(pa.array(diff.match)),
        **_labels(diff),
    }
    numbers = diff.numbers
    for name, measure in measure_columns().items():
        for kind in _KINDS:
            columns[f"{kind}_{name}"] = number_array(getattr(numbers, kind).column(measure))
    return pa.table({name: columns[name] for name in column_names()})


def _labels(diff: Diff) -> dict[str, pa.Array]:
    """What rows are beside numbers, after; of removed rows before."""
    sides = (diff.before, diff.before_row), (diff.after, diff.after_row)
    before, after = (_side_labels(report, rows) for report, rows in sides)
    is_after = pa.array(diff.after_row >= 0)
    return {name: pc.if_else(is_after, after[name], before[name]) for name in after}


def _side_labels(report: Report, rows: Array) -> dict[str, pa.Array]:
    index = pa.array(rows, mask=rows < 0)
    return {name: column.take(index) for name, column in label_columns(report).items()}


def render_json(diff: Diff, settings: RenderSettings) -> Rendering:
    """Render the rows as a JSON array of objects, one to a line."""
    yield Document(table_json(diff_table(diff)), settings.keys["outfile"])


def render_csv(diff: Diff, settings: RenderSettings) -> Rendering:
    """Render the rows as a CSV file with a header line."""
    yield csv_document(diff_table(diff), settings)


def render_parquet(diff: Diff, settings: RenderSettings) -> Rendering:
    """Render the rows as a Parquet file, with the view and steps among its metadata."""
    steps = ",".join(str(report.options.step) for report in (diff.before, diff.after))
    metadata = {"tfprof.view": diff.kind, "tfprof.steps": steps}
    yield parquet_document(diff_table(diff).replace_schema_metadata(metadata), settings)
