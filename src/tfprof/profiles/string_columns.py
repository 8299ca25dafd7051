"""Columns of strings as the bytes that Arrow keeps, for what `pyarrow.compute` has no function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.schema import Array


def strings(values: Any = ()) -> pa.Array:
    """A column of strings."""
    return pa.array(values, pa.string())


def byte_sizes(column: pa.Array) -> Array:
    """The bytes of each string."""
    sizes: Array = pc.binary_length(column).to_numpy().astype(np.int64)
    return sizes


def value_offsets(column: pa.Array) -> Array:
    """Where each string starts, and where the last one ends, in the bytes of a column."""
    offsets: Array = np.frombuffer(column.buffers()[1], np.int32)
    return offsets[column.offset : column.offset + len(column) + 1]


def utf8_bytes(column: pa.Array) -> Array:
    """The bytes of all strings of a column, one after the other."""
    offsets = value_offsets(column)
    data: Array = np.frombuffer(column.buffers()[2] or b"", np.uint8)[offsets[0] : offsets[-1]]
    return data


def slice_strings(column: pa.Array, start: Array, end: Array) -> pa.Array:
    """The strings from each `start` to each `end`, which count from the first byte of a column.

    No slice may start before the end of the one before it.
    """
    if not len(start):
        return column.slice(0, 0)
    bounds = np.empty(2 * len(start) + 1, np.int32)
    bounds[0:-1:2], bounds[1:-1:2], bounds[-1] = start, end, end[-1]
    bounds += value_offsets(column)[0]
    # Every second string is a slice, the others are what lies between two slices.
    both = pa.Array.from_buffers(
        column.type, 2 * len(start), [None, pa.py_buffer(bounds), column.buffers()[2]]
    )
    return both.take(pa.array(np.arange(0, 2 * len(start), 2)))
