"""What the footer of a Parquet file says of its columns.

Arrow can be asked the same, but ends the process where a footer contradicts itself.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tfprof.protos.varint import read_varint

__all__ = ["DICTIONARIES", "TEXT", "Chunk", "read_footer"]

TEXT = 6
"""The type of columns whose values are bytes."""

DICTIONARIES = frozenset({2, 8})
"""The encodings that have a number for each value, and each value once."""

_MAGIC = b"PAR1"
_TAIL = 8
_DEEPEST = 30
_TRUE, _FALSE = 1, 2


class Chunk(NamedTuple):
    """The values of one column in one group of rows."""

    path: str
    type: int
    encodings: frozenset[int]
    values: int
    unpacked: int


def read_footer(path: Path) -> list[Chunk]:
    """The chunks of all columns; a ValueError if the footer is broken."""
    with path.open("rb") as file:
        end = file.seek(0, 2)
        file.seek(max(end - _TAIL, 0))
        tail = file.read(_TAIL)
        if len(tail) < _TAIL or tail[4:] != _MAGIC:
            raise ValueError("it does not end as Parquet files do")
        (size,) = struct.unpack("<I", tail[:4])
        if size > end - _TAIL:
            raise ValueError(f"its footer of {size} bytes is larger than the file")
        file.seek(end - _TAIL - size)
        data = file.read(size)
    try:
        groups = _Footer(data).struct()[4]
        return [_chunk(column[3]) for group in groups for column in group[1]]
    except (IndexError, KeyError, TypeError, AttributeError, UnicodeDecodeError):
        raise ValueError("its footer is broken") from None


def _chunk(fields: dict[int, Any]) -> Chunk:
    name = b".".join(fields[3]).decode()
    return Chunk(name, fields[1], frozenset(fields[2]), fields[5], fields[6])


class _Footer:
    """Thrift's compact protocol: a struct is its fields by number."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.depth = 0

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while header := self._byte():
            number = number + (header >> 4) if header >> 4 else self._number()
            kind = header & 15
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:
        read = _READERS.get(kind)
        if read is None or self.depth > _DEEPEST:
            raise ValueError("its footer has a value of no known type, or is nested too deeply")
        self.depth += 1
        value = read(self)
        self.depth -= 1
        return value

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _number(self) -> int:
        value, self.at = read_varint(self.data, self.at)
        return value >> 1 ^ -(value & 1)

    def _binary(self) -> bytes:
        size, self.at = read_varint(self.data, self.at)
        return self._part(size)

    def _part(self, size: int) -> bytes:
        if size > len(self.data) - self.at:
            raise ValueError("its footer ends too early")
        self.at += size
        return self.data[self.at - size : self.at]

    def _list(self) -> list[Any]:
        header = self._byte()
        size, kind = header >> 4, header & 15
        if size == 15:
            size, self.at = read_varint(self.data, self.at)
        # In a list truths take a byte each, as everything takes one at least.
        if kind in (_TRUE, _FALSE):
            return list(self._part(size))
        return [self._value(kind) for _ in range(size)]

    def _map(self) -> list[Any]:
        size, self.at = read_varint(self.data, self.at)
        kinds = self._byte() if size else 0
        return [(self._value(kinds >> 4), self._value(kinds & 15)) for _ in range(size)]

    def _octet(self) -> bytes:
        return self._part(1)

    def _double(self) -> bytes:
        return self._part(8)


_READERS: dict[int, Callable[[_Footer], Any]] = {
    3: _Footer._octet,
    **dict.fromkeys((4, 5, 6), _Footer._number),
    7: _Footer._double,
    8: _Footer._binary,
    **dict.fromkeys((9, 10), _Footer._list),
    11: _Footer._map,
    12: _Footer.struct,
}
