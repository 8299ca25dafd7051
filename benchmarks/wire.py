"""Just enough of the protobuf wire format to write a million messages in seconds."""

from __future__ import annotations

__all__ = ["integer", "nested", "text", "varint"]

_SMALL = [
    bytes([n]) if n < 128 else bytes([n & 127 | 128, n >> 7]) for n in range(1 << 14)
]  # lengths and most numbers are below 16,384


def varint(number: int) -> bytes:
    """A whole number; negative ones as 64-bit two's complement."""
    if 0 <= number < 1 << 14:
        return _SMALL[number]
    number &= (1 << 64) - 1
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def integer(field: int, number: int) -> bytes:
    """A number of a message; nothing when it is 0, as proto3 has it."""
    return varint(field << 3) + varint(number) if number else b""


def nested(field: int, message: bytes) -> bytes:
    """A message or bytes inside a message."""
    return varint(field << 3 | 2) + varint(len(message)) + message


def text(field: int, words: str) -> bytes:
    """A string of a message."""
    return nested(field, words.encode())
