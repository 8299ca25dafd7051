"""The rows of two reports as one tree, with the own and total numbers of both.

It is the tree after; rows that are only before are below the row that stands for their parent.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
import pyarrow as pa

from tfprof.diffs.match_rows import ADDED, REMOVED, RowMatches
from tfprof.profiles.executions import executions_of
from tfprof.profiles.lazy_columns import LazyColumns
from tfprof.profiles.schema import Array, BoolArray
from tfprof.reports.measures import EXACT_TIMES, to_micros
from tfprof.reports.report import Report
from tfprof.reports.wall_time import wall_time
from tfprof.views.tree import Tree

NO_ROW = -1
WALL = "wall_micros"
"""The measure that idle time is part of."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """The own numbers of rows before and after, and what they are with all rows below."""

    own_before: LazyColumns
    own_after: LazyColumns
    before: LazyColumns
    after: LazyColumns
    own_delta: LazyColumns
    delta: LazyColumns

    @classmethod
    def from_own(cls, tree: Tree, before: LazyColumns, after: LazyColumns) -> Numbers:
        """The numbers of the rows of a tree, from their own."""
        totals = _totals(tree, before), _totals(tree, after)
        return cls(before, after, *totals, _differences(before, after), _differences(*totals))

    def take(self, rows: Array) -> Numbers:
        """The numbers of some rows."""
        return Numbers(*(getattr(self, item.name).take(rows) for item in fields(self)))


def _totals(tree: Tree, own: LazyColumns) -> LazyColumns:
    return LazyColumns(len(tree), lambda measure: tree.subtree_sums(own.column(measure)))


def _differences(before: LazyColumns, after: LazyColumns) -> LazyColumns:
    return LazyColumns(len(before), lambda measure: after.column(measure) - before.column(measure))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MergedRows:
    """Rows in pre-order: their names after (of removed ones before), and how they were matched.

    `before_row` and `after_row` are the rows of the two reports, -1 for none.
    """

    tree: Tree
    name: pa.Array
    match: Array
    before_row: Array
    after_row: Array
    numbers: Numbers

    def __len__(self) -> int:
        return len(self.tree)

    def restrict(self, adds: BoolArray) -> MergedRows:
        """The same rows, of which only some count."""
        before = _mask_columns(self.numbers.own_before, adds)
        after = _mask_columns(self.numbers.own_after, adds)
        return replace(self, numbers=Numbers.from_own(self.tree, before, after))


def merge_rows(before: Report, after: Report, matches: RowMatches) -> MergedRows:
    """Merge the rows of two reports that were matched."""
    removed = np.flatnonzero(matches.partner < 0)
    count = len(after)
    merged = matches.partner.copy()
    merged[removed] = count + np.arange(len(removed))
    parent = np.concatenate([_parents(after), merged[_parents(before)[removed]]])
    tree, order = Tree.from_parents(parent[1:] - 1)
    row = np.concatenate([np.zeros(1, np.int64), order + 1])
    after_row = np.where(row < count, row, NO_ROW)
    of_merged = np.full(count + len(removed), NO_ROW, np.int64)
    of_merged[merged] = np.arange(len(before))
    before_row = of_merged[row]
    kind = matches.kind[before_row]
    match = np.where(before_row < 0, ADDED, np.where(after_row < 0, REMOVED, kind))
    names = pa.concat_arrays([after.name, before.name.take(pa.array(removed))])
    return MergedRows(
        tree,
        names.take(pa.array(row)),
        match,
        before_row,
        after_row,
        Numbers.from_own(tree, _own(before, before_row), _own(after, after_row)),
    )


def _parents(report: Report) -> Array:
    """The parent of each row; in op view, where rows are a list, the root."""
    parent = report.tree.parent
    return np.minimum(parent, 0) if report.kind == "op" else parent


def _own(report: Report, rows: Array) -> LazyColumns:
    """The own numbers of rows of a report; rows that are none of it, or do not count, have 0."""
    is_row = (rows >= 0) & report.matched[rows]
    exact = EXACT_TIMES if executions_of(report.profile, report.quirks).has_nanos else {}

    def own(measure: str) -> Array:
        column = report.own.column(exact.get(measure, measure))
        values = np.zeros(len(rows), column.dtype)
        values[is_row] = column[rows[is_row]]
        if measure == WALL:
            values[0] = _idle_micros(report)
        return _round_together(values) if measure in exact else values

    return LazyColumns(len(rows), own)


def _idle_micros(report: Report) -> int:
    """The time of the step in which nothing ran; it belongs to the root."""
    profile, step = report.profile, report.options.step
    executions = executions_of(profile, report.quirks)
    position = profile.steps.index(step) if step >= 0 else None
    return wall_time(executions, len(profile.nodes), position, report.window).idle_micros


def _round_together(nanos: Array) -> Array:
    """Nanoseconds as microseconds that add up to the rounded sum, also in each subtree."""
    rounded: Array = np.diff(to_micros(np.cumsum(nanos)), prepend=0)
    return rounded


def _mask_columns(column: LazyColumns, mask: BoolArray) -> LazyColumns:
    return LazyColumns(len(mask), lambda measure: column.column(measure) * mask)
