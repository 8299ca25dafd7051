"""The column chunks in the footer of a Parquet file, read by a small parser of Thrift.

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
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tfprof.loaders.files import file_size, read_range
from tfprof.protos.varint import read_varint

BYTE_ARRAY = 6
"""The physical type of columns whose values are strings or bytes."""

DICTIONARY_ENCODINGS = frozenset({2, 8})
"""PLAIN_DICTIONARY and RLE_DICTIONARY: an index for each value, and each distinct value once."""

_MAGIC = b"PAR1"
_TAIL_SIZE = 8
_MAX_DEPTH = 30
_TRUE, _FALSE = 1, 2


class ColumnChunk(NamedTuple):
    """The values of one column in one row group."""

    path: str
    type: int
    encodings: frozenset[int]
    num_values: int
    uncompressed_size: int


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
        row_groups = _ThriftReader(data).read_struct()[4]
        return [_chunk(column[3]) for group in row_groups for column in group[1]]
    except (IndexError, KeyError, TypeError, AttributeError, UnicodeDecodeError):
        raise ValueError("its footer is malformed") from None


def _chunk(fields: dict[int, Any]) -> ColumnChunk:
    name = b".".join(fields[3]).decode()
    return ColumnChunk(name, fields[1], frozenset(fields[2]), fields[5], fields[6])


class _ThriftReader:
    """Thrift's compact protocol: a struct is a dict of its fields by number."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.offset = 0
        self.depth = 0

    def read_struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while header := self._read_byte():
            number = number + (header >> 4) if header >> 4 else self._read_integer()
            kind = header & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._read_value(kind)
        return fields

    def _read_value(self, kind: int) -> Any:
        read = _READERS.get(kind)
        if read is None or self.depth > _MAX_DEPTH:
            raise ValueError("its footer has a value of no known type, or is nested too deeply")
        self.depth += 1
        value = read(self)
        self.depth -= 1
        return value

    def _read_byte(self) -> int:
        self.offset += 1
        return self.data[self.offset - 1]

    def _read_integer(self) -> int:
        value, self.offset = read_varint(self.data, self.offset)
        return value >> 1 ^ -(value & 1)

    def _read_size(self) -> int:
        size, self.offset = read_varint(self.data, self.offset)
        return size

    def _read_binary(self) -> bytes:
        return self._read_bytes(self._read_size())

    def _read_bytes(self, size: int) -> bytes:
        if size > len(self.data) - self.offset:
            raise ValueError("its footer ends too early")
        self.offset += size
        return self.data[self.offset - size : self.offset]

    def _read_list(self) -> list[Any]:
        header = self._read_byte()
        size, kind = header >> 4, header & 15
        if size == 15:
            size = self._read_size()
        # In a list a boolean takes a byte; every other value takes one at least.
        if kind in (_TRUE, _FALSE):
            return list(self._read_bytes(size))
        return [self._read_value(kind) for _ in range(size)]

    def _read_map(self) -> list[Any]:
        size = self._read_size()
        kinds = self._read_byte() if size else 0
        return [(self._read_value(kinds >> 4), self._read_value(kinds & 15)) for _ in range(size)]


_READERS: dict[int, Callable[[_ThriftReader], Any]] = {
    3: _ThriftReader._read_byte,
    **dict.fromkeys((4, 5, 6), _ThriftReader._read_integer),
    7: lambda reader: reader._read_bytes(8),
    8: _ThriftReader._read_binary,
    **dict.fromkeys((9, 10), _ThriftReader._read_list),
    11: _ThriftReader._read_map,
    12: _ThriftReader.read_struct,
}
"""Thrift type -> how a value of it is read."""
