"""Protobuf wire bytes straight to Arrow columns, and their numbers as NumPy arrays.

protobuf parses the bytes first and rejects what is malformed: the column reader, which trusts its
input, agrees with protobuf on all that is left.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.message import DecodeError, Message
from ptars import HandlerPool

from tfprof.errors import LoadError
from tfprof.profiles.schema import Array, BoolArray
from tfprof.protos import columns_pb2
from tfprof.runtime.exceptions import is_error

_SMALL = 10_000
_FIRST_ROW = pa.array([0])


@cache
def _handler(name: str) -> Any:
    return HandlerPool([columns_pb2.DESCRIPTOR]).get_for_message(
        columns_pb2.DESCRIPTOR.message_types_by_name[name]
    )


def _batch(data: bytes, columns: type[Message]) -> pa.RecordBatch:
    try:
        batch = _handler(columns.DESCRIPTOR.name).list_to_record_batch([data])
        # The reader makes room for 1,000 values of each column: with thousands of runs, gigabytes.
        return batch.take(_FIRST_ROW) if len(data) < _SMALL else batch
    except BaseException as error:
        if isinstance(error, MemoryError) or not is_error(error):
            raise
        raise DecodeError(f"the columns cannot be read: {error}") from None


def columns_of(message: Message, columns: type[Message]) -> pa.RecordBatch:
    """A message as a batch of one row, read through a wire-compatible message of columns.proto."""
    try:
        return _batch(message.SerializeToString(deterministic=True), columns)
    except DecodeError as error:
        raise LoadError(f"{message.DESCRIPTOR.name}: {error}") from None


def columns_of_bytes(
    data: bytes, columns: type[Message], *, well_formed: bool = False
) -> pa.RecordBatch:
    """A serialized message as a batch of one row; a DecodeError if it is malformed.

    Only the fields of columns.proto are validated. `well_formed` bytes, which this package has just
    written itself, are not.
    """
    if not well_formed:
        columns.FromString(data)
    return _batch(data, columns)


def numbers(column: pa.Array) -> Array:
    """A column of numbers; 0 where the enclosing message is absent."""
    return (column.fill_null(0) if column.null_count else column).to_numpy(zero_copy_only=False)


def is_present(messages: pa.Array) -> BoolArray:
    """Which rows have a sub-message."""
    mask: BoolArray = messages.is_valid().to_numpy(zero_copy_only=False)
    return mask


def parent_indices(lists: pa.Array, dtype: type = np.int64) -> Array:
    """The row of the list that each flattened element is in."""
    return pc.list_parent_indices(lists).to_numpy().astype(dtype, copy=False)
