"""Integer codes by which equal lists of attributes, shapes or tensors are found."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.grouping import distinct_rows, group_offsets, list_offsets
from tfprof.profiles.schema import Array, BoolArray


def list_codes(offsets: Array, values: Array) -> Array:
    """A code for each list of integers; equal lists have equal codes."""
    numbers = np.ascontiguousarray(values, np.int64)
    # Arrow encodes no lists, but their bytes.
    ends = np.ascontiguousarray(offsets, np.int64) * numbers.itemsize
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(numbers)]
    lists = pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, buffers)
    codes: Array = lists.dictionary_encode().indices.to_numpy()
    return codes


def filter_attrs(attrs: pa.Array, is_used: BoolArray) -> pa.Array:
    """The attributes of each node, without those that do not count."""
    owner = pc.list_parent_indices(attrs).to_numpy()[is_used]
    offsets = pa.array(group_offsets(owner, len(attrs)), pa.int32())
    return pa.ListArray.from_arrays(offsets, attrs.flatten().filter(pa.array(is_used)))


def attr_codes(attrs: pa.Array) -> Array:
    """A code for the attributes of each node."""
    entries = attrs.flatten()
    columns = [entries.field(name).dictionary_encode().indices for name in ("key", "value")]
    code, _ = distinct_rows([column.to_numpy() for column in columns])
    return list_codes(list_offsets(attrs), code)


def is_op_attr(keys: pa.Array) -> BoolArray:
    """Which attributes are the op's own; those that begin with `_` describe the node."""
    mask: BoolArray = ~pc.starts_with(keys, "_").to_numpy(zero_copy_only=False)
    return mask
