"""Rows of text from items: which pieces a row has, and what stands between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tfprof.outputs.encoding.row_encoder import DictColumn, Piece
from tfprof.profiles.schema import Array, BoolArray

__all__ = ["Cell", "optional", "separated"]


@dataclass(frozen=True, slots=True)
class Cell:
    """Pieces that belong together, and which rows have them; by default all."""

    pieces: list[Piece]
    present: BoolArray | None = None


def optional(words: pa.Array, at: Array) -> DictColumn:
    """A column in which each row has the word at `at`; -1 is none."""
    none = pa.array([b""], pa.binary()).cast(words.type)
    return DictColumn(pa.concat_arrays([words, none]), np.where(at < 0, len(words), at))


def separated(items: Iterable[Cell], separator: str) -> list[Piece]:
    """The pieces of items with a separator between those that a row has."""
    between = separator.encode()
    pieces: list[Piece] = []
    some: BoolArray | None = np.zeros(1, bool)  # which rows have an item already; None is all
    for item in items:
        masks = [mask for mask in (some, item.present) if mask is not None]
        if not masks:
            pieces.append(between)
        elif pieces:
            needed = np.logical_and.reduce(masks)
            pieces.append(optional(pa.array([between], pa.binary()), np.where(needed, 0, -1)))
        pieces += item.pieces
        some = None if some is None or item.present is None else some | item.present
    return pieces
