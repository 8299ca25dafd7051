"""Which rows of a diff are shown, and in what order.

The options of reports mean the same here. A row passes a minimum if it does before or after.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tfprof.definitions.metrics import DELTA, METRICS
from tfprof.definitions.options import Options
from tfprof.diffs.diff import diff_columns
from tfprof.diffs.merged_rows import MergedRows
from tfprof.flops.flop_columns import to_comparable
from tfprof.profiles.grouping import rank_strings
from tfprof.profiles.schema import Array, BoolArray
from tfprof.reports import regexes
from tfprof.reports.filters import (
    Filter,
    Rows,
    apply_start,
    descending_key,
    list_start,
    row_filters,
)
from tfprof.reports.no_rows import explain_no_rows
from tfprof.reports.report import Report
from tfprof.views.tree import Tree


@dataclass(frozen=True, slots=True)
class ShownRows:
    """The rows that are shown as a tree, their positions among all, and why there are none."""

    tree: Tree
    rows: Array
    message: str = ""


def filter_rows(
    before: Report, after: Report, merged: MergedRows, *, options: Options, min_delta: int
) -> ShownRows:
    """Apply the filters of a request to all rows, and sort the rest."""
    reports = [replace(report, options=options) for report in (before, after)]
    choose = _filter_list if after.kind == "op" else _filter_tree
    return choose(reports, merged, options, min_delta)


def _filter_tree(
    reports: list[Report], merged: MergedRows, options: Options, min_delta: int
) -> ShownRows:
    tree, names = merged.tree, merged.name
    started, depth = apply_start(tree, names, options, np.ones(len(tree), bool))
    trimmed = started & regexes.matches_any(options.trim_name_regexes, names)
    trimmed[0] = False
    visible = started & ~tree.descendants_of(trimmed)
    if reports[0].kind == "code":
        visible &= ~trimmed
    stages = {"start_name_regexes": started, "trim_name_regexes": visible}
    changed = row_change(merged, options) >= min_delta
    passed, message = _apply_filters(reports, merged, depth, stages, changed)
    shown = visible & passed & changed
    shown[0] = True
    rows_tree, rows = tree.filter(shown)
    key = _sort_key(merged, options)
    if key is not None:
        rows_tree, order = rows_tree.sort_by(key[rows])
        rows = rows[order]
    return ShownRows(rows_tree, rows, message if len(rows) == 1 else "")


def _filter_list(
    reports: list[Report], merged: MergedRows, options: Options, min_delta: int
) -> ShownRows:
    """The rows of op view; their depth is their place in the list."""
    order = np.arange(1, len(merged))
    key = _sort_key(merged, options)
    if key is not None:
        order = order[np.argsort(key[1:], kind="stable")]
    names = merged.name.take(order)
    position = np.arange(len(order)) - list_start(names, options)
    visible = position >= 0
    trimmed = np.flatnonzero(visible & regexes.matches_any(options.trim_name_regexes, names))
    if len(trimmed):
        visible &= np.arange(len(order)) < trimmed[0]
    depth = np.zeros(len(merged), np.int64)
    depth[order] = position
    in_list = np.ones((2, len(merged)), bool)
    in_list[:, order] = position >= 0, visible
    stages = dict(zip(("start_name_regexes", "trim_name_regexes"), in_list, strict=True))
    changed = row_change(merged, options) >= min_delta
    passed, message = _apply_filters(reports, merged, depth, stages, changed)
    rows = order[(in_list[1] & passed & changed)[order]]
    rows = np.concatenate([np.zeros(1, np.int64), rows])
    return ShownRows(Tree.flat(len(rows)), rows, message if len(rows) == 1 else "")


def row_change(merged: MergedRows, options: Options) -> Array:
    """How much rows and those below changed, whatever the sign, by the number that changed most."""
    change = np.zeros(len(merged), np.int64)
    for column in diff_columns(options.select):
        own = to_comparable(merged.numbers.own_delta.column(column.measure))
        change = np.maximum(change, merged.tree.subtree_sums(np.abs(own)))
    return change


def _apply_filters(
    reports: list[Report],
    merged: MergedRows,
    depth: Array,
    stages: dict[str, BoolArray],
    changed: BoolArray,
) -> tuple[BoolArray, str]:
    """Which rows pass regexes, minima and depth; and why none does, if so."""
    numbers = merged.numbers
    sides = (
        Rows(merged.name, numbers.own_before, numbers.before, depth),
        Rows(merged.name, numbers.own_after, numbers.after, depth),
    )
    filters = list(
        _either(*(list(row_filters(*side)) for side in zip(reports, sides, strict=True)))
    )
    passed = np.logical_and.reduce([each.mask for each in filters])
    below_root = np.arange(len(merged)) > 0
    shown = below_root & passed & np.logical_and.reduce([changed, *stages.values()])
    if shown.any():
        return passed, ""
    if not (changed & below_root).any():
        return passed, _nothing_changed(merged, reports[1].options)
    accounted = Filter("account_type_regexes", below_root & changed)
    rest = [Filter(option, mask & below_root) for option, mask in stages.items()]
    return passed, explain_no_rows(reports[1], sides[1], [accounted, *rest, *filters])


def _either(first: list[Filter], second: list[Filter]) -> Iterator[Filter]:
    """Filters that pass what one of two passes."""
    for one, other in zip(first, second, strict=True):
        yield replace(one, mask=one.mask | other.mask)


def _nothing_changed(merged: MergedRows, options: Options) -> str:
    largest = int(row_change(merged, options)[0])
    names = " and ".join(column.title.removeprefix("# ") for column in diff_columns(options.select))
    if not largest:
        return f"no difference: {names} of all rows are the same before and after"
    return f"no row changes by --min_delta; {names} change by {largest} at most"


def _sort_key(merged: MergedRows, options: Options) -> Array | None:
    """The key to sort rows by: the largest change or number first, or by name."""
    order, numbers = options.order_by, merged.numbers
    if order == DELTA:
        measure = diff_columns(options.select)[0].measure
        return descending_key(np.abs(to_comparable(numbers.delta.column(measure))))
    metric = METRICS.get(order)
    if metric is not None:
        measure = metric.measure or metric.counts[1]
        before, after = (
            to_comparable(side.column(measure)) for side in (numbers.before, numbers.after)
        )
        return descending_key(np.maximum(before, after))
    return None if order in ("", "depth") else rank_strings(merged.name)
