"""Protobuf messages of many rows at once, as bytes: columns become fields, messages nest.

A message is a list of pieces for each of its rows (see `pieces`), to which any field adds some. One
inside another costs its length; many inside one are first made a column, which is then regrouped.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tfprof.outputs.encoding.row_encoder import (
    DictColumn,
    Piece,
    encode_rows,
    joined_bytes,
    lengths_of,
)
from tfprof.profiles.schema import Array, BoolArray

__all__ = [
    "Fields",
    "column",
    "fields",
    "grouped",
    "key",
    "listed",
    "nested",
    "numbers",
    "packed",
    "prefixed",
    "strings",
    "varint",
    "varint_lengths",
    "varints",
]

_VARINT, _BYTES = 0, 2
_SEVEN = np.uint64(7)
_MORE, _LAST = np.uint64(128), np.uint8(127)
_NOTHING = pa.array([b""])
_SAMPLE = 1000


@dataclass(frozen=True, slots=True)
class Fields:
    """Some fields of a message for each of many rows, and how many bytes a row takes."""

    pieces: list[Piece]
    lengths: Array

    def __add__(self, other: Fields) -> Fields:
        """The fields of both, one after the other."""
        return Fields([*self.pieces, *other.pieces], self.lengths + other.lengths)

    def __len__(self) -> int:
        return len(self.lengths)

    def joined(self, after: bytes = b"") -> bytes:
        """The bytes of all rows, and then some more."""
        length = int(self.lengths.sum()) + len(after)
        return joined_bytes(length, itertools.chain(encode_rows(len(self), self.pieces), [after]))

    def of(self, rows: Array) -> Fields:
        """The fields of some of the rows."""
        pieces = [piece if isinstance(piece, bytes) else piece.of(rows) for piece in self.pieces]
        return Fields(pieces, self.lengths[rows])


def fields(words: pa.Array, at: Array | None = None) -> Fields:
    """Fields that are bytes already: a word for each row, or the one at `at`."""
    piece = DictColumn(words, at)
    return Fields([piece], np.asarray(lengths_of(piece), np.int64))


def varint(value: int) -> bytes:
    """One number as protobuf writes it; negative ones as 64 bits."""
    value %= 1 << 64
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


def key(number: int, *, nests: bool = False) -> bytes:
    """What stands before the value of a field: of a number, or of bytes that nest."""
    return varint(number << 3 | (_BYTES if nests else _VARINT))


def varint_lengths(values: Array) -> Array:
    """How many bytes each number takes."""
    left = values.astype(np.uint64)
    found = np.ones(len(left), np.int64)
    largest = int(left.max(initial=0))
    for shift in range(7, 64, 7):
        if largest >> shift == 0:
            break
        found += left >= np.uint64(1 << shift)
    return found


def _binary(data: Array | bytes, at: Array) -> pa.Array:
    buffers = [None, pa.py_buffer(at.astype(np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), len(at) - 1, buffers)


def _tagged(before: bytes, values: Array) -> pa.Array:
    """The same bytes and then a number, for each number."""
    sizes = varint_lengths(values) + len(before)
    width = int(sizes.max(initial=len(before)))
    # As wide as the longest; what is too much of the others is cut off.
    table = np.empty((len(values), width), np.uint8)
    table[:, : len(before)] = list(before)
    left = values.astype(np.uint64)
    for place in range(len(before), width):
        table[:, place] = left | _MORE
        left >>= _SEVEN
    at = np.zeros(len(values) + 1, np.int64)
    np.cumsum(sizes, out=at[1:])
    alike = at[-1] == table.size
    data = table.reshape(-1) if alike else table[np.arange(width) < sizes[:, None]]
    data[at[1:] - 1] &= _LAST
    return _binary(data, at)


def varints(values: Array) -> Fields:
    """A number for each row, without a key."""
    return fields(_tagged(b"", values))


def packed(number: int, values: Array, starts: Array) -> Fields:
    """A field of several numbers for each row, from each start to the next."""
    return nested(number, fields(grouped(_tagged(b"", values), starts)), np.diff(starts) > 0)


def numbers(columns: Mapping[int, Array]) -> Fields:
    """The fields of these numbers with a column each, as far as a row's value is not 0."""
    found = [_number(number, values) for number, values in columns.items() if values.any()]
    count = len(next(iter(columns.values())))
    return sum(found, start=Fields([], np.zeros(count, np.int64)))


def _number(number: int, values: Array) -> Fields:
    if _differ(values):
        words, at = _tagged(key(number), values), np.arange(len(values))
    else:
        # Each distinct number is written once.
        coded = pa.array(values).dictionary_encode()
        at, values = coded.indices.to_numpy(), coded.dictionary.to_numpy()
        words = _tagged(key(number), values)
    zero = np.flatnonzero(values == 0)
    if not len(zero):
        return fields(words, at)
    place = np.arange(len(words))
    place[zero] = len(words)
    return fields(pa.concat_arrays([words, _NOTHING]), place[at])


def _differ(values: Array) -> bool:
    """Whether nearly all numbers are different, by the look of the first ones."""
    first = values[:_SAMPLE].tolist()
    return len(set(first)) > len(first) // 2


def prefixed(before: bytes, lengths: Array, where: BoolArray | None = None) -> Fields:
    """Some bytes and then a length, for each row, or nothing where it is not."""
    most = int(lengths.max(initial=0))
    alike = most < len(lengths)  # so that it is shorter to write every length once
    words = _tagged(before, np.arange(most + 1) if alike else lengths)
    at = lengths if alike else None
    if where is None:
        return fields(words, at)
    at = np.where(where, np.arange(len(lengths)) if at is None else at, len(words))
    return fields(pa.concat_arrays([words, _NOTHING]), at)


def nested(number: int, inside: Fields, where: BoolArray | None = None) -> Fields:
    """A field that holds a message or a string; where it is not, there must be nothing inside."""
    return prefixed(key(number, nests=True), inside.lengths, where) + inside


def strings(number: int, words: pa.Array, at: Array | None = None) -> Fields:
    """A field of strings, nothing where one is empty."""
    text = fields(words, at)
    return nested(number, text, text.lengths > 0)


def column(rows: Fields) -> pa.Array:
    """The messages of all rows as a column of bytes."""
    at = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(rows.lengths, out=at[1:])
    data = np.empty(int(at[-1]), np.uint8)
    end = 0
    for part in encode_rows(len(rows), rows.pieces):
        begin, end = end, end + len(part)
        data[begin:end] = part
    return _binary(data, at)


def grouped(messages: pa.Array, starts: Array) -> pa.Array:
    """Messages one after the other, from each start to the next; nothing is copied."""
    offsets = np.frombuffer(messages.buffers()[1], np.int32)
    buffers = [None, pa.py_buffer(offsets[starts + messages.offset]), messages.buffers()[2]]
    return pa.Array.from_buffers(pa.binary(), len(starts) - 1, buffers)


def listed(number: int, inside: Fields, starts: Array) -> Fields:
    """A field of several messages for each row, from each start to the next."""
    return fields(grouped(column(nested(number, inside)), starts))
