"""The column chunks in the footer of a Parquet file.

`file.py` needs the sizes of column chunks before it unpacks any. Without them two small files (790
bytes and 3.0 KB) made Arrow grow by about 3 GB. Arrow has the sizes too, but aborts the process
when it is asked for those of a hostile file: 77 times in 200,000 files of the fuzzer.

Arrow's IPC format would not need this parser: of 3.5 million inputs of the same fuzzer none aborted
the process, but 5 ran into the time limit of 20 s, unexplained. It takes 13 times the space of
Parquet (1.7 times with zstd, which needs the same bounds: 13 KB may unpack to 400 MB), and DuckDB
and others cannot read it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tfprof.loaders.files import file_size, read_range
from tfprof.loaders.parquet.thrift import BINARY, I32, I64, LIST, STRUCT, Struct, ThriftReader

BYTE_ARRAY = 6
"""The physical type of columns whose values are strings or bytes."""

DICTIONARY_ENCODINGS = frozenset({2, 8})
"""PLAIN_DICTIONARY and RLE_DICTIONARY: an index for each value, and each distinct value once."""

_FIXED_LEN_BYTE_ARRAY = 7
_MAGIC = b"PAR1"
_TAIL_SIZE = 8
_MAX_SCHEMA_DEPTH = 100  # Arrow 26 has the same limit

_ELEMENT_TYPES: dict[tuple[int, ...], int] = {
    **dict.fromkeys([(2,), (4,), (5,), (7,)], STRUCT),  # of the file
    **dict.fromkeys([(4, 1), (4, 4)], STRUCT),  # of row groups
    (4, 1, 3, 2): I32,  # encodings of a column chunk
    (4, 1, 3, 3): BINARY,  # its path
    **dict.fromkeys([(4, 1, 3, 8), (4, 1, 3, 13)], STRUCT),
    **dict.fromkeys([(4, 1, 3, 16, 2), (4, 1, 3, 16, 3)], I64),  # its statistics of sizes
    (4, 1, 3, 17, 2): I32,  # its geospatial statistics
    (4, 1, 8, 2, 1): BINARY,  # its encryption
}
"""The numbers of the fields that lead to a list -> the type of its elements, in parquet.thrift."""


class ColumnChunk(NamedTuple):
    """The values of one column in one row group."""

    path: str
    type: int
    encodings: frozenset[int]
    num_values: int
    uncompressed_size: int
    start: int
    size: int
    width: int = 0
    """The bytes of each value, also of none, if values are bytes of one length."""


class _Leaf(NamedTuple):
    """A column in the schema."""

    path: list[bytes]
    type: int
    width: int


def read_footer(path: Path) -> list[ColumnChunk]:
    """The chunks of all columns; a ValueError if the footer is malformed."""
    end = file_size(path, "the table")
    tail = read_range(path, max(end - _TAIL_SIZE, 0), min(end, _TAIL_SIZE), "the footer")
    if len(tail) < _TAIL_SIZE or tail[4:] != _MAGIC:
        raise ValueError("it does not end as Parquet files do")
    (size,) = struct.unpack("<I", tail[:4])
    if size > end - _TAIL_SIZE:
        raise ValueError(f"its footer of {size} bytes is larger than the file")
    data = read_range(path, end - _TAIL_SIZE - size, size, "the footer")
    try:
        footer = ThriftReader(data, element_types=_ELEMENT_TYPES).read_struct()
        leaves = _leaves(footer[2, LIST])
        return [chunk for group in footer[4, LIST] for chunk in _chunks(group[1, LIST], leaves)]
    except (IndexError, KeyError, TypeError, AttributeError, ValueError):
        raise ValueError("its footer is malformed") from None


def _leaves(elements: list[Struct]) -> list[_Leaf]:
    """The columns of a schema, whose groups each come before as many elements as they state."""
    leaves: list[_Leaf] = []
    names: list[bytes] = []
    missing = [elements[0].get((5, I32), 0)]
    for element in elements[1:]:
        while not missing[-1]:
            missing.pop()
            names.pop()
        missing[-1] -= 1
        names.append(element[4, BINARY])
        children = element.get((5, I32), 0)
        if children < 0 or len(names) > _MAX_SCHEMA_DEPTH:
            raise ValueError("the schema is malformed")
        if (1, I32) in element and not children:
            leaves.append(_leaf(element, names))
        missing.append(children)
    # Arrow reads a table without columns row by row, of which it may state any number.
    if any(missing) or not leaves:
        raise ValueError("the schema is malformed")
    return leaves


def _leaf(element: Struct, names: list[bytes]) -> _Leaf:
    kind = element[1, I32]
    width = element[2, I32] if kind == _FIXED_LEN_BYTE_ARRAY else 0
    if width < 0:
        raise ValueError("a length is negative")
    return _Leaf(list(names), kind, width)


def _chunks(columns: Iterable[Struct], leaves: list[_Leaf]) -> list[ColumnChunk]:
    """The column chunks of a row group, of which Arrow believes the schema."""
    return [_chunk(column[3, STRUCT], leaf) for column, leaf in zip(columns, leaves, strict=True)]


def _chunk(fields: Struct, leaf: _Leaf) -> ColumnChunk:
    if (fields[3, LIST], fields[1, I32]) != (leaf.path, leaf.type):
        raise ValueError("a column chunk is not of its column")
    start, dictionary = fields[9, I64], fields.get((11, I64), 0)
    return ColumnChunk(
        path=b".".join(leaf.path).decode(),
        type=leaf.type,
        encodings=frozenset(fields[2, LIST]),
        num_values=fields[5, I64],
        uncompressed_size=fields[6, I64],
        start=dictionary if 0 < dictionary < start else start,
        size=fields[7, I64],
        width=leaf.width,
    )
