"""Thrift's compact protocol, in which Parquet files describe themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfprof.protos.varint import read_varint

_MAX_DEPTH = 30
_TRUE, _FALSE = 1, 2


class ThriftReader:
    """Reads values from an offset on; a struct is a dict of its fields by number."""

    def __init__(self, data: bytes, offset: int = 0) -> None:
        self.data = data
        self.offset = offset
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
            raise ValueError("no known type, or nested too deeply")
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
            raise ValueError("ends too early")
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


_READERS: dict[int, Callable[[ThriftReader], Any]] = {
    3: ThriftReader._read_byte,
    **dict.fromkeys((4, 5, 6), ThriftReader._read_integer),
    7: lambda reader: reader._read_bytes(8),
    8: ThriftReader._read_binary,
    **dict.fromkeys((9, 10), ThriftReader._read_list),
    11: ThriftReader._read_map,
    12: ThriftReader.read_struct,
}
"""Thrift type -> how a value of it is read."""
