"""A diff: the rows of two reports of one view, with before, after and delta.

Every writer takes a Diff, so all outputs agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tfprof.definitions.lookup import did_you_mean
from tfprof.definitions.metrics import METRICS, Unit, find_measure, number_names
from tfprof.definitions.options import Options
from tfprof.diffs.match_rows import ADDED, MATCHES, REMOVED
from tfprof.diffs.merged_rows import MergedRows, Numbers
from tfprof.errors import OptionError
from tfprof.flops.flop_columns import format_count
from tfprof.profiles.schema import Array, BoolArray
from tfprof.reports.report import Report
from tfprof.runtime.lazy import cached_property
from tfprof.views.tree import Tree


class DiffColumn(NamedTuple):
    """A number that rows are compared by: a selected metric, or one of its counts."""

    name: str
    title: str
    measure: str
    unit: Unit


@dataclass(frozen=True, slots=True)
class Breakdown:
    """What a number of all rows was and is, and what of the change is due to which rows.

    `delta` is exactly `changed + added + removed`; what was removed counts as negative.
    """

    before: Any
    after: Any
    changed: Any
    added: Any
    removed: Any

    @property
    def delta(self) -> Any:
        """The whole change."""
        return self.after - self.before


@dataclass(frozen=True, slots=True, repr=False)
class DiffRow:
    """A row of a diff, with its numbers by name."""

    diff: Diff
    position: int

    def __repr__(self) -> str:
        column = self.diff.columns[0]
        delta = format_change(self.delta[column.measure], column.unit)
        return f"<DiffRow {self.name!r}: {column.name} {delta}, {self.match}>"

    @property
    def name(self) -> str:
        """The name after; of a removed row the name before."""
        return self.diff.names[self.position]

    @property
    def before_name(self) -> str:
        """The name before; of an added row the name after."""
        return self.diff.before_names[self.position]

    @property
    def match(self) -> str:
        """How it was matched: name, scope rename, line moved, line edited, added or removed."""
        return MATCHES[self.diff.match[self.position]]

    @property
    def depth(self) -> int:
        """The number of rows above it in the tree; 0 for the root."""
        return int(self.diff.tree.depth[self.position]) - 1

    @property
    def before(self) -> Any:
        """The numbers before of the row and its descendants."""
        return self.diff.numbers.before[self.position]

    @property
    def after(self) -> Any:
        """The numbers after of the row and its descendants."""
        return self.diff.numbers.after[self.position]

    @property
    def delta(self) -> Any:
        """What they changed by."""
        return self.diff.numbers.delta[self.position]

    @property
    def own_delta(self) -> Any:
        """What the row's own numbers changed by."""
        return self.diff.numbers.own_delta[self.position]


@dataclass(frozen=True, eq=False, repr=False)
class Diff:
    """Rows in the order of display, the root first.

    `before` and `after` are the reports that were compared, `whole` all their rows, whatever is
    shown. `renames` are pairs of names of scopes and nodes, before and after.
    """

    before: Report
    after: Report
    options: Options
    whole: MergedRows
    tree: Tree
    whole_rows: Array
    """The position of each row in `whole`."""
    numbers: Numbers
    renames: tuple[tuple[str, str], ...] = ()
    messages: tuple[str, ...] = ()
    footer: str = ""

    def __repr__(self) -> str:
        parts = []
        for column in self.columns:
            whole = self.breakdown(column.name)
            parts.append(f"{column.name} {format_change(whole.delta, column.unit)}")
        return f"<Diff: {self.kind} view, {len(self):,} rows; {', '.join(parts)}>"

    @property
    def kind(self) -> str:
        """The view: scope, graph, op or code."""
        return self.after.kind

    @cached_property
    def columns(self) -> list[DiffColumn]:
        """The numbers that are shown, in the order of `select`."""
        return diff_columns(self.options.select)

    @cached_property
    def match(self) -> Array:
        """How each row was matched, as an index in `MATCHES`."""
        return self.whole.match[self.whole_rows]

    @cached_property
    def before_row(self) -> Array:
        """The row of the report before, -1 for added rows."""
        return self.whole.before_row[self.whole_rows]

    @cached_property
    def after_row(self) -> Array:
        """The row of the report after, -1 for removed rows."""
        return self.whole.after_row[self.whole_rows]

    @cached_property
    def name(self) -> pa.Array:
        """The names of the rows, as a column."""
        return self.whole.name.take(pa.array(self.whole_rows))

    @cached_property
    def names(self) -> list[str]:
        """The names of the rows after; of removed ones before."""
        return [text.decode(errors="replace") for text in self.name.cast(pa.binary()).to_pylist()]

    @cached_property
    def before_names(self) -> list[str]:
        """The names of the rows before; of added ones after."""
        names, before = list(self.names), self.before.name.cast(pa.binary())
        renamed = (self.before_row >= 0) & (self.match > 0)
        for row in np.flatnonzero(renamed).tolist():
            names[row] = before[int(self.before_row[row])].as_py().decode(errors="replace")
        return names

    @property
    def root(self) -> DiffRow:
        """The first row, which has the totals."""
        return DiffRow(self, 0)

    @property
    def rows(self) -> list[DiffRow]:
        """All rows in the order of display, the root first."""
        return list(self)

    def __iter__(self) -> Iterator[DiffRow]:
        return (DiffRow(self, position) for position in range(len(self)))

    def __len__(self) -> int:
        return len(self.tree)

    def __getitem__(self, name: str) -> DiffRow:
        """The first row of a name, or the first whose name ends with `/` and that name."""
        for matches in (name.__eq__, lambda other: other.endswith("/" + name)):
            for names in (self.names, self.before_names):
                for position, other in enumerate(names):
                    if matches(other):
                        return DiffRow(self, position)
        raise KeyError(f"there is no row '{name}'{did_you_mean(name, dict.fromkeys(self.names))}")

    def breakdown(self, metric: str) -> Breakdown:
        """What a metric was and is over all rows, shown or not, and what changed it."""
        measure = find_measure(metric)
        if measure is None:
            hint = did_you_mean(metric, number_names())
            raise OptionError(f"there is no number '{metric}'{hint}")
        numbers, match = self.whole.numbers, self.whole.match
        delta = numbers.own_delta.column(measure)
        added, removed = (_sum(delta[match == kind]) for kind in (ADDED, REMOVED))
        changed = _sum(delta[(match != ADDED) & (match != REMOVED)])
        return Breakdown(
            numbers.before.number(0, measure),
            numbers.after.number(0, measure),
            changed,
            added,
            removed,
        )

    def match_counts(self) -> dict[str, int]:
        """How many rows were matched in which way, the root aside."""
        counts = np.bincount(self.whole.match[1:], minlength=len(MATCHES)).tolist()
        return dict(zip(MATCHES, counts, strict=True))

    def filter(self, mask: BoolArray) -> Diff:
        """The diff with some of its rows, the root among them; they move up to the next one."""
        tree, rows = self.tree.filter(mask)
        return replace(
            self, tree=tree, whole_rows=self.whole_rows[rows], numbers=self.numbers.take(rows)
        )


def _sum(values: Array) -> Any:
    """A sum as Python has it."""
    total = values.sum()
    return total.item() if isinstance(total, np.generic) else total


def diff_columns(select: tuple[str, ...]) -> list[DiffColumn]:
    """The numbers that a selection compares."""
    columns = []
    for name in dict.fromkeys(select):
        metric = METRICS[name]
        if not (metric.measure or metric.counts):
            numbers = ", ".join(number_names())
            raise OptionError(f"option 'select': a diff compares numbers ({numbers}), not '{name}'")
        if metric.measure:
            columns.append(DiffColumn(name, metric.title, metric.measure, metric.unit))
        for measure in metric.counts:
            title = measure.replace("_", " ")
            columns.append(DiffColumn(measure, title, measure, "number"))
    if not columns:
        raise OptionError("option 'select': a diff needs a number to compare")
    return columns


def format_change(value: Any, unit: str) -> str:
    """A change with its sign, such as `+1.50k`."""
    if isinstance(value, int) and value < 0:
        return f"-{format_count(-value, unit)}"
    return f"+{format_count(value, unit)}" if value else format_count(0, unit)
