"""Whether the pages of a Parquet file are as large as its footer says.

A page states its own sizes, and Arrow unpacks what it states: 12 KB took 400 MB though the footer
stated 9 KB.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tfprof.loaders.files import file_size, read_range
from tfprof.loaders.parquet.footer import ColumnChunk
from tfprof.loaders.parquet.thrift import I32, STRUCT, ThriftReader

_DATA_HEADERS = {0: (5, 2), 3: (8, 4)}
"""Types of pages of data, of the first and second version -> the fields of their description, and
of the encoding in it."""
_DICTIONARY, _DICTIONARY_HEADER = 2, 7
_MIN_VALUE_SIZE = 4
"""The bytes of the smallest value of a dictionary: an integer, or the length of a string.

Bytes of one length may be fewer."""


class _Page(NamedTuple):
    """What a page states of itself."""

    size: int
    compressed_size: int
    values: int
    encoding: int | None
    """None of a page without data."""
    dictionary_values: int
    end: int
    """Where its content ends."""


def pages_fit(path: Path, chunks: Iterable[ColumnChunk]) -> bool:
    """Whether pages hold what the footer says; a ValueError if one is malformed."""
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
        if not _page_fits(page, chunk):
            return False
        unpacked += page.size
        values += page.values
        if unpacked > chunk.uncompressed_size or values > chunk.num_values:
            return False
        offset = page.end
    # Of some old writers Arrow reads behind the chunk as long as it lacks values.
    return offset == len(data) and values == chunk.num_values


def _page_fits(page: _Page, chunk: ColumnChunk) -> bool:
    """Whether a page has sizes that are possible, and an encoding that the footer names."""
    if min(page.size, page.compressed_size, page.values, page.dictionary_values) < 0:
        return False
    if page.encoding is not None and page.encoding not in chunk.encodings:
        return False
    return page.dictionary_values * (chunk.width or _MIN_VALUE_SIZE) <= page.size


def _read_page(data: bytes, offset: int) -> _Page:
    """The page at an offset of a column chunk; a ValueError if its header is malformed."""
    try:
        reader = ThriftReader(data, offset)
        page = reader.read_struct()
        kind, values, encoding, dictionary_values = page[1, I32], 0, None, 0
        if kind in _DATA_HEADERS:
            header, encoding_field = _DATA_HEADERS[kind]
            values = page[header, STRUCT][1, I32]
            encoding = page[header, STRUCT][encoding_field, I32]
        elif kind == _DICTIONARY:
            dictionary_values = page[_DICTIONARY_HEADER, STRUCT][1, I32]
        return _Page(
            size=page[2, I32],
            compressed_size=page[3, I32],
            values=values,
            encoding=encoding,
            dictionary_values=dictionary_values,
            end=reader.offset + page[3, I32],
        )
    except (IndexError, KeyError, ValueError):
        raise ValueError("a page is malformed") from None
