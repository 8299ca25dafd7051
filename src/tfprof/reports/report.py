"""A report: the rows of a view after account, start, trim, show, hide, minimum, depth and sort.

Every writer takes a Report, so that text, file, timeline, message and page can never disagree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

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
from tfprof.reports.filters import (
    apply_start,
    list_start,
    row_filter,
    sort_key,
)
from tfprof.reports.measures import measures
from tfprof.resolve import resolve
from tfprof.views import view_of
from tfprof.views.tree import Tree
from tfprof.views.view import View

__all__ = ["Report", "Row", "make_report"]

_DEFINITIONS = "definition_count"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a report, with own and total numbers by measure."""

    report: Report = field(repr=False)
    position: int

    @property
    def name(self) -> str:
        """What stands in the first column."""
        return self.report.names[self.position]

    @property
    def depth(self) -> int:
        """How many shown rows it stands below; the root's is 0."""
        return int(self.report.tree.depth[self.position]) - 1

    @property
    def own(self) -> dict[str, int]:
        """The row's own numbers."""
        numbers: dict[str, int] = self.report.own[self.position]
        return numbers

    @property
    def total(self) -> dict[str, int]:
        """The numbers of the row and all it stands for."""
        numbers: dict[str, int] = self.report.total[self.position]
        return numbers

    @property
    def counted(self) -> bool:
        """Whether the row itself matches the account regexes."""
        return bool(self.report.matched[self.position])

    @property
    def parent(self) -> Row | None:
        """The row it stands under."""
        above = int(self.report.tree.parent[self.position])
        return None if above < 0 else Row(self.report, above)

    @property
    def children(self) -> list[Row]:
        """The rows that stand right under it."""
        tree = self.report.tree
        found, at = [], self.position + 1
        while at < tree.end[self.position]:
            found.append(Row(self.report, at))
            at = int(tree.end[at])
        return found


@dataclass(frozen=True, eq=False)
class Report:
    """Rows in the order of display, the root first.

    `at` is the position of each row in the view. `shown` is false if there is nothing to display,
    because the step or the traces are missing; `messages` then say so.
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
        """Which view it is."""
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
        found: Array = self.view.node[self.view_positions]
        return found

    @cached_property
    def members(self) -> tuple[Array, Array]:
        """The counted nodes of op and code view, and where each row's start among them."""
        counted = self.match_count[self.view.member_node] > 0
        node, at = self.view.member_node[counted], self.view.member_position[counted]
        first = np.searchsorted(at, self.view_positions)
        last = np.searchsorted(at, self.view_positions, side="right")
        return node, np.stack([first, last], axis=1)

    @property
    def root(self) -> Row:
        """The first row, which has the totals of all."""
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
        """The first row of a name, or the first whose name ends with `/` and it."""
        for fits in (name.__eq__, lambda found: found.endswith("/" + name)):
            for position, found in enumerate(self.names):
                if fits(found):
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
    """The report of a view. `built_from` is an earlier profile that the view's structure shows."""
    profile = resolve(profile, quirks)
    view = view_of(resolve(built_from, quirks) if built_from else profile, kind, quirks)
    report = _report_of(profile, view, options, quirks)
    more = profile.warnings
    if {"float_ops", "macs"} & set(options.select):
        more += node_flops(profile, quirks).messages()
    return replace(report, messages=report.messages + more) if more else report


def _report_of(profile: Profile, view: View, options: Options, quirks: Quirks) -> Report:
    missing = _missing(profile, view, options, quirks)
    if missing and not quirks.failures_give_empty_results:
        raise OptionError(missing)
    if missing:
        return _nothing(profile, view, options, quirks, (*view.warnings, missing))
    times = count_matches(profile, options.account_type_regexes, quirks)
    numbers = measures(profile, quirks, options.step)
    if view.kind == "op":
        return _list_report(profile, view, options, quirks, times, numbers)
    return _tree_report(profile, view, options, quirks, times, numbers)


def _missing(profile: Profile, view: View, options: Options, quirks: Quirks) -> str:
    """Why there is nothing to show, or nothing."""
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


def _nothing(
    profile: Profile, view: View, options: Options, quirks: Quirks, messages: tuple[str, ...]
) -> Report:
    zero = LazyColumns(1, lambda _: np.zeros(1, np.int64))
    root, _ = view.tree.filter(np.arange(len(view.tree)) == 0)
    at, off = np.zeros(1, np.int64), np.zeros(1, bool)
    none = np.zeros(len(profile.nodes), np.int64)
    return Report(profile, view, options, quirks, root, at, off, zero, zero, none, False, messages)


def _tree_report(
    profile: Profile,
    view: View,
    options: Options,
    quirks: Quirks,
    times: Array,
    numbers: LazyColumns,
) -> Report:
    tree, at, own, matched, adds = accounted_tree(view, options, quirks, times, numbers)
    names = view.name if len(at) == len(view.tree) else view.name.take(pa.array(at))
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
    adds_up = partial(numbers.adds_up, times=int(times.max(initial=1)))
    shown = visible & row_filter(view.kind, names, own, total, depth, options, quirks, adds_up)
    shown[0] = True
    if options.account_displayed_op_only and view.kind != "code":
        adding = shown if quirks.unmatched_own_counts else shown & adds
        total = _totals(tree, own, adding, root_too=quirks.scopes_are_definitions)
    rows_tree, rows = tree.filter(shown)
    key = sort_key(view.kind, options, quirks, names, rows, total, own)
    if key is not None:
        rows_tree, stood = rows_tree.sort_by(key)
        rows = rows[stood]
    messages = view.warnings
    if view.kind == "code" and options.account_displayed_op_only:
        messages += ("Note: code view ignores account_displayed_op_only",)
    return Report(
        profile,
        view,
        options,
        quirks,
        rows_tree,
        at[rows],
        matched[rows],
        own.of(rows),
        total.of(rows),
        times,
        messages=messages + executions_of(profile, quirks).warnings,
    )


def _totals(
    tree: Tree, own: LazyColumns, adds: BoolArray, *, root_too: bool = False
) -> LazyColumns:
    """The sums of the own numbers that add up; with `root_too` the root is a definition as well."""
    all_add = bool(adds[1:].all())

    def total(measure: str) -> Array:
        values: Array = own[:, measure]
        sums = tree.subtree_sums(values if all_add and not values[0] else values * adds)
        if root_too and measure == _DEFINITIONS:
            sums[0] += 1
        return sums

    return LazyColumns(len(tree), total, kept=False)


def _list_report(
    profile: Profile,
    view: View,
    options: Options,
    quirks: Quirks,
    times: Array,
    numbers: LazyColumns,
) -> Report:
    of_type, members = member_numbers(view, times, numbers, quirks)
    accounted = np.flatnonzero(members > 0)
    names = view.name.take(pa.array(accounted))
    own = of_type.of(accounted)
    key = sort_key("op", options, quirks, names, np.arange(len(accounted)), own, own)
    if key is not None:
        accounted = accounted[np.argsort(key, kind="stable")]
        names, own = view.name.take(pa.array(accounted)), of_type.of(accounted)
    begin = list_start(names, options)
    depth = np.arange(len(accounted)) - begin
    walked = depth >= 0
    trimmed = np.flatnonzero(walked & regexes.matches_any(options.trim_name_regexes, names))
    if len(trimmed):
        walked &= np.arange(len(accounted)) < trimmed[0]
    total = LazyColumns(len(own), lambda measure: _suffix_sums(own[:, measure]))
    adds_up = partial(numbers.adds_up, times=int(times.max(initial=1)))
    shown = walked & row_filter("op", names, own, total, depth, options, quirks, adds_up)
    rows = np.flatnonzero(shown)
    count = len(rows) + 1

    def row_total(measure: str) -> Array:
        if options.account_displayed_op_only:
            sums = _suffix_sums(own[rows, measure])
            return _under_root(sums, sums[:1])
        return _under_root(total[rows, measure], total[:1, measure])

    depths = np.arange(1, count + 1)
    matched = np.ones(count, bool)
    matched[0] = False
    return Report(
        profile,
        view,
        options,
        quirks,
        Tree(depths - 2, depths, np.full(count, count, np.int64)),
        np.concatenate([np.zeros(1, np.int64), accounted[rows]]),
        matched,
        LazyColumns(count, lambda measure: _under_root(own[rows, measure])),
        LazyColumns(count, row_total),
        times,
        messages=view.warnings + executions_of(profile, quirks).warnings,
    )


def _under_root(values: Array, root: Array | tuple[()] = ()) -> Array:
    """A column of rows after that of the root, which has a number or nothing."""
    return np.concatenate([root if len(root) else np.zeros(1, np.int64), values])


def _suffix_sums(own: Array) -> Array:
    """The sum of each number and all after it."""
    sums: Array = np.cumsum(own[::-1], dtype=own.dtype)[::-1]
    return sums
