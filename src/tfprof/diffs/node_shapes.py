"""Op types and shapes of the nodes of two profiles, as numbers that both share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.diffs.contents import mix
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array

NO_SHAPE = -1
_VARIABLES = r"^(VarHandleOp|Variable(V2)?|AutoReloadVariable|ResourceVariable)$"


class NodeShapes(NamedTuple):
    """A hash of the shape of each variable, and the last size of each variable or output.

    `NO_SHAPE` is none. Other sizes of outputs are not compared: they depend on the batch and, as in
    images, on layers before.
    """

    shape: Array
    width: Array


def share_codes(columns: list[pa.Array]) -> list[Array]:
    """The strings of columns as numbers that all of them share."""
    codes = pa.concat_arrays(columns).dictionary_encode().indices.to_numpy().astype(np.int64)
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def graph_ops(profile: Profile) -> pa.Array:
    """The op types of the graph; the runtime's own, which begin with `_`, are types beside them."""
    ops = profile.nodes.op
    is_kernel = pc.starts_with(ops, "_").to_numpy(zero_copy_only=False)
    is_other = is_kernel[profile.type_node] & ~pc.starts_with(profile.type_name, "_").to_numpy(
        zero_copy_only=False
    )
    rows = np.flatnonzero(is_other)
    if not len(rows):
        return ops
    row_of = np.full(len(ops), -1, np.int64)
    row_of[profile.type_node[rows]] = rows
    mask = row_of >= 0
    return pc.replace_with_mask(ops, pa.array(mask), profile.type_name.take(row_of[mask]))


def node_shapes(before: Profile, after: Profile) -> tuple[NodeShapes, NodeShapes]:
    """The shapes of the nodes of two profiles; outputs count if both profiles have them."""
    has_outputs = all(_has_outputs(profile) for profile in (before, after))
    first, second = (_node_shapes(profile, outputs=has_outputs) for profile in (before, after))
    return first, second


def _are_variables(profile: Profile) -> Array:
    mask: Array = pc.match_substring_regex(profile.nodes.op, _VARIABLES).to_numpy(
        zero_copy_only=False
    )
    return mask


def _has_outputs(profile: Profile) -> bool:
    count = np.diff(list_offsets(profile.nodes.output_shapes))
    return bool((count[~_are_variables(profile)] > 0).any())


def _node_shapes(profile: Profile, *, outputs: bool) -> NodeShapes:
    shapes = profile.nodes.shape
    offsets, sizes = list_offsets(shapes), shapes.flatten().to_numpy()
    offsets = offsets - offsets[0]
    axis = np.arange(len(sizes)) - np.repeat(offsets[:-1], np.diff(offsets))
    sums = np.zeros(len(sizes) + 1, np.uint64)
    np.cumsum(mix(mix(sizes) ^ axis.astype(np.uint64)), out=sums[1:])
    width = _last(sizes, offsets)
    shape = np.where(width >= 0, (sums[offsets[1:]] - sums[offsets[:-1]]) >> np.uint64(2), 0)
    shape = np.where(width >= 0, shape.astype(np.int64), NO_SHAPE)
    if outputs:
        rows = np.flatnonzero((width < 0) & ~_are_variables(profile))
        width[rows] = _first_widths(profile.nodes.output_shapes)[rows]
    return NodeShapes(shape, width)


def _first_widths(outputs: pa.Array) -> Array:
    """The last size of the first output of each node."""
    outer, inner = list_offsets(outputs), outputs.flatten()
    bounds, sizes = list_offsets(inner), inner.flatten().to_numpy()
    width = np.append(_last(sizes, bounds - bounds[0]), NO_SHAPE)
    outer = outer - outer[0]
    return np.where(np.diff(outer) > 0, width[outer[:-1]], NO_SHAPE)


def _last(sizes: Array, offsets: Array) -> Array:
    """The last of the sizes of each shape; none if it is not known."""
    last = np.append(sizes, NO_SHAPE)[offsets[1:] - 1]
    return np.where(np.diff(offsets) > 0, np.maximum(last, NO_SHAPE), NO_SHAPE)
