"""Rows that files add to the tables of a profile: which nodes they are of, and which are new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.schema import ATTRS, NO_DEVICE, SHAPE, SHAPES, Array, BoolArray, Nodes
from tfprof.profiles.string_columns import strings
from tfprof.protos import graph_pb2

COPY = "MEMCPY"
"""A part of the names of records that copy memory."""
_NEVER_NODES = ("RecvTensor", "_SOURCE")
_CHECKPOINT_OP = "VariableV2"


def index_in(names: pa.Array, known: pa.Array) -> Array:
    """The position of each name in `known`, -1 if it is not there."""
    if pa.types.is_dictionary(names.type):
        return index_in(names.dictionary, known)[names.indices.to_numpy()]
    index = pc.index_in(names, value_set=known)
    return index.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)


def is_first_occurrence(names: pa.Array) -> Any:
    """Which rows have a name that no earlier row has."""
    return index_in(names, names) == np.arange(len(names))


def nodes_with_attr(nodes: Nodes, key: str, value: bytes) -> BoolArray:
    """Which nodes have an attribute of this key and serialized value."""
    entries = nodes.attrs.flatten()
    matches = pc.and_(pc.equal(entries.field("key"), key), pc.equal(entries.field("value"), value))
    mask = np.zeros(len(nodes), bool)
    mask[pc.list_parent_indices(nodes.attrs).filter(matches).to_numpy()] = True
    return mask


def as_dictionary(names: pa.Array) -> pa.DictionaryArray:
    """Names as a dictionary. Nearly all names of a RunMetadata differ, so they are not compared."""
    if pa.types.is_dictionary(names.type):
        return names
    return pa.DictionaryArray.from_arrays(np.arange(len(names), dtype=np.int32), names)


def match_nodes(names: pa.Array, known: pa.Array) -> tuple[Array, pa.Array]:
    """The node of each record, by its name up to the first colon, and the names of new nodes.

    New nodes are numbered after the known ones; -1 is no node.
    """
    if pa.types.is_dictionary(names.type):
        node, unknown = _match_names(names.dictionary, known)
        return node[names.indices.to_numpy()], unknown
    return _match_names(names, known)


def _match_names(names: pa.Array, known: pa.Array) -> tuple[Array, pa.Array]:
    names = pc.list_element(pc.split_pattern(names, ":", max_splits=1), 0)
    node = index_in(names, known)
    rows = np.flatnonzero(node < 0)
    if not len(rows):
        return node, strings()
    unknown = names.take(pa.array(rows)).dictionary_encode()
    distinct = unknown.dictionary
    skipped = pc.or_(
        pc.match_substring(distinct, COPY), pc.is_in(distinct, value_set=strings(_NEVER_NODES))
    )
    new = ~skipped.to_numpy(zero_copy_only=False)
    ids = np.where(new, len(known) + np.cumsum(new) - 1, -1)
    node[rows] = ids[unknown.indices.to_numpy()]
    return node, distinct.filter(pa.array(new))


def merge_names(known: tuple[str, ...], more: list[str]) -> tuple[tuple[str, ...], Array]:
    """Known names and new ones after them, and the index of each of `more`."""
    index = {name: position for position, name in enumerate(known)}
    indices = [index.setdefault(name, len(index)) for name in more]
    return tuple(index), np.array(indices, np.int32)


def make_graph_nodes(
    name: pa.Array, op: pa.Array, attrs: pa.Array, shape: pa.Array, output_shapes: pa.Array
) -> Nodes:
    """Nodes of a graph, without what op logs and saved profiles add."""
    count = len(name)
    return Nodes(
        name,
        op,
        np.ones(count, bool),
        attrs.cast(ATTRS),
        shape,
        output_shapes,
        np.zeros(count, np.int64),
        np.full(count, -1, np.int64),
        np.full(count, NO_DEVICE, np.int32),
    )


def make_runtime_nodes(names: pa.Array) -> Nodes:
    """Nodes that no graph has: their op type is their name."""
    empty = [pa.array([[]] * len(names), data_type) for data_type in (ATTRS, SHAPE, SHAPES)]
    nodes = make_graph_nodes(names, names, *empty)
    return replace(nodes, in_graph=np.zeros(len(names), bool))


def make_checkpoint_nodes(tensor_shapes: Mapping[str, tuple[int, ...]]) -> Nodes:
    """A variable for each tensor, by name; parameters are counted from its attribute `shape`."""
    count = len(tensor_shapes)
    shapes = [list(shape) for shape in tensor_shapes.values()]
    return replace(
        make_runtime_nodes(strings(tensor_shapes)),
        op=strings([_CHECKPOINT_OP] * count),
        in_graph=np.ones(count, bool),
        attrs=pa.array([[{"key": "shape", "value": _shape_attr(s)}] for s in shapes], ATTRS),
        shape=pa.array([shape or [1] for shape in shapes], SHAPE),
    )


def _shape_attr(sizes: list[int]) -> bytes:
    dims = [graph_pb2.TensorShapeProto.Dim(size=size) for size in sizes]
    shape = graph_pb2.TensorShapeProto(dim=dims)
    data: bytes = graph_pb2.AttrValue(shape=shape).SerializeToString()
    return data
