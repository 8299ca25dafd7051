"""Whether the pages of a Parquet file are as large as its footer says.

A page states its own sizes, and Arrow unpacks what it states: 12 KB took 400 MB though the footer
stated 9 KB.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tfprof.loaders.files import file_size, read_range
from tfprof.loaders.parquet.footer import ColumnChunk
from tfprof.loaders.parquet.thrift import ThriftReader

_DATA_HEADERS = (5, 8)
"""The fields that describe a page of data of the first and second version."""
_MIN_VALUE_SIZE = 4
"""The bytes of the smallest value of a dictionary: an integer, or the length of a string."""


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
        try:
            reader = ThriftReader(data, offset)
            page = reader.read_struct()
            size, compressed_size = page[2], page[3]
            count = max((page[field][1] for field in _DATA_HEADERS if field in page), default=0)
        except (IndexError, KeyError, TypeError, ValueError):
            raise ValueError("a page is malformed") from None
        if min(size, compressed_size, count) < 0 or not _dictionary_fits(page):
            return False
        unpacked += size
        values += count
        if unpacked > chunk.uncompressed_size or values > chunk.num_values:
            return False
        offset = reader.offset + compressed_size
    return offset == len(data)


def _dictionary_fits(page: dict[int, Any]) -> bool:
    """Whether a page can hold the values of the dictionary that it is, if it is one."""
    dictionary = page.get(7)
    return not dictionary or 0 <= dictionary[1] * _MIN_VALUE_SIZE <= page[2]
