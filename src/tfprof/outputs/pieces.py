"""Rows of text put together from distinct pieces, without a Python object per row.

A row is a sequence of pieces. All texts go into one pool, the rows become numbers of texts in that
pool, and taking these gives the bytes of all rows one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pyarrow as pa

from tfprof.profiles.columns import Bools, Ints

__all__ = ["Item", "Piece", "constant", "each", "joined", "separated"]

_BLOCK = 8192


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of every row: some texts, and which of them each row has; -1 is none.

    Without `at` all rows have the only text.
    """

    texts: pa.Array
    at: Ints | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """Pieces that belong together, and which rows have them; by default all."""

    pieces: list[Piece]
    present: Bools | None = None


def constant(text: str) -> Piece:
    """The same text in every row."""
    return Piece(pa.array([text.encode()], pa.binary()))


def each(texts: pa.Array) -> Piece:
    """A text per row; a null is none."""
    at = np.arange(len(texts))
    if texts.null_count:
        at = np.where(texts.is_valid().to_numpy(zero_copy_only=False), at, -1)
    return Piece(texts, at)


def separated(items: Iterable[Item], separator: str) -> list[Piece]:
    """The pieces of items with a separator between those that a row has."""
    pieces: list[Piece] = []
    some: Bools | None = np.zeros(1, bool)  # which rows have an item already; None is all
    between = constant(separator)
    for item in items:
        if some is None and item.present is None:
            pieces.append(between)
        elif pieces:
            needed = _both(some, item.present)
            pieces.append(Piece(between.texts, np.where(needed, 0, -1)))
        pieces += item.pieces
        some = None if some is None or item.present is None else some | item.present
    return pieces


def _both(one: Bools | None, other: Bools | None) -> Bools:
    present = [mask for mask in (one, other) if mask is not None]
    both: Bools = np.logical_and.reduce(present)
    return both


def joined(pieces: list[Piece], count: int) -> Iterator[memoryview]:
    """The bytes of so many rows, some rows at a time."""
    pieces = list(_merged(pieces))
    empty = pa.array([b""], pa.binary())
    pool = pa.concat_arrays([empty, *(_binary(piece.texts) for piece in pieces)])
    first = np.cumsum([1, *(len(piece.texts) for piece in pieces)])
    for begin in range(0, count, _BLOCK):
        rows = slice(begin, min(begin + _BLOCK, count))
        numbers = np.empty((rows.stop - begin, len(pieces)), np.int32)
        for column, (piece, base) in enumerate(zip(pieces, first.tolist(), strict=False)):
            if piece.at is None:
                numbers[:, column] = base
                continue
            at = piece.at[rows]
            numbers[:, column] = at
            numbers[:, column] += base
            if (at < 0).any():
                numbers[at < 0, column] = 0
        yield _bytes_of(pool.take(pa.array(numbers.reshape(-1))))


def _merged(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces with neighbouring constants made one."""
    for fixed, group in groupby(pieces, lambda piece: piece.at is None):
        if fixed:
            text = b"".join(piece.texts[0].as_py() for piece in group)
            yield Piece(pa.array([text], pa.binary()))
        else:
            yield from group


def _binary(texts: pa.Array) -> pa.Array:
    return texts if texts.type == pa.binary() else texts.cast(pa.binary())


def _bytes_of(texts: pa.Array) -> memoryview:
    """The texts of a column, one after the other."""
    at = texts.offset
    bounds = np.frombuffer(texts.buffers()[1], np.int32)[at : at + len(texts) + 1]
    return memoryview(texts.buffers()[2] or b"")[bounds[0] : bounds[-1]]
