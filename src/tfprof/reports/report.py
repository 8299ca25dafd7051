"""A report: the rows of a view after account, start, trim, show, hide, minimum, depth and sort.

Every writer takes a Report, so all outputs agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from tfprof.definitions.options import Options
from tfprof.definitions.quirks import Quirks
from tfprof.errors import OptionError
from tfprof.flops.node_flops import node_flops
from tfprof.profiles.executions import executions_of
from tfprof.profiles.lazy_columns import LazyColumns
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.reports import regexes
from tfprof.reports.account import accounted_tree, count_matches, member_numbers
from tfprof.reports.filters import apply_start, list_start, row_filter, sort_key
from tfprof.reports.measures import measures
from tfprof.resolve import resolve
from tfprof.views import view_of
from tfprof.views.tree import Tree
from tfprof.views.view import View

_DEFINITIONS = "definition_count"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a report, with its own and total numbers by measure."""

    report: Report = field(repr=False)
    position: int

    @property
    def name(self) -> str:
        """The name in the first column."""
        return self.report.names[self.position]

    @property
    def depth(self) -> int:
        """The number of rows above it in the tree; 0 for the root."""
        return int(self.report.tree.depth[self.position]) - 1

    @property
    def own(self) -> dict[str, int]:
        """The row's own numbers."""
        numbers: dict[str, int] = self.report.own[self.position]
        return numbers

    @property
    def total(self) -> dict[str, int]:
        """The numbers of the row and its descendants."""
        numbers: dict[str, int] = self.report.total[self.position]
        return numbers

    @property
    def counted(self) -> bool:
        """Whether the row itself matches the account regexes."""
        return bool(self.report.matched[self.position])

    @property
    def parent(self) -> Row | None:
        """The parent row; None for the root."""
        parent = int(self.report.tree.parent[self.position])
        return None if parent < 0 else Row(self.report, parent)

    @property
    def children(self) -> list[Row]:
        """The child rows, in the order of display."""
        tree = self.report.tree
        rows, position = [], self.position + 1
        while position < tree.end[self.position]:
            rows.append(Row(self.report, position))
            position = int(tree.end[position])
        return rows


@dataclass(frozen=True, eq=False)
class Report:
    """Rows in the order of display, the root first.

    `view_positions` is the position of each row in the view, `match_count` says how many account
    regexes each node matches. `shown` is false if the step or the traces are missing; `messages`
    then say so.
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

    @property
    def kind(self) -> str:
        """The view: scope, graph, op or code."""
        return self.view.kind

    @property
    def numbers(self) -> LazyColumns:
        """The numbers of every node of the profile for the step of this report."""
        return measures(self.profile, self.quirks, self.options.step)

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
        return Row(self, 0)

    @property
    def rows(self) -> list[Row]:
        """All rows in the order of display, the root first."""
        return list(self)

    def __iter__(self) -> Iterator[Row]:
        return (Row(self, position) for position in range(len(self)))

    def __len__(self) -> int:
        return len(self.tree)

    def __getitem__(self, name: str) -> Row:
        """The first row of a name, or the first whose name ends with `/` and that name."""
        for matches in (name.__eq__, lambda other: other.endswith("/" + name)):
            for position, other in enumerate(self.names):
                if matches(other):
                    return Row(self, position)
        raise KeyError(name)

    def of_step(self, step: int) -> Report:
        """The same report of one step."""
        if step == self.options.step:
            return self
        return _report_of(self.profile, self.view, replace(self.options, step=step), self.quirks)


def make_report(
    profile: Profile,
    kind: str,
    options: Options,
    quirks: Quirks,
    *,
    built_from: Profile | None = None,
) -> Report:
    """The report of a view. `built_from` is an earlier profile whose view is shown instead."""
    profile = resolve(profile, quirks)
    view = view_of(resolve(built_from, quirks) if built_from else profile, kind, quirks)
    report = _report_of(profile, view, options, quirks)
    warnings = profile.warnings
    if {"float_ops", "macs"} & set(options.select):
        warnings += node_flops(profile, quirks).messages()
    return replace(report, messages=report.messages + warnings) if warnings else report


def _report_of(profile: Profile, view: View, options: Options, quirks: Quirks) -> Report:
    missing = _missing(profile, view, options, quirks)
    if missing and not quirks.failures_give_empty_results:
        raise OptionError(missing)
    messages = view.warnings
    if missing:
        messages += (missing,)
        match_count = np.zeros(len(profile.nodes), np.int64)
    else:
        match_count = count_matches(profile, options.account_type_regexes, quirks)
        if view.kind == "code" and options.account_displayed_op_only:
            messages += ("Note: code view ignores account_displayed_op_only",)
        messages += executions_of(profile, quirks).warnings
    zero = LazyColumns(1, lambda _: np.zeros(1, np.int64))
    root = Report(
        profile,
        view,
        options,
        quirks,
        tree=Tree.flat(1),
        view_positions=np.zeros(1, np.int64),
        matched=np.zeros(1, bool),
        own=zero,
        total=zero,
        match_count=match_count,
        shown=not missing,
        messages=messages,
    )
    if missing:
        return root
    return _add_list_rows(root) if view.kind == "op" else _add_tree_rows(root)


def _missing(profile: Profile, view: View, options: Options, quirks: Quirks) -> str:
    """Why the report is empty, or an empty string."""
    if options.step >= 0 and options.step not in profile.steps:
        if quirks.failures_give_empty_results:
            known = "".join(f"{step} " for step in profile.steps)
            return f"Options -step={options.step} not found.\nAvailable steps: {known}"
        known = ", ".join(map(str, profile.steps)) or "none"
        return f"option 'step': there is no step {options.step}; known steps are {known}"
    if view.kind == "code" and (not profile.has_trace or len(view.tree) < 2):
        return "No code trace information" + (
            ""
            if quirks.failures_give_empty_results
            else "; give an op log with code traces (op_log)"
        )
    return ""


def _add_tree_rows(report: Report) -> Report:
    """A report of scope, graph or code view with all its rows, from one with only the root."""
    view, options, quirks = report.view, report.options, report.quirks
    tree, positions, own, matched, adds = accounted_tree(report)
    all_positions = len(positions) == len(view.tree)
    names = view.name if all_positions else view.name.take(pa.array(positions))
    total = _totals(tree, own, adds)
    kept = tree.subtree_sums(matched.astype(np.int64)) > 0
    visible, depth = apply_start(tree, names, options, kept)
    trimmed = visible & regexes.matches_any(options.trim_name_regexes, names)
    trimmed[0] &= quirks.root_can_be_trimmed
    visible &= ~tree.descendants_of(trimmed)
    if view.kind == "code":
        visible &= ~trimmed
    if not quirks.unmatched_scopes_shown and view.kind == "scope":
        visible &= matched
    shown = visible & row_filter(report, names, own, total, depth)
    shown[0] = True
    if options.account_displayed_op_only and view.kind != "code":
        adding = shown if quirks.unmatched_own_counts else shown & adds
        total = _totals(tree, own, adding, root_too=quirks.scopes_are_definitions)
    rows_tree, rows = tree.filter(shown)
    key = sort_key(report, names, rows, own, total)
    if key is not None:
        rows_tree, old_position = rows_tree.sort_by(key)
        rows = rows[old_position]
    return replace(
        report,
        tree=rows_tree,
        view_positions=positions[rows],
        matched=matched[rows],
        own=own.of(rows),
        total=total.of(rows),
    )


def _totals(
    tree: Tree, own: LazyColumns, adds: BoolArray, *, root_too: bool = False
) -> LazyColumns:
    """The sums of the own numbers in `adds`; with `root_too` the root is a definition as well."""
    all_add = bool(adds[1:].all())

    def total(measure: str) -> Array:
        values: Array = own[:, measure]
        sums = tree.subtree_sums(values if all_add and not values[0] else values * adds)
        if root_too and measure == _DEFINITIONS:
            sums[0] += 1
        return sums

    return LazyColumns(len(tree), total, kept=False)


def _add_list_rows(report: Report) -> Report:
    """A report of op view with all its rows, from one with only the root."""
    view, options = report.view, report.options
    of_type, members = member_numbers(report)
    accounted = np.flatnonzero(members > 0)
    key = sort_key(report, view.name, accounted, of_type, of_type)
    if key is not None:
        accounted = accounted[np.argsort(key, kind="stable")]
    names, own = view.name.take(pa.array(accounted)), of_type.of(accounted)
    depth = np.arange(len(accounted)) - list_start(names, options)
    visible = depth >= 0
    trimmed = np.flatnonzero(visible & regexes.matches_any(options.trim_name_regexes, names))
    if len(trimmed):
        visible &= np.arange(len(accounted)) < trimmed[0]
    total = LazyColumns(len(own), lambda measure: _suffix_sums(own[:, measure]))
    rows = np.flatnonzero(visible & row_filter(report, names, own, total, depth))
    count = len(rows) + 1

    def row_total(measure: str) -> Array:
        if options.account_displayed_op_only:
            sums = _suffix_sums(own[rows, measure])
            return _with_root(sums, sums[:1])
        return _with_root(total[rows, measure], total[:1, measure])

    depths = np.arange(1, count + 1)
    return replace(
        report,
        tree=Tree(depths - 2, depths, np.full(count, count, np.int64)),
        view_positions=np.concatenate([np.zeros(1, np.int64), accounted[rows]]),
        matched=depths > 1,
        own=LazyColumns(count, lambda measure: _with_root(own[rows, measure])),
        total=LazyColumns(count, row_total),
    )


def _with_root(values: Array, root: Array | tuple[()] = ()) -> Array:
    """A column with the number of the root, 0 by default, before those of the rows."""
    return np.concatenate([root if len(root) else np.zeros(1, np.int64), values])


def _suffix_sums(own: Array) -> Array:
    """The sum of each number and all after it."""
    sums: Array = np.cumsum(own[::-1], dtype=own.dtype)[::-1]
    return sums
