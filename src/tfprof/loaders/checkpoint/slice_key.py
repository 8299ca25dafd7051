"""The table key of a slice of a tensor: TensorFlow's ordered code of its name and extents."""

from __future__ import annotations

from collections.abc import Iterable

SLICE_KEY_START = b"\x00"
_ESCAPES = {0x00: b"\x00\xff", 0xFF: b"\xff\x00"}


def slice_key(name: bytes, extents: Iterable[tuple[int, int]]) -> bytes:
    """The key of a slice; extents are (start, length), the length -1 for a whole dimension."""
    extents = tuple(extents)
    escaped = b"".join(_ESCAPES.get(byte, bytes([byte])) for byte in name)
    numbers = b"".join(_signed(number) for extent in extents for number in extent)
    return SLICE_KEY_START + escaped + b"\x00\x01" + _unsigned(len(extents)) + numbers


def _unsigned(number: int) -> bytes:
    """A byte with the count of bytes that follow, then the number, big-endian."""
    size = (number.bit_length() + 7) // 8
    return bytes([size]) + number.to_bytes(size, "big")


def _signed(number: int) -> bytes:
    """The number, big-endian; as many leading ones as it has bytes.

    As in UTF-8: one byte has 7 bits for number and sign, and each byte more has 7 more. The
    leading bits are exclusive-or'ed, so that negative numbers start with zeros and sort first.
    """
    size = (number if number >= 0 else ~number).bit_length() // 7 + 1
    header = ((1 << size) - 1) << (7 * size)
    return (number & ((1 << 8 * size) - 1) ^ header).to_bytes(size, "big")
