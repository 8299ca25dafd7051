"""Protobuf messages of many rows at once, as bytes: columns become fields, messages nest.

A message is a list of pieces for each of its rows (see `pieces`), to which any field adds some. One
inside another costs its length; many inside one are first made a column, which is then regrouped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from tfprof.outputs.pieces import Coded, Piece, each, lengths_of, taken
from tfprof.profiles.columns import Ints

__all__ = [
    "column",
    "grouped",
    "key",
    "nested",
    "numbers",
    "prefixed",
    "strings",
    "varint",
    "varint_lengths",
]

_VARINT, _BYTES = 0, 2
_SEVEN = np.uint64(7)


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


def varint_lengths(values: Ints) -> Ints:
    """How many bytes each number takes."""
    left = values.astype(np.uint64)
    found = np.ones(len(left), np.int64)
    largest = int(left.max(initial=0))
    for shift in range(7, 64, 7):
        if largest >> shift == 0:
            break
        found += left >= np.uint64(1 << shift)
    return found


def _tagged(before: bytes, values: Ints) -> pa.Array:
    """The same bytes and then a number, for each number."""
    sizes = varint_lengths(values)
    at = np.zeros(len(values) + 1, np.int64)
    np.cumsum(sizes + len(before), out=at[1:])
    data = np.empty(at[-1], np.uint8)
    start, left = at[:-1], values.astype(np.uint64)
    for code in before:
        data[start] = code
        start = start + 1
    while len(left):
        more = sizes > 1
        data[start] = (left & np.uint64(127)).astype(np.uint8) | more.astype(np.uint8) << 7
        left, start, sizes = left[more] >> _SEVEN, start[more] + 1, sizes[more] - 1
    return _binary(data, at)


def _binary(data: Ints | bytes, at: Ints) -> pa.Array:
    buffers = [None, pa.py_buffer(at.astype(np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), len(at) - 1, buffers)


def numbers(fields: Mapping[int, Ints]) -> list[Piece]:
    """The fields of these numbers with a column each, as far as a row's value is not 0."""
    return [_number(number, values) for number, values in fields.items() if values.any()]


def _number(number: int, values: Ints) -> Coded:
    coded = pa.array(values).dictionary_encode()
    distinct = coded.dictionary.to_numpy()
    words = _tagged(key(number), distinct)
    # What is 0 is not written.
    at = np.append(np.where(distinct == 0, len(distinct), np.arange(len(distinct))), len(distinct))
    return Coded(pa.concat_arrays([words, pa.array([b""])]), at[coded.indices.to_numpy()])


def prefixed(before: bytes, lengths: Ints) -> Coded:
    """Some bytes and then a length, for each row."""
    most = int(lengths.max(initial=0))
    alike = most < len(lengths)  # so that it is shorter to write every length once
    values = np.arange(most + 1) if alike else lengths
    words = _tagged(before, values)
    return Coded(words, lengths) if alike else each(words)


def nested(
    number: int, count: int, pieces: Sequence[Piece], where: Ints | None = None
) -> list[Piece]:
    """A field that holds a message or a string; where it is not, the pieces must be empty."""
    head = prefixed(key(number, nests=True), lengths_of(count, pieces))
    if where is not None:
        words = pa.concat_arrays([head.words, pa.array([b""])])
        head = Coded(words, np.where(where, head.at, len(head.words)))
    return [head, *pieces]


def strings(number: int, words: pa.Array, at: Ints) -> list[Piece]:
    """A field of strings, nothing where one is empty."""
    text = Coded(words, at)
    return nested(number, len(at), [text], lengths_of(len(at), [text]) > 0)


def column(count: int, pieces: Sequence[Piece]) -> pa.Array:
    """The messages of all rows as a column of bytes."""
    at = np.zeros(count + 1, np.int64)
    np.cumsum(lengths_of(count, pieces), out=at[1:])
    return _binary(b"".join(taken(count, pieces)), at)


def grouped(messages: pa.Array, starts: Ints) -> pa.Array:
    """Messages one after the other, from each start to the next; nothing is copied."""
    offsets = np.frombuffer(messages.buffers()[1], np.int32)
    buffers = [None, pa.py_buffer(offsets[starts + messages.offset]), messages.buffers()[2]]
    return pa.Array.from_buffers(pa.binary(), len(starts) - 1, buffers)
