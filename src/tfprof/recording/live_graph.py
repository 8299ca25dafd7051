"""A live graph as columns, with the shapes that TensorFlow has inferred."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.definitions.quirks import Quirks
from tfprof.loaders.graph_def import read_graph
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.schema import ATTRS, SHAPE, SHAPES, Array
from tfprof.profiles.source_columns import GraphColumns
from tfprof.protos.graph_pb2 import AttrValue
from tfprof.recording.variables import captured_shapes

_Shapes = tuple[tuple[int, ...] | None, ...]


def read_live_graph(graph: Any, quirks: Quirks) -> GraphColumns:
    """The columns of a tf.Graph, which is not changed."""
    columns = read_graph(graph.as_graph_def().SerializeToString())
    if columns.library and not quirks.functions_not_inlined:
        # Shapes inside functions come with those of the whole graph.
        shaped = graph.as_graph_def(add_shapes=True).SerializeToString()
        columns = replace(columns, library=shaped)
    code, distinct = _output_shapes(graph, columns.name.to_pylist())
    listed = [[_column_shape(shape) for shape in shapes] for shapes in distinct]
    columns = replace(
        columns,
        roots=_roots(graph),
        output_shapes=pa.array(listed, SHAPES).take(pa.array(code)),
        attrs=_with_attribute(columns.attrs.cast(ATTRS), code, distinct),
    )
    if quirks.captures_ignored:
        return columns
    return replace(columns, shape=_with_shapes(columns, captured_shapes(graph)))


def _roots(graph: Any) -> tuple[str, ...]:
    """The operations that a function's graph is run for: its results and side effects."""
    outputs = [tensor.op for tensor in getattr(graph, "outputs", ()) if hasattr(tensor, "op")]
    controls = list(getattr(graph, "control_outputs", ()))
    return tuple(dict.fromkeys(operation.name for operation in [*outputs, *controls]))


def operations(graph: Any, names: list[str]) -> list[Any]:
    """The operations of these names."""
    all_operations = graph.get_operations()
    if [operation.name for operation in all_operations] == names:
        return list(all_operations)
    return [graph.get_operation_by_name(name) for name in names]


def _output_shapes(graph: Any, names: list[str]) -> tuple[Array, list[_Shapes]]:
    """Which distinct list of output shapes each operation has."""
    table: dict[_Shapes, int] = {}
    codes = []
    for operation in operations(graph, names):
        shapes = tuple([_sizes(output.shape) for output in operation.outputs])
        codes.append(table.setdefault(shapes, len(table)))
    return np.array(codes, np.int64), list(table)


def _sizes(shape: Any) -> tuple[int, ...] | None:
    if shape.rank is None:
        return None
    return tuple([-1 if size is None else size for size in shape.as_list()])


def _column_shape(shape: tuple[int, ...] | None) -> list[int]:
    """A scalar is written as [1], an unknown rank as nothing."""
    return [] if shape is None else list(shape) or [1]


def _with_attribute(attrs: pa.Array, code: Array, distinct: list[_Shapes]) -> pa.Array:
    """Attributes with `_output_shapes` after the others, for operations that have outputs."""
    values = [_attribute(shapes) for shapes in distinct]
    rows = np.flatnonzero(np.array([bool(shapes) for shapes in distinct], bool)[code])
    new = pa.StructArray.from_arrays(
        [
            pa.array(["_output_shapes"] * len(rows), pa.string()),
            pa.array(values, pa.binary()).take(pa.array(code[rows])),
        ],
        fields=list(ATTRS.value_type),
    )
    offsets = list_offsets(attrs)
    order = np.insert(np.arange(offsets[-1]), offsets[rows + 1], offsets[-1] + np.arange(len(rows)))
    added = np.zeros(len(offsets), np.int64)
    added[rows + 1] = 1
    entries = pa.concat_arrays([attrs.flatten(), new]).take(pa.array(order))
    return pa.ListArray.from_arrays(pa.array(offsets + np.cumsum(added), pa.int32()), entries)


def _attribute(shapes: _Shapes) -> bytes:
    value = AttrValue()
    value.list.SetInParent()
    for shape in shapes:
        message = value.list.shape.add(unknown_rank=shape is None)
        for size in shape or ():
            message.dim.add(size=size)
    return value.SerializeToString()


def _with_shapes(columns: GraphColumns, known: Mapping[str, tuple[int, ...]]) -> pa.Array:
    """The column of own shapes with those of captured variables."""
    if not known:
        return columns.shape
    row = {name: i for i, name in enumerate(columns.name.to_pylist())}
    by_row = {row[name]: shape for name, shape in known.items() if name in row}
    indices = np.arange(len(columns.shape))
    indices[list(by_row)] = len(indices) + np.arange(len(by_row))
    shapes = pa.array([_column_shape(shape) for shape in by_row.values()], SHAPE)
    return pa.concat_arrays([columns.shape, shapes]).take(pa.array(indices))
