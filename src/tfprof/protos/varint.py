"""Varints, the integers of protobuf's wire format."""

from __future__ import annotations

__all__ = ["encode_varint"]

_ONE_BYTE = [bytes([value]) for value in range(128)]


def encode_varint(value: int) -> bytes:
    """The bytes of an integer; negative ones as 64-bit two's complement."""
    value &= (1 << 64) - 1
    if value < 128:
        return _ONE_BYTE[value]
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return bytes(data)
