"""Float operations of a live graph as the original counts them, for `compat`.

Nodes of the same op, attributes and shapes are counted once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tfprof.definitions.integers import INT64_MAX
from tfprof.flops.attr_codes import attr_codes, filter_attrs, is_op_attr, list_codes
from tfprof.flops.tf_formulas import TF_FORMULAS, Shape, Unknown, count
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.grouping import distinct_rows, list_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import SHAPE, Array
from tfprof.protos.graph_pb2 import AttrValue

_INPUTS = 3
"""No formula looks at more than its first three inputs."""


@dataclass(frozen=True, slots=True)
class TfFloatOps:
    """A count for each node id, 0 where there is none, and how many have none for what reason."""

    value: Array
    unknown: Counter[Unknown]


def count_tf_float_ops(profile: Profile) -> TfFloatOps:
    """The float operations of every node of the graph by TensorFlow's formulas."""
    nodes = profile.nodes
    ops = nodes.op.dictionary_encode()
    has_rule = np.array([op in TF_FORMULAS for op in ops.dictionary.to_pylist()], bool)
    op_code = ops.indices.to_numpy()
    rows = np.flatnonzero(has_rule[op_code] & nodes.in_graph)
    value = np.zeros(len(nodes), np.int64)
    without_formula = int(nodes.in_graph.sum()) - len(rows)
    unknown = Counter({Unknown.RULE: without_formula} if without_formula else {})
    if not len(rows):
        return TfFloatOps(value, unknown)
    inputs, outputs = _Inputs(profile, rows), _Tensors(profile, rows, np.zeros_like(rows))
    attrs = nodes.attrs.take(pa.array(rows))
    attrs = filter_attrs(attrs, is_op_attr(attrs.flatten().field("key")))
    code, first = distinct_rows(
        [op_code[rows], attr_codes(attrs), inputs.count, *inputs.code.T, outputs.code]
    )
    counts = []
    for row in first.tolist():
        entries = attrs[row].as_py()
        known = {item["key"]: AttrValue.FromString(item["value"]) for item in entries}
        op = nodes.op[int(rows[row])].as_py()
        counts.append(count(op, known, inputs.shapes(row), [outputs.shape(row)]))
    numbers = [
        0 if isinstance(each, Unknown) else max(-INT64_MAX, min(each, INT64_MAX)) for each in counts
    ]
    value[rows] = np.array(numbers, np.int64)[code]
    for each, nodes_of in zip(counts, np.bincount(code).tolist(), strict=True):
        if isinstance(each, Unknown):
            unknown[each] += nodes_of
    return TfFloatOps(value, unknown)


class _Tensors:
    """The shapes of some tensors, each given by its node (-1 for none) and output."""

    def __init__(self, profile: Profile, node: Array, output: Array) -> None:
        column = profile.nodes.output_shapes
        offsets = list_offsets(column)
        index = offsets[node] + output
        # The shape after the last one is that of every tensor without one.
        index = np.where((node >= 0) & (index < offsets[node + 1]), index, offsets[-1])
        shapes = pa.concat_arrays([column.flatten(), pa.array([[]], SHAPE)])
        used, self._index = np.unique(index, return_inverse=True)
        self._shapes = shapes.take(pa.array(used))
        sizes = self._shapes.flatten().to_numpy()
        self.code = list_codes(list_offsets(self._shapes), sizes)[self._index]

    def shape(self, index: int) -> Shape | None:
        """Sizes, -1 for an unknown one; None for an unknown rank."""
        return tuple(self._shapes[int(self._index[index])].as_py()) or None


class _Inputs:
    """The inputs of some nodes: how many, and the shapes of the first few."""

    def __init__(self, profile: Profile, rows: Array) -> None:
        edges = profile.edges
        start = np.searchsorted(edges.consumer, rows)
        self.count = np.searchsorted(edges.consumer, rows, side="right") - start
        mask = np.arange(_INPUTS) < self.count[:, None]
        edge = (start[:, None] + np.arange(_INPUTS))[mask]
        producer = index_in(edges.producer.take(pa.array(edge)), profile.nodes.name)
        self._tensors = _Tensors(profile, producer, np.maximum(edges.output[edge], 0))
        self.code = np.full(mask.shape, -1, np.int64)
        self.code[mask] = self._tensors.code
        self._first = np.cumsum(mask.sum(axis=1)) - mask.sum(axis=1)

    def shapes(self, row: int) -> Sequence[Shape | None]:
        total, first = int(self.count[row]), int(self._first[row])
        known = min(total, _INPUTS)
        shapes = [self._tensors.shape(first + index) for index in range(known)]
        return shapes + [None] * (total - known)
