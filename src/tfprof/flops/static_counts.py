"""Float operations of a graph that states all its shapes, without the interpreter.

Nodes of equal op type, attributes and shapes are counted once, by the same rules. The interpreter
counts the same (tests/flops/test_static_counts.py), but needs ten times as long: 1.1 s for 20,000
nodes, two thirds of what a user waits for op view.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.flops.attr_codes import attr_codes, filter_attrs, is_op_attr, list_codes
from tfprof.flops.flop_columns import NodeFlops, integer_column
from tfprof.flops.rules import CountKind, FlopCount, count_node
from tfprof.flops.rules.formula import Operation
from tfprof.flops.rules.zero_cost import ZERO_COST
from tfprof.flops.shapes import canonical
from tfprof.flops.shapes.dtypes import output_type
from tfprof.flops.tensors import UNKNOWN, Dims, Tensor, dims_of, dims_of_sizes, merge_dims
from tfprof.functions.calls import CALLERS
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.grouping import distinct_rows, group_offsets, list_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import CONTROL, Array, BoolArray
from tfprof.protos.graph_pb2 import AttrValue, DataType
from tfprof.resolve.runtime_shapes import with_runtime_shapes

_OUTPUT_SHAPES = "_output_shapes"
_LOOPS_AND_CONDS = {"Enter", "Exit", "NextIteration", "Switch", "Merge", "LoopCond"}
_CONTROL_FLOW = {*_LOOPS_AND_CONDS, *(f"Ref{op}" for op in _LOOPS_AND_CONDS)}
_HANDLES = {DataType.DT_RESOURCE, DataType.DT_VARIANT}


def count_static(profile: Profile, quirks: Quirks) -> NodeFlops | None:
    """The float operations of a resolved profile, or None where the interpreter is needed."""
    source = profile.source or profile
    op_types = set(pc.unique(source.nodes.op).to_pylist())
    if profile.bind or source.roots or source.libraries or op_types & (CALLERS | _CONTROL_FLOW):
        return None
    source, _ = with_runtime_shapes(source, quirks)
    groups = NodeGroups(source)
    counts: list[FlopCount] = []
    for node in groups.operations():
        count = count_settled(node)
        if count is None:
            return None
        counts.append(count)
    rows = index_in(source.nodes.name.take(pa.array(groups.rows)), profile.nodes.name)
    return _columns(counts, groups.group, rows, len(profile.nodes))


def count_settled(node: Operation) -> FlopCount | None:
    """The work of a node, or None if the stated shapes and types do not settle it."""
    count = count_node(node)
    if node.op in ZERO_COST:
        return count
    dtypes = {tensor.dtype for tensor in (*node.inputs, *node.outputs)}
    if count.kind is CountKind.COUNTED:
        return None if DataType.DT_VARIANT in dtypes else count
    return None if count.reason == "unknown shape" or dtypes & {0, *_HANDLES} else count


def _columns(counts: list[FlopCount], group: Array, rows: Array, length: int) -> NodeFlops:
    """The counts of groups as columns; row `rows[i]` is of group `group[i]`."""
    work = [count.work for count in counts]
    ones = [1] * len(counts)
    columns = []
    for counted in ([w.float_ops() for w in work], [w.macs for w in work], ones):
        numbers = integer_column([n if isinstance(n, int) else 0 for n in counted])
        column = np.zeros(length, numbers.dtype)
        column[rows] = numbers[group]
        columns.append(column)
    float_ops, macs, executions = columns
    is_unknown = np.array([count.kind is CountKind.UNKNOWN for count in counts], bool)
    reasons = {int(rows[i]): counts[group[i]].reason for i in np.flatnonzero(is_unknown[group])}
    return NodeFlops(float_ops, macs, executions, np.zeros(length, bool), reasons)


class NodeGroups:
    """The nodes of a graph, grouped by op type, attributes and tensors.

    `rows` are the nodes, `group` their groups. A tensor is a type and a shape, and has a number.
    """

    def __init__(self, profile: Profile) -> None:
        nodes = profile.nodes
        op_code = nodes.op.dictionary_encode().indices.to_numpy()
        attrs = filter_attrs(nodes.attrs, _settles_outputs(nodes.attrs))
        has_runs = bool(profile.records)
        shape_code = _shape_codes(nodes.output_shapes) if has_runs else np.zeros_like(op_code)
        # Nodes whose outputs have equal types and shapes, and then also equal inputs.
        self._kind, first = distinct_rows([op_code, attr_codes(attrs), shape_code])
        samples = pa.array(first)
        self._op_types = [canonical(op) for op in nodes.op.take(samples).to_pylist()]
        self._attrs = [_parse_attrs(entries) for entries in attrs.take(samples).to_pylist()]
        self._numbers: dict[Tensor, int] = {UNKNOWN: 0}
        recorded = nodes.output_shapes.take(samples).to_pylist() if has_runs else [[]] * len(first)
        outputs = [self._outputs(kind, shapes) for kind, shapes in enumerate(recorded)]
        self._output_offsets = np.cumsum([0, *map(len, outputs)])
        self._output_tensors = np.array([n for kind in outputs for n in kind] + [0], np.int64)
        self._input_offsets, self._input_tensors = self._inputs(profile)
        inputs = list_codes(self._input_offsets, self._input_tensors)
        self.rows = np.flatnonzero(nodes.in_graph)
        self.group, first = distinct_rows([self._kind[self.rows], inputs[self.rows]])
        self._first = self.rows[first]

    def operations(self) -> Iterator[Operation]:
        """One node of each group, in the order of their numbers."""
        tensors = list(self._numbers)
        for node in self._first.tolist():
            kind = self._kind[node]
            inputs = self._input_tensors[slice(*self._input_offsets[node : node + 2])]
            outputs = self._output_tensors[slice(*self._output_offsets[kind : kind + 2])]
            yield Operation(
                self._op_types[kind],
                self._attrs[kind],
                tuple(tensors[number] for number in inputs.tolist()),
                outputs=tuple(tensors[number] for number in outputs.tolist()),
            )

    def _outputs(self, kind: int, recorded: list[list[int]]) -> list[int]:
        """The tensors that a node makes, as the graph states and runs recorded them."""
        op, attrs = self._op_types[kind], self._attrs[kind]
        stated = attrs[_OUTPUT_SHAPES].list.shape if _OUTPUT_SHAPES in attrs else ()
        shapes = [dims_of(shape) for shape in stated]
        shapes += [None] * (len(recorded) - len(shapes))
        for index, row in enumerate(recorded):
            shapes[index], _ = merge_dims(shapes[index], dims_of_sizes(row))
        return [self._number(op, attrs, index, shape) for index, shape in enumerate(shapes)]

    def _number(
        self, op: str, attrs: Mapping[str, AttrValue], index: int, shape: Dims | None
    ) -> int:
        tensor = Tensor(output_type(op, attrs, index), shape)
        return self._numbers.setdefault(tensor, len(self._numbers))

    def _inputs(self, profile: Profile) -> tuple[Array, Array]:
        """The tensors that each node reads: where a node's start, and their numbers."""
        edges, nodes = profile.edges, profile.nodes
        is_data = edges.output != CONTROL
        output = edges.output[is_data]
        producer = index_in(edges.producer.filter(pa.array(is_data)), nodes.name)
        kind = np.where(producer >= 0, self._kind[producer], 0)
        index = self._output_offsets[kind] + output
        is_known = (producer >= 0) & (output >= 0) & (index < self._output_offsets[kind + 1])
        tensors = np.where(is_known, self._output_tensors[np.where(is_known, index, 0)], 0)
        return group_offsets(edges.consumer[is_data], len(nodes)), tensors


def _parse_attrs(entries: list[dict[str, Any]]) -> Mapping[str, AttrValue]:
    return {entry["key"]: AttrValue.FromString(entry["value"]) for entry in entries}


def _settles_outputs(attrs: pa.Array) -> BoolArray:
    """Which attributes can matter: not the values of constants, nor what only describes a node."""
    keys = attrs.flatten().field("key")
    is_shapes, is_value = (
        pc.equal(keys, key).to_numpy(zero_copy_only=False) for key in (_OUTPUT_SHAPES, "value")
    )
    mask: BoolArray = (is_op_attr(keys) & ~is_value) | is_shapes
    return mask


def _shape_codes(column: pa.Array) -> Array:
    shapes = column.flatten()
    sizes = shapes.flatten().to_numpy()
    return list_codes(list_offsets(column), list_codes(list_offsets(shapes), sizes))
