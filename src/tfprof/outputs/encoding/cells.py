"""Cells of a row of text: which rows have them, and what separates them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tfprof.outputs.encoding.row_encoder import Column, DictColumn
from tfprof.profiles.schema import Array, BoolArray


@dataclass(frozen=True, slots=True)
class Cell:
    """Columns that belong together, and which rows have them; by default all."""

    columns: list[Column]
    present: BoolArray | None = None


def optional_column(values: pa.Array, indices: Array) -> DictColumn:
    """A column in which a row may have no value: its index is -1."""
    empty = pa.array([b""], pa.binary()).cast(values.type)
    return DictColumn(
        pa.concat_arrays([values, empty]), np.where(indices < 0, len(values), indices)
    )


def join_cells(cells: Iterable[Cell], separator: str) -> list[Column]:
    """The columns of cells, with a separator between those that a row has."""
    constant = separator.encode()
    columns: list[Column] = []
    has_cell: BoolArray | None = np.zeros(1, bool)  # None: all rows have one already
    for cell in cells:
        masks = [mask for mask in (has_cell, cell.present) if mask is not None]
        if not masks:
            columns.append(constant)
        elif columns:
            needed = np.logical_and.reduce(masks)
            separators = pa.array([constant], pa.binary())
            columns.append(optional_column(separators, np.where(needed, 0, -1)))
        columns += cell.columns
        if has_cell is not None:
            has_cell = None if cell.present is None else has_cell | cell.present
    return columns
