"""The rows of scope, graph and code view as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.limits import check_output_size
from tfprof.definitions.metrics import Metric, columns
from tfprof.outputs.encoding.number_format import format_own_and_total
from tfprof.outputs.encoding.row_encoder import (
    Cell,
    Column,
    DictColumn,
    column_lengths,
    encode_rows,
    join_cells,
    optional_column,
)
from tfprof.outputs.node_labels import node_devices, node_inputs, node_types, row_devices, row_types
from tfprof.profiles.executions import executions_of
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.input_shapes import format_shapes
from tfprof.profiles.schema import Array
from tfprof.reports.measures import scalars
from tfprof.reports.report import Report
from tfprof.views.view import GRAPH_ROOT_TYPE, SCOPE_TYPE

LINE_BREAKS = {"\n": r"\n", "\t": r"\t"}
"""What `one_line` replaces in names."""


def shown_metrics(report: Report) -> list[Metric]:
    """The metrics of a report in the order of their columns."""
    return columns(report.options.select, report.kind, report.quirks)


def encode_tree_rows(report: Report, *, one_line: bool) -> Iterator[memoryview]:
    """The bytes of all rows, some rows at a time."""
    names = _names(report)
    name_bytes = int(np.sum(column_lengths(names)))
    size = 2 * int(report.tree.depth.sum()) + name_bytes
    check_output_size(size, "the text", rows=len(report), names=name_bytes)
    cells: list[Cell] = []
    for metric in shown_metrics(report):
        if has_shapes(report, metric):
            cells.append(shape_cell(report))
        cells.append(metric_cell(report, metric))
    indents = ["  " * depth for depth in range(int(report.tree.depth.max()))]
    labels: list[Column] = [names, b" (", *join_cells(cells, ", ")]
    row_columns = [
        DictColumn(pa.array(indents, pa.string()), report.tree.depth - 1),
        *(map(_on_one_line, labels) if one_line else labels),
        b")\n",
    ]
    if "tensor_value" in report.options.select:
        # Imported here, as few reports need what reads checkpoints.
        from tfprof.outputs.tensor_value import tensor_texts

        values = tensor_texts(report)
        row_columns += [] if values is None else [DictColumn(values)]
    return encode_rows(len(report), row_columns)


def has_shapes(report: Report, metric: Metric) -> bool:
    """Whether the shapes of nodes stand before the cells of a metric."""
    return metric.name == "params" and report.kind != "code"


def metric_cell(report: Report, metric: Metric, *, suffix: bool = True) -> Cell:
    """The cells of a metric: `own/total` and what follows it, or a label."""
    if not metric.measure:
        return _LABELS[metric.name](report)
    own, total = report.own[:, metric.measure], report.total[:, metric.measure]
    after = metric.suffix.encode() if suffix else b""
    return Cell([*_own_and_total(report, own, total, metric.unit), after])


def escape_line_breaks(texts: pa.Array) -> pa.Array:
    """Names, or texts with names, each on one line."""
    for character, escape in LINE_BREAKS.items():
        texts = pc.replace_substring(texts, character, escape)
    return texts


def _on_one_line(column: Column) -> Column:
    if isinstance(column, bytes):
        return column
    return DictColumn(escape_line_breaks(column.values), column.indices)


def _names(report: Report) -> DictColumn:
    """The names of the rows, without copying them where most of the view is shown."""
    names = report.view.name
    if len(names) < 2 * len(report):
        return DictColumn(names, report.view_positions)
    return DictColumn(report.name)


def _own_and_total(report: Report, own: Array, total: Array, unit: str) -> list[Column]:
    """`own/total`, or `--/total` where the row does not match."""
    texts, own_indices, total_indices = format_own_and_total(own, total, unit)
    if report.matched.all():
        return [DictColumn(texts, own_indices), b"/", DictColumn(texts, total_indices)]
    own_indices = np.where(report.matched, own_indices, len(texts))
    own_texts = pa.concat_arrays([texts, pa.array(["--"], pa.string())])
    return [DictColumn(own_texts, own_indices), b"/", DictColumn(texts, total_indices)]


def shape_cell(report: Report) -> Cell:
    """The shape of each row's node such as `3x4`; nothing where it has none."""
    shapes = report.profile.nodes.shape
    length = np.diff(list_offsets(shapes), append=0)
    known = (report.node >= 0) & (length[report.node] > 0)
    if not report.quirks.scalar_shape_shown:
        known &= ~np.append(scalars(report.profile), False)[report.node]
    rows = np.flatnonzero(known)
    texts = format_shapes(shapes.take(pa.array(report.node[rows])))
    indices = np.full(len(report), -1, np.int64)
    indices[rows] = np.arange(len(rows))
    return Cell([optional_column(texts, indices)], known)


def _devices(report: Report) -> Cell:
    if report.kind == "code":
        sets = row_devices(report)
        return Cell([_join_sets(sets)], np.array(list(map(bool, sets)), bool))
    placed = np.append(np.zeros(len(report.profile.nodes), bool), False)
    placed[executions_of(report.profile, report.quirks).placement_node] = True
    present = placed[report.node]
    indices = np.where(present, report.node, -1)
    return Cell([optional_column(node_devices(report), indices)], present)


def _op_types(report: Report) -> Cell:
    if report.kind == "code":
        return Cell([_join_sets(row_types(report))])
    virtual = [SCOPE_TYPE if report.kind == "scope" else GRAPH_ROOT_TYPE]
    texts = pa.concat_arrays([node_types(report), pa.array(virtual, pa.string())])
    return Cell([DictColumn(texts, np.where(report.node < 0, len(texts) - 1, report.node))])


def _join_sets(sets: list[set[str]]) -> DictColumn:
    return DictColumn(pa.array(["|".join(sorted(names)) for names in sets], pa.string()))


def _occurrence(report: Report) -> Cell:
    if report.kind == "code":
        return Cell([b"occurrence N/A in code view"])
    runs, definitions = "run_count", "definition_count"
    own_definitions = report.own[:, definitions]
    if report.quirks.scopes_are_definitions:
        own_definitions = np.ones_like(own_definitions)
    return Cell(
        [
            *_own_and_total(report, report.own[:, runs], report.total[:, runs], "number"),
            b"|",
            *_own_and_total(report, own_definitions, report.total[:, definitions], "number"),
        ]
    )


def _input_shapes(report: Report) -> Cell:
    if report.kind == "code":
        return Cell([b"input_shapes N/A in code view"])
    return Cell([optional_column(node_inputs(report, "|"), report.node)])


_LABELS: dict[str, Callable[[Report], Cell]] = {
    "device": _devices,
    "op_types": _op_types,
    "occurrence": _occurrence,
    "input_shapes": _input_shapes,
}
