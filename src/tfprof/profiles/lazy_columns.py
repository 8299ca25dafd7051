"""The numbers of nodes or rows, as columns that are computed when they are read."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tfprof.definitions.metrics import measure_names
from tfprof.profiles.schema import Array

_SAFE = 2.0**62


def sum_bound(*columns: Array) -> float:
    """An upper bound of all sums of these columns; infinite if a number is negative."""
    nonempty = [column for column in columns if len(column)]
    if any(column.min() < 0 for column in nonempty):
        return np.inf
    return float(sum(len(column) * float(column.max()) for column in nonempty))


def sum_of(column: Array) -> float:
    """The sum of a column as a float; infinite if a number is negative."""
    if len(column) and column.min() < 0:
        return np.inf
    return float(column.sum(dtype=np.float64))


class LazyColumns:
    """A column for each measure, computed when it is first read.

    `columns[rows, measure]` are some rows of a column, `columns[row]` the numbers of a row by
    measure.
    """

    def __init__(
        self,
        length: int,
        make: Callable[[str], Array],
        sum_bound: Callable[[str], float | None] | None = None,
        *,
        kept: bool = True,
    ) -> None:
        """`make` computes a column: once, or on each read if not `kept`.

        `sum_bound` may return an upper bound of the sums of a column without computing it.
        """
        self._length = length
        self._make = make
        self._sum_bound = sum_bound
        self._kept = kept
        self._columns: dict[str, Array] = {}

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            rows, measure = key
            return self._column(measure)[rows]
        row = operator.index(key)
        return {measure: int(self._column(measure)[row]) for measure in measure_names()}

    def __reduce__(self) -> tuple[Any, ...]:
        """All columns, for a copy in another process."""
        columns = {measure: self._column(measure) for measure in measure_names()}
        return LazyColumns, (self._length, columns.__getitem__)

    def of(self, rows: Array) -> LazyColumns:
        """The columns of some rows."""
        return LazyColumns(len(rows), lambda measure: self._column(measure)[rows])

    def adds_up(self, measure: str, factor: int = 1) -> bool:
        """Whether no sum of a column times a factor can be negative or overflow."""
        bound = self._sum_bound(measure) if self._sum_bound else None
        if bound is None:
            bound = sum_bound(self._column(measure))
        return bound * factor < _SAFE

    def _column(self, measure: str) -> Array:
        if measure in self._columns:
            return self._columns[measure]
        values = self._make(measure)
        if self._kept:
            self._columns[measure] = values
        return values
