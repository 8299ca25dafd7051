"""The table key of a slice of a tensor: TensorFlow's ordered code of its name and extents."""

from __future__ import annotations

import re
from collections.abc import Sequence

SLICE_KEY_START = b"\x00"
_NAME_END = b"\x00\x01"
_ESCAPED = re.compile(rb"[\x00\xff]")
_ESCAPES = {b"\x00": b"\x00\xff", b"\xff": b"\xff\x00"}


def key_prefix(name: bytes) -> bytes:
    """What the keys of all slices of a tensor begin with."""
    return SLICE_KEY_START + _ESCAPED.sub(lambda match: _ESCAPES[match[0]], name) + _NAME_END


def key_suffix(extents: Sequence[tuple[int, int]]) -> bytes:
    """How the key of a slice ends; extents are (start, length), length -1 for a whole dimension."""
    numbers = b"".join(_signed(number) for extent in extents for number in extent)
    return _unsigned(len(extents)) + numbers


def split_key(key: bytes) -> tuple[bytes, bytes]:
    """The prefix and the suffix of the key of a slice, whose tensor has a name in UTF-8."""
    prefix, end, suffix = key[1:].partition(_NAME_END)
    return SLICE_KEY_START + prefix + end, suffix


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
