"""Thrift's compact protocol, in which Parquet files describe themselves, read as Arrow does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfprof.protos.varint import read_varint

I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12
"""Types of values."""

Struct = dict[tuple[int, int], Any]
"""Values by the number and the type of their field."""

_MAX_DEPTH = 30
_MAX_FIELD = (1 << 15) - 1
_TRUE, _FALSE = 1, 2


class ThriftReader:
    """Reads values from an offset on. What Arrow could read otherwise is a ValueError.

    Arrow skips a field that is not of the type it expects, as does who looks it up by number and
    type. But it takes the elements of lists for what it expects, so `element_types` has the type of
    elements for the numbers of the fields that lead to a list.
    """

    def __init__(
        self,
        data: bytes,
        offset: int = 0,
        element_types: Mapping[tuple[int, ...], int] | None = None,
    ) -> None:
        self.data = data
        self.offset = offset
        self.depth = 0
        self._element_types = element_types or {}
        self._numbers: list[int] = []
        """The fields that lead to what is read."""

    def read_struct(self) -> Struct:
        fields: Struct = {}
        number = 0
        while header := self._read_byte():
            last, kind = number, header & 15
            number = number + (header >> 4) if header >> 4 else self._read_integer(16)
            # Every writer has them so. Arrow takes the last of two, and 16 bits of a number.
            if not last < number <= _MAX_FIELD:
                raise ValueError("its fields are in no order")
            self._numbers.append(number)
            value = kind == _TRUE if kind in (_TRUE, _FALSE) else self._read_value(kind)
            fields[number, kind] = value
            self._numbers.pop()
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

    def _read_integer(self, bits: int) -> int:
        value, self.offset = read_varint(self.data, self.offset)
        if value >> bits:  # Arrow takes the lower bits
            raise ValueError(f"an integer has more than {bits} bits")
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
        if size and self._element_types.get(tuple(self._numbers), kind) != kind:
            raise ValueError("a list has elements of another type")
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
    4: lambda reader: reader._read_integer(16),
    I32: lambda reader: reader._read_integer(32),
    I64: lambda reader: reader._read_integer(64),
    7: lambda reader: reader._read_bytes(8),
    BINARY: ThriftReader._read_binary,
    **dict.fromkeys((LIST, 10), ThriftReader._read_list),
    11: ThriftReader._read_map,
    STRUCT: ThriftReader.read_struct,
}
"""Thrift type -> how a value of it is read."""
