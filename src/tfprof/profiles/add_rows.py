"""Rows that files add to the tables of a profile: which nodes names are, and which are new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.schema import (
    ATTRS,
    NO_DEVICE,
    SHAPE,
    SHAPES,
    Array,
    BoolArray,
    LogEntries,
    Nodes,
    before_first,
    strings,
)
from tfprof.protos import graph_pb2

if TYPE_CHECKING:
    from tfprof.loaders.checkpoint import TensorInfo
    from tfprof.loaders.op_log import LogColumns

__all__ = [
    "COPY",
    "first_labels",
    "index_in",
    "is_first_occurrence",
    "make_checkpoint_nodes",
    "make_runtime_nodes",
    "match_nodes",
    "merge_names",
    "unmatched_entries",
]

COPY = "MEMCPY"
"""What the names of records that copy memory contain."""

_NEVER_NODES = ("RecvTensor", "_SOURCE")
_CHECKPOINT_OP = "VariableV2"


def index_in(names: pa.Array, known: pa.Array) -> Array:
    """The position of each name among known ones, -1 where it is none of them."""
    found = pc.index_in(names, value_set=known)
    return found.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)


def is_first_occurrence(names: pa.Array) -> Any:
    """Which rows have a name that no earlier row has."""
    return index_in(names, names) == np.arange(len(names))


def match_nodes(names: pa.Array, known: pa.Array) -> tuple[Array, pa.Array]:
    """The node id of each record's name up to its first colon, and the names of new nodes.

    New nodes are numbered after the known ones; -1 is no node.
    """
    names = before_first(names, ":")
    node = index_in(names, known)
    rows = np.flatnonzero(node < 0)
    if not len(rows):
        return node, strings()
    others = names.take(pa.array(rows)).dictionary_encode()
    distinct = others.dictionary
    skipped = pc.or_(
        pc.match_substring(distinct, COPY), pc.is_in(distinct, value_set=strings(_NEVER_NODES))
    )
    new = ~_flags(skipped)
    ids = np.where(new, len(known) + np.cumsum(new) - 1, -1)
    node[rows] = ids[others.indices.to_numpy()]
    return node, distinct.filter(pa.array(new))


def _flags(column: pa.Array) -> Any:
    return column.to_numpy(zero_copy_only=False).astype(bool)


def first_labels(node: Array, labels: pa.Array) -> dict[str, Any]:
    """The first label of each node that has one."""
    told = np.flatnonzero(_flags(pc.not_equal(labels, "")))[::-1]
    row = np.full(int(node.max(initial=-1)) + 1, -1)
    row[node[told]] = told
    first = row[row >= 0]
    return {"label_node": node[first].astype(np.int32), "label_text": labels.take(pa.array(first))}


def unmatched_entries(log: LogColumns, unknown: BoolArray, stacks_before: int) -> LogEntries:
    """The entries of a log whose names no node has."""
    rows = np.flatnonzero(unknown)
    entry = np.cumsum(unknown) - 1
    typed = unknown[log.type_entry]
    return LogEntries(
        log.name.take(pa.array(rows)),
        log.float_ops[rows],
        np.where(log.stack[rows] >= 0, log.stack[rows] + stacks_before, -1),
        entry[log.type_entry[typed]],
        log.type.filter(pa.array(typed)),
    )


def merge_names(known: tuple[str, ...], more: list[str]) -> tuple[tuple[str, ...], Array]:
    """Known words and new ones after them, and where each of the latter stands."""
    table = {word: position for position, word in enumerate(known)}
    codes = [table.setdefault(word, len(table)) for word in more]
    return tuple(table), np.array(codes, np.int32)


def make_runtime_nodes(names: pa.Array) -> Nodes:
    """Nodes that no graph has: their op type is their name."""
    count = len(names)
    return Nodes(
        names,
        names,
        np.zeros(count, bool),
        pa.array([[]] * count, ATTRS),
        pa.array([[]] * count, SHAPE),
        pa.array([[]] * count, SHAPES),
        np.zeros(count, np.int64),
        np.full(count, -1, np.int64),
        np.full(count, NO_DEVICE, np.int32),
    )


def make_checkpoint_nodes(tensors: Mapping[str, TensorInfo]) -> Nodes:
    """A variable per tensor, with its shape as the attribute that parameters are counted from."""
    count = len(tensors)
    shapes = [list(tensor.shape) for tensor in tensors.values()]
    return replace(
        make_runtime_nodes(strings(tensors)),
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
