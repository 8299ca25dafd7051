"""New inputs from old ones: by the structure of protobuf messages, by tokens, or by bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from fuzz.odd import BYTES, NUMBERS, TOKENS
from fuzz.wire import Field, decode, encode

__all__ = ["MUTATORS", "Mutator", "mutate_bytes", "mutate_fields", "mutate_tokens"]

Mutator = Callable[[bytes, random.Random], bytes]
_MAX_SIZE = 200_000
_TOKEN = re.compile(rb"\s+|\w+|.", re.DOTALL)


def mutate_bytes(data: bytes, dice: random.Random) -> bytes:
    """Bytes with some flipped, cut out, doubled or put in."""
    out = bytearray(data[:_MAX_SIZE])
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
    tokens = _TOKEN.findall(data[:_MAX_SIZE])
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
    if dice.random() < 0.15:
        return mutate_bytes(data, dice)
    try:
        fields = decode(data[:_MAX_SIZE])
    except ValueError:
        return mutate_bytes(data, dice)
    if dice.random() < 0.1:
        _multiply(dice.choice(_all_lists(fields)), dice)
    for _ in range(dice.choice((1, 1, 1, 2, 2, 4, 8))):
        lists = _all_lists(fields)
        _mutate_one(dice.choice(lists), lists, dice)
    return encode(fields)[: 2 * _MAX_SIZE]


def _multiply(fields: list[Field], dice: random.Random) -> None:
    if fields:
        field = dice.choice(fields)
        limit = _MAX_SIZE // (len(encode([field])) + 1)
        fields += [field] * min(dice.choice((2, 30, 300, 5000)), limit)


def _all_lists(fields: list[Field]) -> list[list[Field]]:
    """The list itself and all below it, each once however often it occurs."""
    lists = {id(fields): fields}
    pending = [fields]
    while pending:
        for field in pending.pop():
            if isinstance(field.value, list) and id(field.value) not in lists:
                lists[id(field.value)] = field.value
                pending.append(field.value)
    return list(lists.values())


def _mutate_one(fields: list[Field], lists: list[list[Field]], dice: random.Random) -> None:
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
        # Only plain values move: a message cannot contain itself.
        other = [f for f in dice.choice(lists) if not isinstance(f.value, list)]
        fields[i] = dice.choice(other) if other else fields[i]
    elif roll == 4:
        fields[i] = _new_field(dice, fields[i].number)
    else:
        fields[i] = Field(fields[i].number, fields[i].kind, _mutate_value(fields[i], dice))


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


def _mutate_value(field: Field, dice: random.Random) -> int | bytes | list[Field]:
    value = field.value
    if isinstance(value, int):
        return dice.choice(NUMBERS) if dice.random() < 0.8 else value + dice.randint(-3, 3)
    if field.kind != 2:
        return dice.randbytes(8 if field.kind == 1 else 4)
    if isinstance(value, list):
        return b"" if dice.random() < 0.2 else mutate_bytes(encode(value), dice)
    return dice.choice(BYTES) if dice.random() < 0.6 else mutate_bytes(value, dice)


MUTATORS: dict[str, Mutator] = {
    "fields": mutate_fields,
    "tokens": mutate_tokens,
    "bytes": mutate_bytes,
}
