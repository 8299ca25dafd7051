"""Bytes put together from pieces, a column at a time: of each row one piece after the other.

All pieces are put in one column; taking them in the order of the rows is all that it takes.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.schema import Array
from tfprof.profiles.string_columns import value_offsets

__all__ = ["DictColumn", "Piece", "bytes_of", "encode_rows", "joined_bytes", "lengths_of"]

_TOGETHER = 1 << 19  # bytes that are put together at once: few enough to stay in the cache
_BLOCKS = 4  # of so many bytes for which words are brought together at once, if they are many
_MUCH, _LITTLE = 1 << 22, 1 << 14  # bytes of words that are not copied all at once, or each time


@dataclass(frozen=True, slots=True)
class DictColumn:
    """A column of strings in which each row has one of `words`: the one at `at`, or its own."""

    words: pa.Array
    at: Array | None = None

    def of(self, rows: Array) -> DictColumn:
        """The column of some of the rows."""
        return DictColumn(self.words, rows if self.at is None else self.at[rows])


Piece: TypeAlias = bytes | DictColumn
"""A piece of each row: one that all rows share, or a column."""


def encode_rows(count: int, pieces: Sequence[Piece]) -> Iterator[memoryview]:
    """The bytes of `count` rows one after the other, some rows at a time."""
    pieces = _fewer(_as_bytes(pieces), count)
    sizes = [_size(piece) for piece in pieces]
    rows = max(_TOGETHER // max(sum(map(_usual_length, pieces, sizes)), 1), 1)
    if sum(sizes) <= _MUCH or not _mostly_in_order(pieces, sizes):
        yield from _joined(count, rows, pieces)
        return
    # All words at once would be a second copy of nearly everything.
    for begin in range(0, count, _BLOCKS * rows):
        end = min(begin + _BLOCKS * rows, count)
        yield from _joined(end - begin, rows, _parts(pieces, sizes, begin, end))


def _mostly_in_order(pieces: Sequence[Piece], sizes: Sequence[int]) -> bool:
    """Whether most words are of columns whose rows have one after the other, or some repeated."""
    found = sum(
        size
        for piece, size in zip(pieces, sizes, strict=True)
        if isinstance(piece, DictColumn)
        and (piece.at is None or bool((piece.at[1:] >= piece.at[:-1]).all()))
    )
    return 2 * found > sum(sizes)


def _parts(pieces: Sequence[Piece], sizes: Sequence[int], begin: int, end: int) -> list[Piece]:
    """The pieces of some rows; one that is there twice is cut out once."""
    known: dict[tuple[int, int], DictColumn] = {}
    found: list[Piece] = []
    for piece, size in zip(pieces, sizes, strict=True):
        if isinstance(piece, bytes):
            found.append(piece)
            continue
        key = id(piece.words), id(piece.at)
        if key not in known:
            known[key] = _part(piece, size, begin, end)
        found.append(known[key])
    return found


def _part(piece: DictColumn, size: int, begin: int, end: int) -> DictColumn:
    """A column of some rows, with little more than the words that these have."""
    if piece.at is None:
        return DictColumn(piece.words.slice(begin, end - begin))
    at = piece.at[begin:end]
    if size <= _LITTLE:
        return DictColumn(piece.words, at)
    first, last = int(at.min()), int(at.max())
    if last - first < 2 * len(at):
        return DictColumn(piece.words.slice(first, last - first + 1), at - first)
    used, at = np.unique(at, return_inverse=True)
    return DictColumn(piece.words.take(pa.array(used)), at)


def _joined(count: int, rows: int, pieces: Sequence[Piece]) -> Iterator[memoryview]:
    """The bytes of `count` rows, so many rows at a time."""
    words, places = _places(pieces)
    number = np.arange(min(count, rows), dtype=np.int32)
    for begin in range(0, count, rows):
        end = min(begin + rows, count)
        order = np.empty((end - begin, len(pieces)), np.int32)
        for at, (base, place) in enumerate(places):
            if place is None:
                order[:, at] = base
            elif place.at is None:
                order[:, at] = number[: end - begin] + np.int32(base + begin)
            else:
                order[:, at] = place.at[begin:end] + base
        yield bytes_of(words.take(pa.array(order.ravel())))


def _as_bytes(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces with their words as bytes; those that share words still do."""
    found: dict[int, pa.Array] = {}
    for piece in pieces:
        if isinstance(piece, bytes):
            yield piece
            continue
        if id(piece.words) not in found:
            found[id(piece.words)] = piece.words.cast(pa.binary())
        yield DictColumn(found[id(piece.words)], piece.at)


def _fewer(pieces: Iterable[Piece], count: int) -> list[Piece]:
    """The same rows from fewer pieces: neighbours that have but few words together are one."""
    groups: list[list[Piece]] = []
    words = 0
    for piece in pieces:
        own = _words_of(piece, count)
        words *= own
        if not groups or words * 4 > count:
            groups.append([])
            words = own
        groups[-1].append(piece)
    return [_as_one(group) for group in groups]


def _words_of(piece: Piece, count: int) -> int:
    """How many words a piece has: one that all rows share, or one for each row if it has no few."""
    if isinstance(piece, bytes):
        return 1
    return max(count, 1) if piece.at is None else max(len(piece.words), 1)


def _as_one(group: list[Piece]) -> Piece:
    """Pieces as a single one, which has a word for each combination of theirs."""
    columns = [piece for piece in group if isinstance(piece, DictColumn)]
    if not columns:
        return b"".join(piece for piece in group if isinstance(piece, bytes))
    if len(group) == 1:
        return columns[0]
    sizes = [len(column.words) for column in columns]
    places = iter(np.unravel_index(np.arange(math.prod(sizes)), sizes))
    words = [piece if isinstance(piece, bytes) else _words(piece, next(places)) for piece in group]
    at, *others = [column.at for column in columns if column.at is not None]
    for size, other in zip(sizes[1:], others, strict=True):
        at = at * size + other
    return DictColumn(pc.binary_join_element_wise(*words, b""), at)


def _words(piece: DictColumn, at: Array) -> pa.Array:
    return piece.words if len(at) == len(piece.words) else piece.words.take(pa.array(at))


def joined_bytes(length: int, parts: Iterable[memoryview | bytes]) -> bytes:
    """Parts one after the other, which have so many bytes together; they are never there twice."""
    stream = io.BytesIO()
    # A stream that has its size from the start does not move what it has when it grows.
    stream.seek(max(length - 1, 0))
    stream.write(b"\0" * min(length, 1))
    stream.seek(0)
    stream.writelines(parts)
    return stream.getvalue()


def _places(pieces: Sequence[Piece]) -> tuple[pa.Array, list[tuple[int, DictColumn | None]]]:
    """One column of words, and where in it those of each piece begin, or all rows' only one is."""
    shared = [piece for piece in pieces if isinstance(piece, bytes)]
    columns, size = [pa.array(shared, pa.binary())], len(shared)
    first: dict[int, int] = {}
    places: list[tuple[int, DictColumn | None]] = []
    strings = 0
    for piece in pieces:
        if isinstance(piece, bytes):
            places.append((strings, None))
            strings += 1
            continue
        if id(piece.words) not in first:
            first[id(piece.words)] = size
            columns.append(piece.words)
            size += len(piece.words)
        places.append((first[id(piece.words)], piece))
    return pa.concat_arrays(columns), places


def lengths_of(piece: Piece) -> Array | int:
    """How many bytes each row has of a piece."""
    if isinstance(piece, bytes):
        return len(piece)
    lengths = np.diff(value_offsets(piece.words)) if len(piece.words) else np.zeros(0, np.int32)
    return lengths if piece.at is None else lengths[piece.at]


def _usual_length(piece: Piece, size: int) -> int:
    """How many bytes the words of a piece have on average."""
    return size if isinstance(piece, bytes) else size // max(len(piece.words), 1)


def _size(piece: Piece) -> int:
    """How many bytes the words of a piece have."""
    return len(piece if isinstance(piece, bytes) else bytes_of(piece.words))


def bytes_of(words: pa.Array) -> memoryview:
    """The words of a column, one after the other."""
    bounds = value_offsets(words)
    data = words.buffers()[2]
    return memoryview(b"" if data is None else data)[int(bounds[0]) : int(bounds[-1])]
