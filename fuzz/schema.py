"""New messages from old ones that protobuf accepts: their fields keep their types.

Names are often those of other nodes in the message, so that inputs, functions and traces lead
somewhere. What mutation by bytes makes is refused by protobuf more often than not; this goes on to
what reads the message.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from google.protobuf import text_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message

from fuzz.mutate import MAX_SIZE, Mutator, mutate_fields, mutate_tokens
from fuzz.odd import NUMBERS, TEXTS

__all__ = ["mutate_below_line", "mutate_message", "mutate_text"]

_BITS = {
    FieldDescriptor.CPPTYPE_INT32: (32, True),
    FieldDescriptor.CPPTYPE_UINT32: (32, False),
    FieldDescriptor.CPPTYPE_INT64: (64, True),
    FieldDescriptor.CPPTYPE_UINT64: (64, False),
    FieldDescriptor.CPPTYPE_ENUM: (32, True),
}
_FLOATS = (0.0, -0.0, 1.0, -1.5, 1e30, float("inf"), float("-inf"), float("nan"))
_OTHER_BYTES = 0.3
"""How often a message is mutated by its bytes."""
_MAX_COPY = 20_000
_COPIES = (1, 1, 1, 1, 2, 2, 2, 40, 40, 1000)
"""How often an element is repeated; often enough that work for each pair of them is noticed."""


def mutate_message(kind: type[Message]) -> Mutator:
    """A mutator of messages of a kind."""

    def mutate(data: bytes, dice: random.Random) -> bytes:
        if dice.random() < _OTHER_BYTES:
            return mutate_fields(data, dice)
        try:
            message = kind.FromString(data[:MAX_SIZE])
        except DecodeError:
            return mutate_fields(data, dice)
        _mutate(message, dice)
        return message.SerializeToString(deterministic=True)

    return mutate


def mutate_text(kind: type[Message]) -> Mutator:
    """A mutator of the text form of messages of a kind: by tokens, or as a message."""
    parse = lru_cache(200)(lambda data: text_format.Parse(data, kind()))

    def mutate(data: bytes, dice: random.Random) -> bytes:
        if dice.random() < 0.5:
            return mutate_tokens(data, dice)
        try:
            message = kind.FromString(parse(data).SerializeToString())
        except (text_format.ParseError, UnicodeDecodeError):
            return mutate_tokens(data, dice)
        _mutate(message, dice)
        text = text_format.MessageToString(message, as_utf8=dice.random() < 0.5)
        return text.encode(errors="replace")

    return mutate


def mutate_below_line(choose: Callable[[str], Mutator]) -> Mutator:
    """A mutator of a file below a line that names it, and by which its mutator is chosen."""

    def mutate(data: bytes, dice: random.Random) -> bytes:
        line, _, content = data.partition(b"\n")
        return line + b"\n" + choose(line.decode(errors="replace"))(content, dice)

    return mutate


def _mutate(message: Message, dice: random.Random) -> None:
    for _ in range(dice.choice((1, 1, 2, 2, 4, 8))):
        _edit(_any_message(message, dice), message, dice)


def _any_message(message: Message, dice: random.Random) -> Message:
    """A message or one of those in it, at any depth."""
    while dice.random() < 0.85:
        fields = [(f, value) for f, value in message.ListFields() if _inner_kind(f) is not None]
        if not fields:
            break
        field, value = dice.choice(fields)
        if field.is_repeated and _is_map(field):
            message = value[dice.choice(sorted(value))]
        else:
            message = dice.choice(value) if field.is_repeated else value
    return message


def _is_map(field: FieldDescriptor) -> bool:
    kind = field.message_type
    return kind is not None and bool(kind.GetOptions().map_entry)


def _inner_kind(field: FieldDescriptor) -> Any:
    """The type of the messages that a field or a map has; None if it has none."""
    return field.message_type.fields[1].message_type if _is_map(field) else field.message_type


def _edit(message: Message, whole: Message, dice: random.Random) -> None:
    """Change one field, mostly one that is set."""
    fields = [field for field, _ in message.ListFields()]
    if not fields or dice.random() < 0.3:
        fields = list(message.DESCRIPTOR.fields)
    if not fields:
        return
    field = dice.choice(fields)
    if dice.random() < 0.1:
        message.ClearField(field.name)
    elif _is_map(field):
        _edit_map(getattr(message, field.name), field, whole, dice)
    elif field.is_repeated:
        _edit_list(getattr(message, field.name), field, whole, dice)
    elif field.message_type is not None:
        _edit_inner(getattr(message, field.name), whole, dice)
    else:
        setattr(message, field.name, _value(field, whole, dice))


def _edit_map(values: Any, field: FieldDescriptor, whole: Message, dice: random.Random) -> None:
    key_field, value_field = field.message_type.fields
    keys = sorted(values)
    key = dice.choice(keys) if keys and dice.random() < 0.6 else _value(key_field, whole, dice)
    if key in values and dice.random() < 0.2:
        del values[key]
    elif value_field.message_type is None:
        values[key] = _value(value_field, whole, dice)
    elif keys:
        values[key].CopyFrom(values[dice.choice(keys)])
    else:
        values[key].SetInParent()


def _edit_list(values: Any, field: FieldDescriptor, whole: Message, dice: random.Random) -> None:
    roll = dice.randrange(5)
    if not values:
        _append(values, field, whole, dice)
    elif roll == 0:
        del values[dice.randrange(len(values))]
    elif roll == 1:
        chosen = dice.choice(values)
        size = chosen.ByteSize() if field.message_type is not None else 8
        room = MAX_SIZE // (size + 8)
        values.extend([chosen] * min(dice.choice(_COPIES), room))
    elif roll == 2:
        moved = dice.randrange(len(values))
        values.append(values[moved])
        del values[moved]
    elif roll == 3 or field.message_type is not None:
        _append(values, field, whole, dice)
    else:
        values[dice.randrange(len(values))] = _value(field, whole, dice)


def _append(values: Any, field: FieldDescriptor, whole: Message, dice: random.Random) -> None:
    if field.message_type is None:
        values.append(_value(field, whole, dice))
    else:
        _edit_inner(values.add(), whole, dice)


def _edit_inner(message: Message, whole: Message, dice: random.Random) -> None:
    """Make a message the copy of another of its type, if a small one is met."""
    message.SetInParent()
    for _ in range(5):
        other = _any_message(whole, dice)
        if other.DESCRIPTOR is message.DESCRIPTOR and other.ByteSize() < _MAX_COPY:
            # As bytes: it may be inside of the other.
            with contextlib.suppress(DecodeError):
                message.MergeFromString(other.SerializeToString())
            return


def _value(field: FieldDescriptor, whole: Message, dice: random.Random) -> Any:
    """An odd value of the type of a field, or for texts one that the message has elsewhere."""
    kind = field.cpp_type
    if kind == FieldDescriptor.CPPTYPE_STRING:
        text = _any_text(whole, dice) if dice.random() < 0.6 else dice.choice(TEXTS)
        return text.encode() if field.type == FieldDescriptor.TYPE_BYTES else text
    if kind == FieldDescriptor.CPPTYPE_BOOL:
        return dice.random() < 0.5
    if kind in (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE):
        return dice.choice(_FLOATS)
    bits, signed = _BITS[kind]
    number = dice.choice(NUMBERS) if dice.random() < 0.6 else dice.randrange(12)
    number %= 2**bits
    return number - 2**bits if signed and number >= 2 ** (bits - 1) else number


def _any_text(whole: Message, dice: random.Random) -> str:
    """A text that the message has somewhere."""
    for _ in range(6):
        texts = [
            text
            for field, value in _any_message(whole, dice).ListFields()
            if field.cpp_type == FieldDescriptor.CPPTYPE_STRING
            for text in (value if field.is_repeated else [value])
            if isinstance(text, str)
        ]
        if texts:
            return dice.choice(texts)
    return dice.choice(TEXTS)
