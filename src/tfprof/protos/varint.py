"""Variable-length integers, as protobuf, Thrift and sorted tables have them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mmap import mmap

_LAST_SHIFT = 63
_ONE_BYTE = [bytes([number]) for number in range(128)]


def read_varint(data: bytes | memoryview | mmap, offset: int) -> tuple[int, int]:
    """The varint at an offset and the offset after it; ValueError where there is none."""
    value = shift = 0
    while offset < len(data) and shift <= _LAST_SHIFT:
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80 and value >> 64 == 0:
            return value, offset
        shift += 7
    raise ValueError("no varint here")


def encode_varint(number: int) -> bytes:
    """A whole number on the wire, negative ones as 64-bit two's complement."""
    number &= (1 << 64) - 1
    if number < 128:
        return _ONE_BYTE[number]
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
