"""Text of any message, as protobuf's writers indent it, to the wire bytes of that message.

It knows just what those writers write: a field per line, `name: value` or `name {`, two spaces per
level. All else is `NotCanonical`, and for protobuf's own parser to accept or refuse.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from tfprof.loaders.pbtxt.escapes import unescape
from tfprof.protos.fields import is_repeated
from tfprof.protos.varint import encode_varint

_INTEGER = re.compile(rb"0|-?[1-9][0-9]*")
_REAL = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")
_PLAIN = re.compile(rb'"[^"\\\x00-\x1f\x7f-\xff]*"')
_ESCAPED = re.compile(rb'"(?:[^"\\\x00-\x1f\x7f-\xff]|\\[0-7nrt"\'\\])*"')


class NotCanonical(Exception):  # noqa: N818 - an answer, not an error
    """The text is not in the form of the writers."""


def encode_nested(number: int, content: bytes) -> bytes:
    """A string, bytes or message as the field of this number."""
    return encode_varint(number << 3 | 2) + encode_varint(len(content)) + content


def _integer_reader(bits: int, *, signed: bool) -> Callable[[bytes], bytes]:
    smallest, largest = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)

    def read(text: bytes) -> bytes:
        if not _INTEGER.fullmatch(text) or not smallest <= int(text) <= largest:
            raise NotCanonical
        return encode_varint(int(text))

    return read


def _float_reader(form: str) -> Callable[[bytes], bytes]:
    def read(text: bytes) -> bytes:
        if not _REAL.fullmatch(text):
            raise NotCanonical
        try:
            return struct.pack(form, float(text))
        except OverflowError:
            raise NotCanonical from None

    return read


def _read_bool(text: bytes) -> bytes:
    if text not in (b"true", b"false"):
        raise NotCanonical
    return encode_varint(text == b"true")


def _read_bytes(text: bytes) -> bytes:
    if _PLAIN.fullmatch(text):
        return text[1:-1]
    if not _ESCAPED.fullmatch(text):
        raise NotCanonical
    try:
        return unescape(text[1:-1])
    except ValueError:
        raise NotCanonical from None


def _read_string(text: bytes) -> bytes:
    data = _read_bytes(text)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotCanonical from None
    return data


_READERS: dict[int, tuple[Callable[[bytes], bytes], int]] = {
    FieldDescriptor.TYPE_INT32: (_integer_reader(32, signed=True), 0),
    FieldDescriptor.TYPE_INT64: (_integer_reader(64, signed=True), 0),
    FieldDescriptor.TYPE_UINT32: (_integer_reader(32, signed=False), 0),
    FieldDescriptor.TYPE_UINT64: (_integer_reader(64, signed=False), 0),
    FieldDescriptor.TYPE_BOOL: (_read_bool, 0),
    FieldDescriptor.TYPE_FLOAT: (_float_reader("<f"), 5),
    FieldDescriptor.TYPE_DOUBLE: (_float_reader("<d"), 1),
    FieldDescriptor.TYPE_STRING: (_read_string, 2),
    FieldDescriptor.TYPE_BYTES: (_read_bytes, 2),
}
_LENGTH, _MESSAGE = 2, FieldDescriptor.TYPE_MESSAGE


@dataclass(frozen=True, slots=True, eq=False)
class _Field:
    """How a field is read and written; `oneof` names the group of which only one may be there."""

    number: int
    message: Descriptor | None
    read: Callable[[bytes], bytes] | None
    wire: int
    repeated: bool
    present: bool
    oneof: str


@cache
def _fields(kind: Descriptor) -> dict[bytes, _Field]:
    """The fields of a kind of message that can be read, by name."""
    entry = kind.GetOptions().map_entry
    return {
        field.name.encode(): described
        for field in kind.fields
        if (described := _describe_field(field, entry=entry)) is not None
    }


def _describe_field(field: Any, *, entry: bool) -> _Field | None:
    message = field.message_type if field.type == _MESSAGE else None
    read, wire = _READERS.get(field.type, (None, _LENGTH))
    if field.type == FieldDescriptor.TYPE_ENUM:
        read, wire = _enum_reader(field.enum_type.values_by_name), 0
    if message is None and read is None:
        return None
    oneof = field.containing_oneof.name if field.containing_oneof else ""
    present = entry or field.has_presence
    return _Field(field.number, message, read, wire, is_repeated(field), present, oneof)


def _enum_reader(values: Any) -> Callable[[bytes], bytes]:
    numbers = {name.encode(): encode_varint(value.number) for name, value in values.items()}

    def read(text: bytes) -> bytes:
        if text not in numbers:
            raise NotCanonical
        return numbers[text]

    return read


def encode_message(kind: Descriptor, body: bytes, *, depth: int) -> bytes:
    """The wire bytes of a message from the lines between its braces, `depth` levels in."""
    lines = iter(body.split(b"\n"))
    return _encode_lines(kind, lines, b"  " * depth, closing=None)


def _encode_lines(
    kind: Descriptor, lines: Iterator[bytes], indent: bytes, *, closing: bytes | None
) -> bytes:
    fields, width = _fields(kind), len(indent)
    values_of: dict[_Field, list[bytes]] = {}
    groups: dict[str, int] = {}
    for line in lines:
        if line == closing:
            break
        if not line.startswith(indent):
            raise NotCanonical
        name, colon, text = line[width:].partition(b": ")
        opens = not colon and name.endswith(b" {")
        field = fields.get(name[:-2] if opens else name)
        if field is None or opens == (field.message is None) or not (opens or colon):
            raise NotCanonical
        if field.oneof and groups.setdefault(field.oneof, field.number) != field.number:
            raise NotCanonical
        values = values_of.setdefault(field, [])
        if values and not field.repeated:
            raise NotCanonical
        if field.message is not None:
            inside = indent + b"  "
            values.append(_encode_lines(field.message, lines, inside, closing=indent + b"}"))
        elif field.read is not None:
            values.append(field.read(text))
    else:
        if closing is not None:
            raise NotCanonical
    if kind.GetOptions().map_entry:
        # An entry of a map has both key and value on the wire.
        for field in set(fields.values()) - values_of.keys():
            if field.wire != _LENGTH:
                raise NotCanonical
            values_of[field] = [b""]
    in_order = sorted(values_of, key=lambda field: field.number)
    return b"".join(_encode_field(field, values_of[field]) for field in in_order)


def _encode_field(field: _Field, values: list[bytes]) -> bytes:
    if field.wire == _LENGTH:
        if not (field.repeated or field.present) and values == [b""]:
            return b""
        return b"".join([encode_nested(field.number, value) for value in values])
    if field.repeated:
        return encode_nested(field.number, b"".join(values))
    if not field.present and not any(values[0]):
        return b""
    return encode_varint(field.number << 3 | field.wire) + values[0]
