"""The numbers of nodes or rows, as columns that are computed when they are read."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tfprof.definitions.integers import INT64_MAX
from tfprof.definitions.lookup import Lookup, did_you_mean
from tfprof.definitions.metrics import find_measure, measure_names, number_names
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


def clip_to_int64(column: Array) -> Array:
    """A column as 64-bit integers: numbers beyond stop at the limits."""
    if column.dtype != object:
        return column
    return np.clip(column, -INT64_MAX - 1, INT64_MAX).astype(np.int64)


class LazyColumns:
    """A column for each measure, computed when it is first read.

    `columns[rows, name]` are some rows of a column, `columns[row]` the numbers of a row by name,
    and `columns[name]` is a number of the first row, the root of a report.
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

    def __repr__(self) -> str:
        """The names that there are numbers of; none of them is computed."""
        return f"<{self._length:,} rows of {', '.join(number_names())}>"

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            rows, name = key
            measure = name if name in self._columns else _measure(name)
            return self._column(measure)[rows]
        if isinstance(key, str):
            return self.number(0, _measure(key))
        row = operator.index(key)
        numbers = {measure: self.number(row, measure) for measure in measure_names()}
        return Lookup(numbers, "number", find_measure, number_names())

    def column(self, measure: str) -> Array:
        """A column by the name of its measure, also one that no metric shows."""
        return self._column(measure)

    def number(self, row: int, measure: str) -> Any:
        """One number as Python has it: an int, or what a column of objects holds."""
        value = self._column(measure)[row]
        return value.item() if isinstance(value, np.generic) else value

    def __reduce__(self) -> tuple[Any, ...]:
        """All columns, for a copy in another process."""
        columns = {measure: self._column(measure) for measure in measure_names()}
        return LazyColumns, (self._length, columns.__getitem__)

    def take(self, rows: Array) -> LazyColumns:
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


def _measure(name: str) -> str:
    measure = find_measure(name)
    if measure is None:
        hint = did_you_mean(name, (*number_names(), *measure_names()))
        raise KeyError(f"there is no number '{name}'{hint}")
    return measure
