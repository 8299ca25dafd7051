"""Arrow columns of protobuf fields as NumPy arrays."""

from __future__ import annotations

import pyarrow as pa

from tfprof.profiles.schema import Array, BoolArray


def numbers(column: pa.Array) -> Array:
    """A column of numbers; 0 where the enclosing message is absent."""
    return (column.fill_null(0) if column.null_count else column).to_numpy(zero_copy_only=False)


def present(messages: pa.Array) -> BoolArray:
    """Which rows have a sub-message."""
    mask: BoolArray = messages.is_valid().to_numpy(zero_copy_only=False)
    return mask
