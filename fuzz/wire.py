"""Protobuf wire bytes as trees of fields that can be changed and put together again."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Field", "decoded", "encoded", "varint"]

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_DEEPEST = 12


@dataclass(slots=True)
class Field:
    """A field: its number, its wire type, and a number, bytes, or fields."""

    number: int
    kind: int
    value: int | bytes | list[Field]


def varint(value: int) -> bytes:
    """A number as 64 bits in groups of seven."""
    value &= 2**64 - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _part(data: bytes, at: int, size: int) -> tuple[bytes, int]:
    if at + size > len(data):
        raise ValueError
    return data[at : at + size], at + size


def decoded(data: bytes, depth: int = 0) -> list[Field]:
    """The fields of a message, nested as far as bytes read like messages; ValueError if none."""
    fields: list[Field] = []
    at = 0
    while at < len(data):
        tag, at = _number(data, at)
        number, kind = tag >> 3, tag & 7
        if number == 0 or number > 1000:
            raise ValueError
        value: int | bytes | list[Field]
        if kind == VARINT:
            value, at = _number(data, at)
        elif kind in (FIXED64, FIXED32):
            value, at = _part(data, at, 8 if kind == FIXED64 else 4)
        elif kind == BYTES:
            size, at = _number(data, at)
            part, at = _part(data, at, size)
            value = _nested(part, depth)
        else:
            raise ValueError
        fields.append(Field(number, kind, value))
    return fields


def _nested(data: bytes, depth: int) -> bytes | list[Field]:
    if not data or depth == _DEEPEST:
        return data
    try:
        return decoded(data, depth + 1)
    except ValueError:
        return data


def encoded(fields: list[Field]) -> bytes:
    """The bytes of fields, lengths made to fit."""
    out = bytearray()
    for field in fields:
        out += varint(field.number << 3 | field.kind)
        value = encoded(field.value) if isinstance(field.value, list) else field.value
        if isinstance(value, int):
            out += varint(value)
        elif field.kind == BYTES:
            out += varint(len(value)) + value
        else:
            out += value
    return bytes(out)
