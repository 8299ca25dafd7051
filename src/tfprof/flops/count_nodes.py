"""Float operations of the nodes of a profile, by the formulas of `tfprof.flops.tf_formulas`.

Nodes that no formula can tell apart (same op, attributes and shapes) are counted once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.flops.tf_formulas import (
    ORIGINAL_RULES,
    REPAIRED_RULES,
    Shape,
    Unknown,
    count,
)
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import SHAPE, SHAPES, Array, LogEntries, Nodes
from tfprof.profiles.string_columns import strings
from tfprof.protos.graph_pb2 import AttrValue
from tfprof.resolve import graph_ops, resolve
from tfprof.resolve.runtime_shapes import with_runtime_shapes

__all__ = ["FloatOps", "count_float_ops", "with_float_ops"]

_LARGEST = 2**63 - 1
_OWN_SHAPE = ("Const", "Placeholder", "PlaceholderWithDefault", "Variable", "VariableV2")
_INPUTS = 3
"""No formula looks at more than its first three inputs."""


@dataclass(frozen=True, slots=True)
class FloatOps:
    """A count for each node id, 0 where there is none, and how many have none for what reason."""

    value: Array
    unknown: Counter[Unknown]

    def summary(self) -> str:
        """What was not counted, in one line; empty if everything was."""
        parts = [
            f"{number} nodes ({reason.value})" for reason, number in self.unknown.most_common()
        ]
        return f"float_ops: not counted are {', '.join(parts)}" if parts else ""


def with_float_ops(profile: Profile, quirks: Quirks) -> Profile:
    """A profile with the float operations of its nodes, by static and run-time shapes."""
    if quirks.float_ops_from_log_only or not profile.nodes.in_graph.any():
        return profile
    inside = resolve(profile, graph_ops(quirks))
    shaped, _ = with_runtime_shapes(_with_own_shapes(inside), quirks)
    counted = count_float_ops(shaped, quirks)
    at = np.where(profile.nodes.in_graph, index_in(profile.nodes.name, inside.nodes.name), -1)
    value = np.where(at >= 0, counted.value[at], 0)
    return profile.replace(
        nodes=replace(profile.nodes, float_ops=value),
        function_flops=_entries(inside.nodes, counted.value, at),
        flop_warning=counted.summary(),
    )


def _entries(nodes: Nodes, value: Array, outside: Array) -> LogEntries:
    """What was counted inside functions, by name."""
    rows = np.setdiff1d(np.flatnonzero(value), outside)
    none = np.zeros(0, np.int64)
    names = nodes.name.take(pa.array(rows))
    return LogEntries(names, value[rows], np.full(len(rows), -1, np.int64), none, strings())


def count_float_ops(profile: Profile, quirks: Quirks) -> FloatOps:
    """The float operations of every node of the graph; of functions if they were entered."""
    nodes = profile.nodes
    compat = quirks.transpose_a_of_batch_matmul
    rules = ORIGINAL_RULES if compat else REPAIRED_RULES
    ops = nodes.op.dictionary_encode()
    has_rule = np.array([op in rules for op in ops.dictionary.to_pylist()], bool)
    op_code = ops.indices.to_numpy()
    rows = np.flatnonzero(has_rule[op_code] & nodes.in_graph)
    value = np.zeros(len(nodes), np.int64)
    without = int(nodes.in_graph.sum()) - len(rows)
    unknown = Counter({Unknown.RULE: without} if without else {})
    if not len(rows):
        return FloatOps(value, unknown)
    inputs, outputs = _Inputs(profile, rows), _Outputs(profile, rows)
    attrs = nodes.attrs.take(pa.array(rows))
    code, first = _distinct(
        [op_code[rows], _signatures(attrs), inputs.count, *inputs.code.T, outputs.code]
    )
    answers = []
    for row in first.tolist():
        entries = attrs[row].as_py()
        known = {item["key"]: AttrValue.FromString(item["value"]) for item in entries}
        op = nodes.op[int(rows[row])].as_py()
        taken = inputs.shapes(row)
        if op == "AddN" and not compat and "N" in known:
            taken = taken[: known["N"].i]  # what follows are control inputs
        answer = count(op, known, taken, [outputs.shape(row)], compat=compat)
        if answer is Unknown.SHAPE and not compat:
            # The right formula may ask for shapes that the original's can do without.
            answer = count(op, known, taken, [outputs.shape(row)], compat=True)
        answers.append(answer)
    numbers = [
        0 if isinstance(each, Unknown) else max(-_LARGEST, min(each, _LARGEST)) for each in answers
    ]
    value[rows] = np.array(numbers, np.int64)[code]
    for answer, times in zip(answers, np.bincount(code).tolist(), strict=True):
        if isinstance(answer, Unknown):
            unknown[answer] += times
    return FloatOps(value, unknown)


def _with_own_shapes(profile: Profile) -> Profile:
    """Graphs without inferred shapes still tell those of constants, placeholders and variables."""
    nodes = profile.nodes
    bare = np.diff(list_offsets(nodes.output_shapes)) == 0
    told = pc.is_in(nodes.op, value_set=pa.array(_OWN_SHAPE)).to_numpy(zero_copy_only=False)
    shapes = {}
    for row in np.flatnonzero(bare & told & nodes.in_graph).tolist():
        shape = nodes.shape[row].as_py()
        if nodes.op[row].as_py() == "Const":
            values = {item["key"]: item["value"] for item in nodes.attrs[row].as_py()}
            value = AttrValue.FromString(values.get("value", b""))
            shape = [dim.size for dim in value.tensor.tensor_shape.dim] or [1]
        shapes[row] = [shape]
    if not shapes:
        return profile
    at = np.arange(len(nodes))
    at[list(shapes)] = len(at) + np.arange(len(shapes))
    column = pa.concat_arrays([nodes.output_shapes, pa.array(list(shapes.values()), SHAPES)])
    return profile.replace(nodes=replace(nodes, output_shapes=column.take(pa.array(at))))


class _Tensors:
    """Output shapes by their place in the flattened column; one place more stands for unknown."""

    def __init__(self, profile: Profile, places: Array) -> None:
        column = profile.nodes.output_shapes
        shapes = pa.concat_arrays([column.flatten(), pa.array([[]], SHAPE)])
        used, self._place = np.unique(places, return_inverse=True)
        self._shapes = shapes.take(pa.array(used))
        at = list_offsets(self._shapes)
        sizes = self._shapes.flatten().cast(pa.string())
        texts = pc.binary_join(pa.ListArray.from_arrays(pa.array(at, pa.int32()), sizes), "x")
        self.code = texts.dictionary_encode().indices.to_numpy()[self._place]

    def shape(self, position: int) -> Shape | None:
        """Sizes, -1 for an unknown one; None for an unknown rank."""
        return tuple(self._shapes[int(self._place[position])].as_py()) or None


def _places(profile: Profile, node: Array, output: Array) -> Array:
    """Where outputs stand in the flattened column of output shapes; after the last if nowhere."""
    first = list_offsets(profile.nodes.output_shapes)
    at = first[node] + output
    return np.where((node >= 0) & (at < first[node + 1]), at, first[-1])


class _Outputs:
    """The first output of some nodes."""

    def __init__(self, profile: Profile, rows: Array) -> None:
        self._tensors = _Tensors(profile, _places(profile, rows, np.zeros_like(rows)))
        self.code = self._tensors.code

    def shape(self, row: int) -> Shape | None:
        return self._tensors.shape(row)


class _Inputs:
    """The inputs of some nodes: how many, and the shapes of the first few."""

    def __init__(self, profile: Profile, rows: Array) -> None:
        edges = profile.edges
        start = np.searchsorted(edges.consumer, rows)
        self.count = np.searchsorted(edges.consumer, rows, side="right") - start
        wanted = start[:, None] + np.arange(_INPUTS)
        there = np.arange(_INPUTS) < self.count[:, None]
        edge = wanted[there]
        producer = index_in(edges.producer.take(pa.array(edge)), profile.nodes.name)
        tensors = _Tensors(profile, _places(profile, producer, edges.output[edge]))
        self.code = np.full(there.shape, -1, np.int64)
        self.code[there] = tensors.code
        self._tensors, self._first = tensors, np.cumsum(there.sum(axis=1)) - there.sum(axis=1)

    def shapes(self, row: int) -> Sequence[Shape | None]:
        total, first = int(self.count[row]), int(self._first[row])
        known = min(total, _INPUTS)
        resolve = [self._tensors.shape(first + index) for index in range(known)]
        return resolve + [None] * (total - known)


def _signatures(attrs: pa.Array) -> Array:
    """A number per list of attributes; those that begin with `_` describe the node, not its op."""
    entries = attrs.flatten()
    owner = np.repeat(np.arange(len(attrs)), np.diff(list_offsets(attrs)))
    wanted = ~pc.starts_with(entries.field("key"), "_").to_numpy(zero_copy_only=False)
    entries, owner = entries.filter(pa.array(wanted)), owner[wanted]
    keys = entries.field("key").dictionary_encode().indices.to_numpy()
    values = entries.field("value").dictionary_encode().indices.to_numpy()
    code, _ = _distinct([keys, values])
    at = np.searchsorted(owner, np.arange(len(attrs) + 1))
    texts = pa.ListArray.from_arrays(pa.array(at, pa.int32()), pa.array(code).cast(pa.string()))
    found: Array = pc.binary_join(texts, ",").dictionary_encode().indices.to_numpy()
    return found


def _distinct(columns: Sequence[Array]) -> tuple[Array, Array]:
    """A number per distinct row of several columns, and where each is met first."""
    key = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        shifted = column.astype(np.int64) - int(column.min(initial=0))
        wide = pa.array(key * (int(shifted.max(initial=0)) + 1) + shifted).dictionary_encode()
        key = wide.indices.to_numpy().astype(np.int64)
    count_of = int(key.max(initial=-1)) + 1
    first = np.empty(count_of, np.int64)
    first[key[::-1]] = np.arange(len(key) - 1, -1, -1)
    return key, first
