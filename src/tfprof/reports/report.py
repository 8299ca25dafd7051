"""A report: the rows of a view in the order of display, with their numbers.

Every writer takes a Report, so all outputs agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.definitions.lookup import did_you_mean
from tfprof.definitions.metrics import Metric, known_metrics
from tfprof.definitions.options import Options
from tfprof.definitions.quirks import Quirks
from tfprof.flops.flop_columns import format_count
from tfprof.profiles.lazy_columns import LazyColumns
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.reports.measures import measures
from tfprof.reports.time_window import TimeWindow, time_window
from tfprof.runtime.lazy import cached_property
from tfprof.views.tree import Tree
from tfprof.views.view import View


@dataclass(frozen=True, slots=True, repr=False)
class Row:
    """A row of a report, with its own and total numbers by name."""

    report: Report
    position: int

    def __repr__(self) -> str:
        own, total = self.report.own, self.report.total
        numbers = (
            f"{metric.name} {format_count(own.number(self.position, metric.measure), metric.unit)}"
            f" of {format_count(total.number(self.position, metric.measure), metric.unit)}"
            for metric in self.report.selected_numbers()
        )
        return f"<Row {self.name!r}: {', '.join(numbers) or 'no numbers'}>"

    @property
    def name(self) -> str:
        """The name in the first column."""
        return self.report.names[self.position]

    @property
    def depth(self) -> int:
        """The number of rows above it in the tree; 0 for the root."""
        return int(self.report.tree.depth[self.position]) - 1

    @property
    def own(self) -> dict[str, Any]:
        """The row's own numbers."""
        numbers: dict[str, Any] = self.report.own[self.position]
        return numbers

    @property
    def total(self) -> dict[str, Any]:
        """The numbers of the row and its descendants."""
        numbers: dict[str, Any] = self.report.total[self.position]
        return numbers

    @property
    def counted(self) -> bool:
        """Whether the row itself matches the account regexes."""
        return bool(self.report.matched[self.position])

    @property
    def parent(self) -> Row | None:
        """The parent row; None for the root."""
        parent = int(self.report.tree.parent[self.position])
        return None if parent < 0 else self.report.row(parent)

    @property
    def children(self) -> list[Row]:
        """The child rows, in the order of display."""
        tree = self.report.tree
        rows, position = [], self.position + 1
        while position < tree.end[self.position]:
            rows.append(self.report.row(position))
            position = int(tree.end[position])
        return rows


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """Rows in the order of display, the root first.

    `view_positions` is the position of each row in the view, `match_count` says how many account
    regexes each node matches. `shown` is false if the step or the traces are missing; `messages`
    then say so. `footer` is a last line of the text, which says what is not shown.
    """

    profile: Profile
    view: View
    options: Options
    quirks: Quirks
    tree: Tree
    view_positions: Array
    matched: BoolArray
    own: LazyColumns
    total: LazyColumns
    match_count: Array
    shown: bool = True
    messages: tuple[str, ...] = ()
    footer: str = ""

    def __repr__(self) -> str:
        totals = (
            f"{metric.name} {format_count(self.total.number(0, metric.measure), metric.unit)}"
            for metric in self.selected_numbers()
        )
        numbers = ", ".join(totals) if self.shown else "nothing to show"
        rows = "1 row" if len(self) == 1 else f"{len(self):,} rows"
        return f"<Report: {self.kind} view, {rows}; {numbers or 'no numbers'}>"

    @property
    def kind(self) -> str:
        """The view: scope, graph, op or code."""
        return self.view.kind

    def selected_numbers(self) -> list[Metric]:
        """The selected metrics that are numbers."""
        known = known_metrics(self.quirks)
        metrics = [known[name] for name in dict.fromkeys(self.options.select) if name in known]
        return [metric for metric in metrics if metric.measure]

    def row(self, position: int) -> Row:
        """The row at a position, in the order of display."""
        return Row(self, position)

    @cached_property
    def numbers(self) -> LazyColumns:
        """The numbers of every node of the profile for the step and window of this report."""
        options = self.options
        return measures(self.profile, self.quirks, options.step, options.at, self.window)

    @property
    def window(self) -> TimeWindow | None:
        """The part of the step that it is restricted to; None for all of it."""
        return time_window(self.profile, self.options, self.quirks)

    @cached_property
    def name(self) -> pa.Array:
        """The names of the rows, as a column."""
        return self.view.name.take(pa.array(self.view_positions))

    @cached_property
    def names(self) -> list[str]:
        """The names of the rows."""
        return [text.decode(errors="replace") for text in self.name.cast(pa.binary()).to_pylist()]

    @property
    def node(self) -> Array:
        """The node id of each row; -1 for rows that are no single node."""
        node: Array = self.view.node[self.view_positions]
        return node

    @cached_property
    def members(self) -> tuple[Array, Array]:
        """The nodes that match in op and code view, and first and last index of each row's."""
        matched = self.match_count[self.view.member_node] > 0
        node, position = self.view.member_node[matched], self.view.member_position[matched]
        first = np.searchsorted(position, self.view_positions)
        last = np.searchsorted(position, self.view_positions, side="right")
        return node, np.stack([first, last], axis=1)

    @property
    def root(self) -> Row:
        """The first row, which has the totals of all nodes."""
        return self.row(0)

    @property
    def rows(self) -> list[Row]:
        """All rows in the order of display, the root first."""
        return list(self)

    def __iter__(self) -> Iterator[Row]:
        return (self.row(position) for position in range(len(self)))

    def __len__(self) -> int:
        return len(self.tree)

    def __getitem__(self, name: str) -> Row:
        """The first row of a name, or the first whose name ends with `/` and that name."""
        for matches in (name.__eq__, lambda other: other.endswith("/" + name)):
            for position, other in enumerate(self.names):
                if matches(other):
                    return self.row(position)
        last = (other.rpartition("/")[2] for other in self.names)
        hint = did_you_mean(name, dict.fromkeys((*self.names, *last)))
        raise KeyError(f"there is no row '{name}'{hint}")

    @property
    def deepest(self) -> int:
        """A `max_depth` that hides none of the rows."""
        if self.kind == "op":
            return len(self) - 2
        return int(self.view.tree.depth[self.view_positions].max())

    def filter(self, mask: BoolArray) -> Report:
        """The report with some of its rows, the root among them; they move up to the next one."""
        return self._with_rows(*self.tree.filter(mask))

    def sort_by(self, key: Array) -> Report:
        """The report with the children of each row sorted by a key."""
        return self._with_rows(*self.tree.sort_by(key))

    def _with_rows(self, tree: Tree, rows: Array) -> Report:
        return replace(
            self,
            tree=tree,
            view_positions=self.view_positions[rows],
            matched=self.matched[rows],
            own=self.own.take(rows),
            total=self.total.take(rows),
        )
