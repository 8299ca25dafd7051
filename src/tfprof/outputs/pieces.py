"""Bytes put together from pieces, a column at a time: of each row one piece after the other.

All pieces are put in one column; taking them in the order of the rows is all that it takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from tfprof.profiles.columns import Ints

__all__ = ["Coded", "Piece", "bytes_of", "each", "lengths_of", "taken"]

_ROWS = 8192  # that are put together at once: few enough for their bytes to stay in the cache


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of strings in which each row has one of `words`, the one at `at`."""

    words: pa.Array
    at: Ints


Piece: TypeAlias = bytes | Coded
"""A piece of each row: one that all rows share, or a column."""


def each(words: pa.Array) -> Coded:
    """A column in which each row has a word of its own."""
    return Coded(words, np.arange(len(words)))


def taken(count: int, pieces: Sequence[Piece]) -> Iterator[memoryview]:
    """The bytes of `count` rows one after the other, some rows at a time."""
    words, places = _places(pieces)
    for begin in range(0, count, _ROWS):
        end = min(begin + _ROWS, count)
        order = np.empty((end - begin, len(pieces)), np.int32)
        for at, place in enumerate(places):
            order[:, at] = place if isinstance(place, int) else place[begin:end]
        yield bytes_of(words.take(pa.array(order.ravel())))


def _places(pieces: Sequence[Piece]) -> tuple[pa.Array, list[int | Ints]]:
    """One column of words, and where in it stands what each piece has for all rows, or each."""
    shared = [piece for piece in pieces if isinstance(piece, bytes)]
    columns, size = [pa.array(shared, pa.binary())], len(shared)
    first: dict[int, int] = {}
    places: list[int | Ints] = []
    strings = 0
    for piece in pieces:
        if isinstance(piece, bytes):
            places.append(strings)
            strings += 1
            continue
        if id(piece.words) not in first:
            first[id(piece.words)] = size
            columns.append(piece.words.cast(pa.binary()))
            size += len(piece.words)
        places.append(first[id(piece.words)] + piece.at)
    return pa.concat_arrays(columns), places


def lengths_of(count: int, pieces: Sequence[Piece]) -> Ints:
    """How many bytes each of `count` rows takes."""
    found = np.zeros(count, np.int64)
    for piece in pieces:
        found += len(piece) if isinstance(piece, bytes) else _lengths(piece.words)[piece.at]
    return found


def _bounds(words: pa.Array) -> Ints:
    offsets = np.frombuffer(words.buffers()[1], np.int32)
    return offsets[words.offset : words.offset + len(words) + 1]


def _lengths(words: pa.Array) -> Ints:
    return np.diff(_bounds(words)) if len(words) else np.zeros(0, np.int32)


def bytes_of(words: pa.Array) -> memoryview:
    """The words of a column, one after the other."""
    bounds = _bounds(words)
    data = words.buffers()[2]
    return memoryview(b"" if data is None else data)[int(bounds[0]) : int(bounds[-1])]
