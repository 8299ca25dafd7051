"""The rows that account, start, trim, show, hide, minima and depth leave, sorted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from tfprof.profiles.lazy_columns import LazyColumns
from tfprof.profiles.schema import Array, BoolArray
from tfprof.reports import regexes
from tfprof.reports.account import DEFINITIONS, account_tree, member_numbers
from tfprof.reports.filters import (
    Filter,
    Rows,
    apply_start,
    list_start,
    row_filters,
    rows_passing,
    sort_key,
)
from tfprof.reports.measures import round_last
from tfprof.reports.no_rows import explain_no_rows
from tfprof.reports.report import Report
from tfprof.views.tree import Tree


def add_tree_rows(report: Report) -> Report:
    """A report of scope, graph or code view with all its rows, from one with only the root."""
    view, options, quirks = report.view, report.options, report.quirks
    tree, positions, own, matched, adds = account_tree(report)
    all_positions = len(positions) == len(view.tree)
    names = view.name if all_positions else view.name.take(pa.array(positions))
    total = _totals(report, tree, own, adds)
    kept = tree.subtree_sums(matched.astype(np.int64)) > 0
    can_be_row = matched if view.kind == "scope" and not quirks.unmatched_scopes_shown else kept
    started, depth = apply_start(tree, names, options, kept)
    visible = started & can_be_row
    trimmed = started & regexes.matches_any(options.trim_name_regexes, names)
    trimmed[0] &= quirks.root_can_be_trimmed
    visible &= ~tree.descendants_of(trimmed)
    if view.kind == "code":
        visible &= ~trimmed
    candidates = Rows(names, own, total, depth)
    filters = list(row_filters(report, candidates))
    shown = rows_passing(filters, visible)
    if not shown[1:].any():
        stages = {
            "account_type_regexes": can_be_row & (tree.depth > 1),
            "start_name_regexes": started,
            "trim_name_regexes": visible,
        }
        report = _explain_empty(report, candidates, stages, filters)
    shown[0] = True
    if options.account_displayed_op_only and view.kind != "code":
        root_too = quirks.scopes_are_definitions
        total = _totals(report, tree, own, shown & adds, root_too=root_too)
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
        own=own.take(rows),
        total=total.take(rows),
    )


def _explain_empty(
    report: Report, rows: Rows, stages: Mapping[str, BoolArray], filters: Sequence[Filter]
) -> Report:
    """A report without rows that says why; `stages` are the rows that pass the first filters."""
    if report.quirks.empty_without_a_word:
        return report
    first = (Filter(option, mask) for option, mask in stages.items())
    message = explain_no_rows(report, rows, [*first, *filters])
    return replace(report, messages=(*report.messages, message)) if message else report


def _totals(
    report: Report, tree: Tree, own: LazyColumns, adds: BoolArray, *, root_too: bool = False
) -> LazyColumns:
    """The sums of the own numbers in `adds`; with `root_too` the root is a definition as well."""
    all_add = bool(adds[1:].all())

    def total(measure: str) -> Array:
        values = own.column(measure)
        sums = tree.subtree_sums(values if all_add else values * adds)
        if root_too and measure == DEFINITIONS:
            sums[0] += 1
        return sums

    return LazyColumns(len(tree), round_last(report.profile, report.quirks, total), kept=False)


def add_list_rows(report: Report) -> Report:
    """A report of op view with all its rows, from one with only the root."""
    view, options = report.view, report.options
    of_type, members = member_numbers(report)
    accounted = np.flatnonzero(members > 0)
    key = sort_key(report, view.name, accounted, of_type, of_type)
    if key is not None:
        accounted = accounted[np.argsort(key, kind="stable")]
    names, own = view.name.take(pa.array(accounted)), of_type.take(accounted)
    depth = np.arange(len(accounted)) - list_start(names, options)
    visible = depth >= 0
    trimmed = np.flatnonzero(visible & regexes.matches_any(options.trim_name_regexes, names))
    if len(trimmed):
        visible &= np.arange(len(accounted)) < trimmed[0]
    profile, quirks = report.profile, report.quirks
    sums = round_last(profile, quirks, lambda measure: _suffix_sums(own.column(measure)))
    total = LazyColumns(len(own), sums)
    candidates = Rows(names, own, total, depth)
    filters = list(row_filters(report, candidates))
    rows = np.flatnonzero(rows_passing(filters, visible))
    if not len(rows):
        stages = {
            "account_type_regexes": np.ones(len(own), bool),
            "start_name_regexes": depth >= 0,
            "trim_name_regexes": visible,
        }
        report = _explain_empty(report, candidates, stages, filters)
    count = len(rows) + 1

    def row_total(measure: str) -> Array:
        if options.account_displayed_op_only:
            shown = _suffix_sums(own.column(measure)[rows])
            return _with_root(shown, shown[:1])
        every = total.column(measure)
        return _with_root(every[rows], every[:1])

    depths = np.arange(1, count + 1)
    return replace(
        report,
        tree=Tree(depths - 2, depths, np.full(count, count, np.int64)),
        view_positions=np.concatenate([np.zeros(1, np.int64), accounted[rows]]),
        matched=depths > 1,
        own=LazyColumns(count, lambda measure: _with_root(own.column(measure)[rows])),
        total=LazyColumns(count, round_last(profile, quirks, row_total)),
    )


def _with_root(values: Array, root: Array | tuple[()] = ()) -> Array:
    """A column with the number of the root, 0 by default, before those of the rows."""
    return np.concatenate([root if len(root) else np.zeros(1, np.int64), values])


def _suffix_sums(own: Array) -> Array:
    """The sum of each number and all after it."""
    sums: Array = np.cumsum(own[::-1])[::-1]
    return sums
