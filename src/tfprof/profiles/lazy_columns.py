"""The numbers of nodes or rows, of which mostly but a few columns are looked at."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tfprof.definitions.metrics import measure_names
from tfprof.profiles.schema import Array

__all__ = ["LazyColumns", "sum_bound", "sum_of"]

_SAFE = 2.0**62


def sum_bound(*columns: Array) -> float:
    """What no sum of numbers of these columns exceeds; infinite if one of them is below 0."""
    filled = [column for column in columns if len(column)]
    if any(column.min() < 0 for column in filled):
        return np.inf
    return float(sum(len(column) * float(column.max()) for column in filled))


def sum_of(column: Array) -> float:
    """The sum of a column, about; infinite if one of its numbers is below 0."""
    if len(column) and column.min() < 0:
        return np.inf
    return float(column.sum(dtype=np.float64))


class LazyColumns:
    """A column for each measure, made when it is first asked for.

    `table[rows, measure]` are some rows of a column, `table[row]` the numbers of a row by measure.
    """

    def __init__(
        self,
        length: int,
        make: Callable[[str], Array],
        sum_bound: Callable[[str], float | None] | None = None,
        *,
        kept: bool = True,
    ) -> None:
        """A table of so many rows, whose columns `make` makes: once, or each time if not `kept`.

        `sum_bound` may know without it that a column has nothing below 0, and no larger sum.
        """
        self._length = length
        self._make = make
        self._sum_bound = sum_bound
        self._kept = kept
        self._columns: dict[str, Array] = {}

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, tuple):
            rows, measure = at
            return self._column(measure)[rows]
        row = operator.index(at)
        return {measure: int(self._column(measure)[row]) for measure in measure_names()}

    def __reduce__(self) -> tuple[Any, ...]:
        """What a copy in another process needs: all columns."""
        made = {measure: self._column(measure) for measure in measure_names()}
        return LazyColumns, (self._length, made.__getitem__)

    def of(self, rows: Array) -> LazyColumns:
        """The table of some of the rows."""
        return LazyColumns(len(rows), lambda measure: self._column(measure)[rows])

    def adds_up(self, measure: str, times: int = 1) -> bool:
        """Whether no sum of a column, each number up to so many times, can be below 0."""
        bound = self._sum_bound(measure) if self._sum_bound else None
        if bound is None:
            bound = sum_bound(self._column(measure))
        return bound * times < _SAFE

    def _column(self, measure: str) -> Array:
        if measure in self._columns:
            return self._columns[measure]
        values = self._make(measure)
        if self._kept:
            self._columns[measure] = values
        return values
