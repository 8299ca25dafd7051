"""Rows of text put together from distinct pieces, without a Python object per row.

A row is a sequence of pieces. All texts go into one pool, the rows become numbers of texts in that
pool, and taking these gives the bytes of all rows one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
    pieces = _fewer(pieces, count)
    # The first text of the pool is empty, for rows that have none of a piece.
    texts = [pa.array([b""], pa.binary()), *(piece.texts for piece in pieces)]
    pool = pa.concat_arrays(texts)
    first = np.cumsum([len(column) for column in texts])[:-1].tolist()
    columns = [_numbers(piece, base) for piece, base in zip(pieces, first, strict=True)]
    for begin in range(0, count, _BLOCK):
        end = min(begin + _BLOCK, count)
        numbers = np.empty((end - begin, len(pieces)), np.int32)
        for at, column in enumerate(columns):
            numbers[:, at] = column if isinstance(column, int) else column[begin:end]
        yield _bytes_of(pool.take(pa.array(numbers.reshape(-1))))


def _numbers(piece: Piece, base: int) -> Ints | int:
    """Which text of the pool each row has, or all rows."""
    if piece.at is None:
        return base
    numbers = piece.at.astype(np.int32) + np.int32(base)
    if piece.at.min(initial=0) < 0:
        numbers[piece.at < 0] = 0
    return numbers


def _fewer(pieces: Iterable[Piece], count: int) -> list[Piece]:
    """The same rows from fewer pieces: constants are made one, and added to few texts before."""
    found: list[Piece] = []
    for piece in pieces:
        texts = _binary(piece.texts)
        last = found[-1] if found else None
        if last is not None and piece.at is None and _takes_more(last, count):
            joint = pc.binary_join_element_wise(last.texts, texts[0], b"")
            found[-1] = Piece(joint, last.at)
        else:
            found.append(Piece(texts, piece.at))
    return found


def _takes_more(piece: Piece, count: int) -> bool:
    """Whether it is worth while to add a constant to every text of a piece; all rows have one."""
    if piece.at is None:
        return True
    return len(piece.texts) * 4 < count and bool(piece.at.min(initial=0) >= 0)


def _binary(texts: pa.Array) -> pa.Array:
    return texts if texts.type == pa.binary() else texts.cast(pa.binary())


def _bytes_of(texts: pa.Array) -> memoryview:
    """The texts of a column, one after the other."""
    at = texts.offset
    bounds = np.frombuffer(texts.buffers()[1], np.int32)[at : at + len(texts) + 1]
    return memoryview(texts.buffers()[2] or b"")[bounds[0] : bounds[-1]]
