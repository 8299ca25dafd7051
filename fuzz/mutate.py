"""New inputs from old ones: by the structure of protobuf messages, by tokens, or by bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import partial

from fuzz.odd import BYTES, NUMBERS, TOKENS
from fuzz.wire import Field, decode_level, encode, is_message

__all__ = ["MAX_SIZE", "Mutator", "mutate_bytes", "mutate_fields", "mutate_tokens"]

Mutator = Callable[[bytes, random.Random], bytes]
Edit = Callable[[list[Field], random.Random], None]
MAX_SIZE, _MAX_DEPTH = 500_000, 12
_TOKEN = re.compile(rb"\s+|\w+|.", re.DOTALL)


def mutate_bytes(data: bytes, dice: random.Random) -> bytes:
    """Bytes with some flipped, cut out, doubled or put in."""
    out = bytearray(data[:MAX_SIZE])
    for _ in range(dice.choice((1, 1, 1, 2, 3, 8))):
        i = dice.randrange(len(out) + 1)
        roll = dice.randrange(7)
        if roll == 0:
            out[i:i] = dice.randbytes(dice.choice((1, 2, 8)))
        elif roll == 1:
            del out[i : i + dice.choice((1, 2, 9, 100))]
        elif roll == 2:
            del out[i:]
        elif roll == 3:
            out[i:i] = out[i : i + dice.choice((2, 10, 100))]
        elif roll == 4:
            out[i:i] = dice.choice(BYTES)
        elif i < len(out):
            out[i] = out[i] ^ 1 << dice.randrange(8) if roll == 5 else dice.randrange(256)
    return bytes(out)


def mutate_tokens(data: bytes, dice: random.Random) -> bytes:
    """Text with some tokens changed for odd ones, left out, doubled or swapped."""
    tokens = _TOKEN.findall(data[:MAX_SIZE])
    for _ in range(dice.choice((1, 1, 2, 3, 6))):
        i = dice.randrange(len(tokens) + 1)
        roll = dice.randrange(6)
        if roll == 0:
            tokens[i : i + 1] = [_token(dice)]
        elif roll == 1:
            tokens.insert(i, _token(dice))
        elif roll == 2:
            del tokens[i : i + dice.choice((1, 1, 3))]
        elif roll == 3:
            tokens[i:i] = tokens[i : i + dice.choice((1, 3, 10))] * dice.choice((1, 1, 50))
        elif roll == 4 and tokens:
            other = dice.randrange(len(tokens))
            i %= len(tokens)
            tokens[i], tokens[other] = tokens[other], tokens[i]
        else:
            return mutate_bytes(b"".join(tokens), dice)
    return b"".join(tokens)


def _token(dice: random.Random) -> bytes:
    return dice.choice(TOKENS).encode(errors="surrogatepass")


def mutate_fields(data: bytes, dice: random.Random) -> bytes:
    """A message with some fields changed, left out, doubled, moved, or of another type."""
    data = data[:MAX_SIZE]
    if dice.random() < 0.15:
        return mutate_bytes(data, dice)
    if dice.random() < 0.1:
        data = _mutate_inside(data, dice, _multiply)
    for _ in range(dice.choice((1, 1, 1, 2, 2, 4, 8))):
        data = _mutate_inside(data, dice, partial(_mutate_one, whole=data))
    return data[: 2 * MAX_SIZE]


def _mutate_inside(data: bytes, dice: random.Random, mutate: Edit, depth: int = 0) -> bytes:
    """A message with the fields of one message in it mutated; only the way there is decoded."""
    try:
        fields = decode_level(data)
    except ValueError:
        return mutate_bytes(data, dice)
    i = _step_inside(fields, dice) if depth < _MAX_DEPTH else None
    if i is None:
        mutate(fields, dice)
    else:
        inner = _mutate_inside(fields[i].value, dice, mutate, depth + 1)  # type: ignore[arg-type]
        fields[i] = Field(fields[i].number, fields[i].kind, inner)
    return encode(fields)


def _step_inside(fields: list[Field], dice: random.Random) -> int | None:
    """A field to go on in, which may be a message; None to stay."""
    if not fields or dice.random() < 0.2:
        return None
    i = dice.randrange(len(fields))
    value = fields[i].value
    return i if isinstance(value, bytes) and fields[i].kind == 2 and is_message(value) else None


def _multiply(fields: list[Field], dice: random.Random) -> None:
    if fields:
        field = dice.choice(fields)
        limit = MAX_SIZE // (len(encode([field])) + 1)
        fields += [field] * min(dice.choice((2, 2, 30, 30, 300, 5000)), limit)


def _mutate_one(fields: list[Field], dice: random.Random, *, whole: bytes) -> None:
    if not fields or dice.random() < 0.05:
        fields.append(_new_field(dice))
        return
    i = dice.randrange(len(fields))
    roll = dice.randrange(8)
    if roll == 0:
        del fields[i]
    elif roll == 1:
        fields.insert(dice.randrange(len(fields) + 1), fields[i])
    elif roll == 2:
        fields[i] = Field(dice.randint(1, 25), fields[i].kind, fields[i].value)
    elif roll == 3:
        fields[i] = _any_field(whole, dice) or fields[i]
    elif roll == 4:
        fields[i] = _new_field(dice, fields[i].number)
    else:
        fields[i] = Field(fields[i].number, fields[i].kind, _mutate_value(fields[i], dice))


def _any_field(data: bytes, dice: random.Random) -> Field | None:
    """A field from anywhere in a message."""
    found = None
    while True:
        try:
            fields = decode_level(data)
        except ValueError:
            return found
        if not fields:
            return found
        found = dice.choice(fields)
        if not isinstance(found.value, bytes) or found.kind != 2 or dice.random() < 0.2:
            return found
        data = found.value


def _new_field(dice: random.Random, number: int = 0) -> Field:
    number = number or dice.randint(1, 25)
    roll = dice.random()
    if roll < 0.45:
        return Field(number, 0, dice.choice(NUMBERS))
    if roll < 0.9:
        return Field(number, 2, dice.choice(BYTES))
    return (
        Field(number, 1, dice.randbytes(8)) if roll < 0.95 else Field(number, 5, dice.randbytes(4))
    )


def _mutate_value(field: Field, dice: random.Random) -> int | bytes:
    value = field.value
    if isinstance(value, int):
        return dice.choice(NUMBERS) if dice.random() < 0.8 else value + dice.randint(-3, 3)
    if field.kind != 2:
        return dice.randbytes(8 if field.kind == 1 else 4)
    return dice.choice(BYTES) if dice.random() < 0.6 else mutate_bytes(value, dice)  # type: ignore[arg-type]
