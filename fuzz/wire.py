"""Protobuf wire bytes as trees of fields that can be changed and put together again."""

from __future__ import annotations

from dataclasses import dataclass

from tfprof.protos.varint import encode_varint, read_varint

__all__ = ["Field", "decode", "decode_level", "encode", "is_message"]

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_MAX_DEPTH = 12


@dataclass(slots=True)
class Field:
    """A field: its number, its wire type, and a number, bytes, or fields."""

    number: int
    kind: int
    value: int | bytes | list[Field]


def _part(data: bytes, offset: int, size: int) -> tuple[bytes, int]:
    if offset + size > len(data):
        raise ValueError
    return data[offset : offset + size], offset + size


def decode(data: bytes, depth: int = 0) -> list[Field]:
    """The fields of a message, nested as far as bytes read like messages; ValueError if none."""
    fields: list[Field] = []
    offset = 0
    while offset < len(data):
        tag, offset = read_varint(data, offset)
        number, kind = tag >> 3, tag & 7
        if number == 0 or number > 1000:
            raise ValueError
        value: int | bytes | list[Field]
        if kind == VARINT:
            value, offset = read_varint(data, offset)
        elif kind in (FIXED64, FIXED32):
            value, offset = _part(data, offset, 8 if kind == FIXED64 else 4)
        elif kind == BYTES:
            size, offset = read_varint(data, offset)
            part, offset = _part(data, offset, size)
            value = _nested(part, depth)
        else:
            raise ValueError
        fields.append(Field(number, kind, value))
    return fields


def decode_level(data: bytes) -> list[Field]:
    """The fields of a message, without those of nested ones; ValueError if it is none."""
    return decode(data, _MAX_DEPTH)


def is_message(data: bytes) -> bool:
    """Whether bytes read like a message that has fields."""
    try:
        return bool(decode_level(data))
    except ValueError:
        return False


def _nested(data: bytes, depth: int) -> bytes | list[Field]:
    if not data or depth == _MAX_DEPTH:
        return data
    try:
        return decode(data, depth + 1)
    except ValueError:
        return data


def encode(fields: list[Field]) -> bytes:
    """The bytes of fields, with lengths that fit."""
    out = bytearray()
    for field in fields:
        out += encode_varint(field.number << 3 | field.kind)
        value = encode(field.value) if isinstance(field.value, list) else field.value
        if isinstance(value, int):
            out += encode_varint(value)
        elif field.kind == BYTES:
            out += encode_varint(len(value)) + value
        else:
            out += value
    return bytes(out)
