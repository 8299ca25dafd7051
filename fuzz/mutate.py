"""New inputs from old ones: by the structure of protobuf messages, by words, or by bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from fuzz.odd import BYTES, NUMBERS, TOKENS
from fuzz.wire import Field, decoded, encoded

__all__ = ["MUTATORS", "Mutator", "mutated_bytes", "mutated_fields", "mutated_words"]

Mutator = Callable[[bytes, random.Random], bytes]
_LARGEST = 200_000
_WORD = re.compile(rb"\s+|\w+|.", re.DOTALL)


def mutated_bytes(data: bytes, dice: random.Random) -> bytes:
    """Bytes with some flipped, cut out, doubled or put in."""
    out = bytearray(data[:_LARGEST])
    for _ in range(dice.choice((1, 1, 1, 2, 3, 8))):
        at = dice.randrange(len(out) + 1)
        roll = dice.randrange(7)
        if roll == 0:
            out[at:at] = dice.randbytes(dice.choice((1, 2, 8)))
        elif roll == 1:
            del out[at : at + dice.choice((1, 2, 9, 100))]
        elif roll == 2:
            del out[at:]
        elif roll == 3:
            out[at:at] = out[at : at + dice.choice((2, 10, 100))]
        elif roll == 4:
            out[at:at] = dice.choice(BYTES)
        elif at < len(out):
            out[at] = out[at] ^ 1 << dice.randrange(8) if roll == 5 else dice.randrange(256)
    return bytes(out)


def mutated_words(data: bytes, dice: random.Random) -> bytes:
    """Text with some words changed for odd ones, left out, doubled or swapped."""
    words = _WORD.findall(data[:_LARGEST])
    for _ in range(dice.choice((1, 1, 2, 3, 6))):
        at = dice.randrange(len(words) + 1)
        roll = dice.randrange(6)
        if roll == 0:
            words[at : at + 1] = [_token(dice)]
        elif roll == 1:
            words.insert(at, _token(dice))
        elif roll == 2:
            del words[at : at + dice.choice((1, 1, 3))]
        elif roll == 3:
            words[at:at] = words[at : at + dice.choice((1, 3, 10))] * dice.choice((1, 1, 50))
        elif roll == 4 and words:
            other = dice.randrange(len(words))
            at %= len(words)
            words[at], words[other] = words[other], words[at]
        else:
            return mutated_bytes(b"".join(words), dice)
    return b"".join(words)


def _token(dice: random.Random) -> bytes:
    return dice.choice(TOKENS).encode(errors="surrogatepass")


def mutated_fields(data: bytes, dice: random.Random) -> bytes:
    """A message with some fields changed, left out, doubled, moved, or of another type."""
    if dice.random() < 0.15:
        return mutated_bytes(data, dice)
    try:
        fields = decoded(data[:_LARGEST])
    except ValueError:
        return mutated_bytes(data, dice)
    if dice.random() < 0.1:
        _multiply(dice.choice(_all_lists(fields)), dice)
    for _ in range(dice.choice((1, 1, 1, 2, 2, 4, 8))):
        lists = _all_lists(fields)
        _mutate_one(dice.choice(lists), lists, dice)
    return encoded(fields)[: 2 * _LARGEST]


def _multiply(fields: list[Field], dice: random.Random) -> None:
    if fields:
        field = dice.choice(fields)
        most = _LARGEST // (len(encoded([field])) + 1)
        fields += [field] * min(dice.choice((2, 30, 300, 5000)), most)


def _all_lists(fields: list[Field]) -> list[list[Field]]:
    """The list itself and all below it, each once however often it occurs."""
    found = {id(fields): fields}
    waiting = [fields]
    while waiting:
        for field in waiting.pop():
            if isinstance(field.value, list) and id(field.value) not in found:
                found[id(field.value)] = field.value
                waiting.append(field.value)
    return list(found.values())


def _mutate_one(fields: list[Field], lists: list[list[Field]], dice: random.Random) -> None:
    if not fields or dice.random() < 0.05:
        fields.append(_new_field(dice))
        return
    at = dice.randrange(len(fields))
    roll = dice.randrange(8)
    if roll == 0:
        del fields[at]
    elif roll == 1:
        fields.insert(dice.randrange(len(fields) + 1), fields[at])
    elif roll == 2:
        fields[at] = Field(dice.randint(1, 25), fields[at].kind, fields[at].value)
    elif roll == 3:
        # Only plain values move: a message cannot contain itself.
        other = [f for f in dice.choice(lists) if not isinstance(f.value, list)]
        fields[at] = dice.choice(other) if other else fields[at]
    elif roll == 4:
        fields[at] = _new_field(dice, fields[at].number)
    else:
        fields[at] = Field(fields[at].number, fields[at].kind, _changed(fields[at], dice))


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


def _changed(field: Field, dice: random.Random) -> int | bytes | list[Field]:
    value = field.value
    if isinstance(value, int):
        return dice.choice(NUMBERS) if dice.random() < 0.8 else value + dice.randint(-3, 3)
    if field.kind != 2:
        return dice.randbytes(8 if field.kind == 1 else 4)
    if isinstance(value, list):
        return b"" if dice.random() < 0.2 else mutated_bytes(encoded(value), dice)
    return dice.choice(BYTES) if dice.random() < 0.6 else mutated_bytes(value, dice)


MUTATORS: dict[str, Mutator] = {
    "fields": mutated_fields,
    "words": mutated_words,
    "bytes": mutated_bytes,
}
