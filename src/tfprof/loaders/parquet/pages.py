"""Whether the pages of a Parquet file are as large as its footer says.

A page states its own sizes, and Arrow unpacks what it states: 12 KB took 400 MB though the footer
stated 9 KB.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tfprof.loaders.files import file_size, read_range
from tfprof.loaders.parquet.footer import ColumnChunk
from tfprof.loaders.parquet.thrift import ThriftReader

_DATA_HEADERS = (5, 8)
"""The fields that describe a page of data of the first and second version."""
_MIN_VALUE_SIZE = 4
"""The bytes of the smallest value of a dictionary: an integer, or the length of a string."""


class _Page(NamedTuple):
    """What a page states of itself."""

    size: int
    compressed_size: int
    values: int
    dictionary_values: int
    end: int
    """Where its content ends."""


def pages_fit(path: Path, chunks: Iterable[ColumnChunk]) -> bool:
    """Whether no page holds more than the footer says; a ValueError if one is malformed."""
    left = file_size(path, "the table")
    for chunk in chunks:
        left -= chunk.size
        # Of a chunk without values Arrow reads no page, and writes wrong offsets.
        if chunk.size < 0 or left < 0 or (chunk.num_values and not _chunk_fits(path, chunk)):
            return False
    return True


def _chunk_fits(path: Path, chunk: ColumnChunk) -> bool:
    data = read_range(path, chunk.start, chunk.size, "a column")
    offset, unpacked, values = 0, 0, 0
    while offset < len(data):
        page = _read_page(data, offset)
        sizes = (page.size, page.compressed_size, page.values, page.dictionary_values)
        if min(sizes) < 0 or page.dictionary_values * _MIN_VALUE_SIZE > page.size:
            return False
        unpacked += page.size
        values += page.values
        if unpacked > chunk.uncompressed_size or values > chunk.num_values:
            return False
        offset = page.end
    return offset == len(data)


def _read_page(data: bytes, offset: int) -> _Page:
    """The page at an offset of a column chunk; a ValueError if its header is malformed."""
    try:
        reader = ThriftReader(data, offset)
        page = reader.read_struct()
        values = (_count(page[field]) for field in _DATA_HEADERS if field in page)
        return _Page(
            size=_integer(page[2]),
            compressed_size=_integer(page[3]),
            values=max(values, default=0),
            dictionary_values=_count(page[7]) if 7 in page else 0,
            end=reader.offset + page[3],
        )
    except (IndexError, KeyError, TypeError, ValueError):
        raise ValueError("a page is malformed") from None


def _count(description: Any) -> int:
    """How many values a page has, by its description."""
    if type(description) is not dict:
        raise TypeError("not a struct")
    return _integer(description[1])


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("not an integer")
    return value
