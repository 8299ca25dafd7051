"""Which protobuf message some bytes are, by how well their fields fit the schema of each.

The wire format has no type. But a GraphDef read as a RunMetadata has names where nested
messages should be: the message whose schema fits nearly all values is the one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from tfprof.protos.fields import is_repeated
from tfprof.protos.varint import read_varint

HEAD_SIZE = 1 << 16
"""How many bytes of a file are enough."""

_MODULES = {
    "GraphDef": "graph_pb2",
    "SavedModel": "saved_model_pb2",
    "MetaGraphDef": "saved_model_pb2",
    "RunMetadata": "run_metadata_pb2",
    "OpLogProto": "log_pb2",
    "ProfileProto": "log_pb2",
    "XSpace": "xplane_pb2",
}
"""The messages to distinguish, and the modules that have their schemas."""

_ALWAYS_SET = {"NodeDef": 2, "ProfileNode": 1, "OpLogEntry": 1, "XPlane": 2}
"""Nested message -> the field that all writers set."""

_MAIN_FIELD = {"MetaGraphDef": 2, "SavedModel": 2, "ProfileProto": 1, "XSpace": 1}
"""Message -> the field without which it is of no use."""

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_FIXED_SIZES = {_FIXED64: 8, _FIXED32: 4}
_MAX_VALUES = 150
_MAX_DEPTH = 20
_GOOD, _MARGIN = 0.8, 0.2
_TEXT_FIELD = re.compile(rb"^(\w+)\s*[:{<]", re.MULTILINE)
_TEXT_OP = re.compile(rb"\bop\s*:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@lru_cache(maxsize=8)
def message_kind(head: bytes) -> str:
    """The name of the message that a file starting with these bytes is; empty if that is unclear.

    `head` is the first HEAD_SIZE bytes of the file, or all of it.
    """
    if is_text(head):
        return _text_kind(head)
    scores = sorted(((_score(head, kind), kind) for kind in _MODULES), reverse=True)
    (best, kind), (second, _) = scores[:2]
    return kind if best >= _GOOD and best - second >= _MARGIN else ""


def best_fit(head: bytes, kinds: Iterable[str]) -> str:
    """The most likely of some kinds of message; the first if none is likely."""
    if is_text(head):
        return max(kinds, key=lambda kind: _text_fits(head, kind))
    return max(kinds, key=lambda kind: _score(head, kind))


def fits(head: bytes, kind: str) -> bool:
    """Whether bytes may be a message of this kind, which is cheaper than `message_kind`."""
    return is_text(head) or _score(head, kind) >= _GOOD


def possible_kinds(head: bytes) -> list[str]:
    """The messages that bytes may be; several if that is unclear."""
    if is_text(head):
        return [kind for kind in _MODULES if _text_fits(head, kind)]
    fits = {kind: _fit(head, kind) for kind in _MODULES if is_message(head)}
    return [kind for kind, fit in fits.items() if not fit.wrong or fit.share >= _GOOD]


def is_message(head: bytes) -> bool:
    """Whether bytes are the binary form of some message, though it is not clear of which."""
    offset = 0
    try:
        while offset < len(head):
            offset = _read_field(head, offset)[3]
    except ValueError:
        return False
    return bool(head) and (offset == len(head) or len(head) >= HEAD_SIZE)


def has_only_names(head: bytes) -> bool:
    """Whether a message is a list of names, as a GraphDef and an OpLogProto may be."""
    return is_message(head) and all(
        number == 1 and _is_only_name(read_fields(value)) for number, _, value in read_fields(head)
    )


def _is_only_name(fields: tuple[tuple[int, int, bytes], ...]) -> bool:
    """Whether a message has nothing but a name, which is its first field."""
    if [(number, wire) for number, wire, _ in fields] != [(1, _LENGTH)]:
        return False
    return _is_name(fields[0][2], is_cut=False)


@lru_cache(maxsize=4)
def read_fields(data: bytes) -> tuple[tuple[int, int, bytes], ...]:
    """The number, wire type and content of each field of a message, up to the first wrong one."""
    fields, offset = [], 0
    try:
        while offset < len(data):
            number, wire, value, offset = _read_field(data, offset)
            fields.append((number, wire, value))
    except ValueError:
        pass
    return tuple(fields)


def is_text(data: bytes) -> bool:
    """Whether bytes are the text form of a message: printable, and beginning like one."""
    head = data[:4096]
    # A short message may be all white space and letters: its tags and lengths are bytes below 32.
    if any(byte < 32 and byte not in b"\t\n\r" for byte in head):
        return False
    first = head.strip()[:1]
    return first.isalpha() or first in (b"#", b"_")


def _text_kind(head: bytes) -> str:
    """The only message that has all fields at the top level of a text."""
    fitting = [kind for kind in _MODULES if _text_fits(head, kind)]
    return fitting[0] if len(fitting) == 1 else ""


def text_fields(head: bytes) -> set[str]:
    """The fields at the top level of a message in text form; none if it is not in text form."""
    if not is_text(head):
        return set()
    return {name.decode(errors="replace") for name in _TEXT_FIELD.findall(head)}


def is_known_text(head: bytes) -> bool:
    """Whether the fields at the top level of a text are those of a known message."""
    return any(_has_fields(head, kind) for kind in _MODULES)


def _has_fields(head: bytes, kind: str) -> bool:
    names = text_fields(head)
    return bool(names) and names <= set(_schema(kind).fields_by_name)


def _text_fits(head: bytes, kind: str) -> bool:
    if not _has_fields(head, kind):
        return False
    return kind != "GraphDef" or b"node" not in head or _TEXT_OP.search(head) is not None


def _schema(kind: str) -> Any:
    module = import_module(f"tfprof.protos.{_MODULES[kind]}")
    return module.DESCRIPTOR.message_types_by_name[kind]


class _Field(NamedTuple):
    """A field of a schema; `message` is the schema of its messages, if it has any."""

    wire_types: tuple[int, ...]
    message: Any
    is_string: bool


@cache
def _fields(schema: Any) -> dict[int, _Field]:
    by_number = {}
    for field in schema.fields:
        wire = _VARINT
        if field.type in (field.TYPE_STRING, field.TYPE_BYTES, field.TYPE_MESSAGE):
            wire = _LENGTH
        elif field.type in (field.TYPE_DOUBLE, field.TYPE_FIXED64, field.TYPE_SFIXED64):
            wire = _FIXED64
        elif field.type in (field.TYPE_FLOAT, field.TYPE_FIXED32, field.TYPE_SFIXED32):
            wire = _FIXED32
        # Writers may pack repeated numbers or not.
        wires = (wire, _LENGTH) if is_repeated(field) else (wire,)
        by_number[field.number] = _Field(wires, field.message_type, field.type == field.TYPE_STRING)
    return by_number


@dataclass(slots=True)
class _Fit:
    """How many values fit the schema, and how many do not."""

    right: int = 0
    wrong: int = 0

    @property
    def is_enough(self) -> bool:
        return self.right + self.wrong >= _MAX_VALUES

    @property
    def share(self) -> float:
        return self.right / (self.right + self.wrong or 1)


def _score(head: bytes, kind: str) -> float:
    """The share of values that fit the schema of a kind of message."""
    return _fit(head, kind).share


@lru_cache(maxsize=2 * len(_MODULES))
def _fit(head: bytes, kind: str) -> _Fit:
    fit, is_cut = _Fit(), len(head) >= HEAD_SIZE
    numbers = _compare(head, _schema(kind), fit, is_cut=is_cut, depth=0)
    if not (is_cut or fit.is_enough) and _MAIN_FIELD.get(kind, 0) not in {0, *numbers}:
        return _Fit(wrong=1)
    return fit


def _compare(data: bytes, schema: Any, fit: _Fit, *, is_cut: bool, depth: int) -> set[int]:
    """Count the values of a message that fit its schema; if it is cut, the last is incomplete.

    Returns the numbers of the fields that it has.
    """
    fields, offset, numbers = _fields(schema), 0, set[int]()
    while offset < len(data):
        if fit.is_enough:
            return numbers
        try:
            number, wire, value, offset = _read_field(data, offset)
        except ValueError:
            fit.wrong += not is_cut
            return numbers
        if offset > len(data) and not is_cut:
            fit.wrong += 1
            return numbers
        numbers.add(number)
        field = fields.get(number)
        if field is None or wire not in field.wire_types or depth > _MAX_DEPTH:
            fit.wrong += 1
        elif field.message is not None:
            _compare(value, field.message, fit, is_cut=offset > len(data), depth=depth + 1)
        else:
            # An empty value fits anything.
            is_right = not field.is_string or _is_name(value, is_cut=offset > len(data))
            fit.right += is_right and (wire != _LENGTH or value != b"")
            fit.wrong += not is_right
    if not is_cut and _ALWAYS_SET.get(schema.name, 0) not in {0, *numbers}:
        fit.wrong += 1
    return numbers


def _read_field(data: bytes, offset: int) -> tuple[int, int, bytes, int]:
    """The number, wire type and content of a field, and the offset after it."""
    tag, offset = read_varint(data, offset)
    number, wire = tag >> 3, tag & 7
    if wire == _VARINT:
        return number, wire, b"", read_varint(data, offset)[1]
    if wire in _FIXED_SIZES:
        return number, wire, b"", offset + _FIXED_SIZES[wire]
    if wire != _LENGTH:
        raise ValueError("unknown wire type")
    size, offset = read_varint(data, offset)
    return number, wire, data[offset : offset + size], offset + size


def _is_name(value: bytes, *, is_cut: bool) -> bool:
    """Whether bytes are text as names are, and no nested message."""
    try:
        return not _CONTROL.search(value.decode(errors="ignore" if is_cut else "strict"))
    except UnicodeDecodeError:
        return False
