"""JSON encoded a column at a time: one text for each event or row, each name escaped once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from json.encoder import encode_basestring_ascii
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.outputs.encoding.row_encoder import Column, DictColumn, encode_rows
from tfprof.profiles.schema import Array
from tfprof.profiles.string_columns import utf8_bytes

ColumnLike: TypeAlias = Any
"""A string that all rows share, an Arrow column of strings, a DictColumn, or integers."""

_REPLACEMENT = 0xFFFD
_DELETE = "\x7f"


def encode_columns(count: int, *columns: ColumnLike) -> Iterator[memoryview]:
    """The bytes of `count` rows, some rows at a time."""
    return encode_rows(count, [_column(count, column) for column in columns])


def take_rows(columns: Sequence[ColumnLike], rows: Array) -> list[ColumnLike]:
    """Some rows of columns that are strings and DictColumns."""
    return [column if isinstance(column, str) else column.take(rows) for column in columns]


def _column(count: int, column: ColumnLike) -> Column:
    if isinstance(column, DictColumn):
        return column
    if isinstance(column, str):
        return column.encode()
    if isinstance(column, pa.Array):
        return DictColumn(column)
    if column.dtype != object and count and column.min() >= 0 and column.max() < count // 4:
        return DictColumn(format_integers(np.arange(int(column.max()) + 1)), column)
    return DictColumn(format_integers(column))


def concat_columns(count: int, *columns: ColumnLike) -> pa.Array:
    """For each of `count` rows the text of its columns, as a column of strings."""
    if not count:
        return pa.array([], pa.string())
    texts = [
        column if isinstance(column, (str, pa.Array)) else format_integers(column)
        for column in columns
    ]
    # Arrow's own pool is slow with the first large blocks of a process.
    return pc.binary_join_element_wise(*texts, "", memory_pool=pa.system_memory_pool())


def format_integers(values: Array) -> pa.Array:
    """Integers as text."""
    if values.dtype == object:
        return pa.array(map(str, values.tolist()), pa.string())
    return pa.array(values).cast(pa.string())


def quote_json(text: str) -> str:
    """A JSON string, in ASCII."""
    # The original leaves the one control character alone that Python escapes.
    return encode_basestring_ascii(text).replace(r"\u007f", _DELETE)


def escape_json(names: pa.Array) -> pa.Array:
    """The names as they stand between the quotes of JSON strings, each distinct one escaped once.

    A name may have been cut inside a character; it is decoded as the original does then.
    """
    if _is_plain(utf8_bytes(names)):
        return names
    encoded = names.cast(pa.binary()).dictionary_encode()
    escaped = [quote_json(_decode(name))[1:-1] for name in encoded.dictionary.to_pylist()]
    return pa.array(escaped, pa.string()).take(encoded.indices)


def _is_plain(codes: Array) -> bool:
    """Whether JSON needs no escapes for these bytes."""
    if not len(codes):
        return True
    return not (
        codes.min() < ord(" ")
        or codes.max() > ord(_DELETE)
        or (codes == ord('"')).any()
        or (codes == ord("\\")).any()
    )


def _decode(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _decode_loosely(data)


def _decode_loosely(data: bytes) -> str:
    """Text from invalid UTF-8: the original does not check what follows a first byte."""
    points: list[int] = []
    i = 0
    while i < len(data):
        first = data[i]
        length = 1 if first < 0x80 or first >= 0xF8 else 2 + (first >= 0xE0) + (first >= 0xF0)
        i += 1
        if length == 1 or i + length - 1 > len(data):
            points.append(first if first < 0x80 else _REPLACEMENT)
            continue
        point = first & (0xFF >> (length + 1))
        for byte in data[i : i + length - 1]:
            point = point << 6 | byte & 0x3F
        i += length - 1
        smallest = (0x80, 0x800, 0x10000)[length - 2]
        valid = smallest <= point <= 0x10FFFF and not 0xD800 <= point < 0xE000
        points.append(point if valid else _REPLACEMENT)
    return "".join(map(chr, points))
