"""Which rows of a view are shown, and in what order: start, minima, depth, show, hide, sort."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import LIST_VIEWS, Metric, known_metrics
from tfprof.definitions.options import Options
from tfprof.flops.flop_columns import to_comparable
from tfprof.profiles.grouping import rank_strings
from tfprof.profiles.lazy_columns import LazyColumns
from tfprof.profiles.schema import Array, BoolArray
from tfprof.reports import regexes
from tfprof.views.tree import Tree

if TYPE_CHECKING:
    from tfprof.reports.report import Report


def apply_start(
    tree: Tree, names: pa.Array, options: Options, kept: BoolArray
) -> tuple[BoolArray, Array]:
    """Which nodes are at or below a start node, and their new depths."""
    visible = kept.copy()
    visible[0] = True
    if regexes.is_everything(options.start_name_regexes):
        return visible, tree.depth
    starts = visible & regexes.matches_any(options.start_name_regexes, names)
    starts[0] = False
    starts &= ~tree.descendants_of(starts)
    reached = tree.descendants_of(starts) | starts
    lifted = tree.path_sums(np.where(starts, tree.depth - 2, 0))
    visible &= reached
    visible[0] = True
    return visible, tree.depth - lifted


@dataclass(frozen=True, slots=True)
class Minimum:
    """What a `-min_…` option asks of the rows of a view."""

    option: str
    measure: str
    of_self: bool
    least: int


@dataclass(frozen=True, slots=True)
class Rows:
    """What filters look at: the names of rows, their numbers and depths."""

    names: pa.Array
    own: LazyColumns
    total: LazyColumns
    depth: Array

    def values(self, minimum: Minimum) -> Array:
        """The numbers that a minimum tests."""
        return to_comparable((self.own if minimum.of_self else self.total)[:, minimum.measure])


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows that an option lets pass."""

    option: str
    mask: BoolArray
    minimum: Minimum | None = None


def rows_passing(filters: Iterable[Filter], visible: BoolArray) -> BoolArray:
    """Which of the visible rows pass all filters."""
    shown = visible.copy()
    for each in filters:
        shown &= each.mask
    return shown


def row_filters(report: Report, rows: Rows) -> Iterator[Filter]:
    """The filters that look at single rows, without those that let all of them pass."""
    options = report.options
    if not regexes.is_everything(options.show_name_regexes):
        matches = regexes.matches_any(options.show_name_regexes, rows.names)
        yield Filter("show_name_regexes", matches)
    if options.hide_name_regexes:
        matches = regexes.matches_any(options.hide_name_regexes, rows.names)
        yield Filter("hide_name_regexes", ~matches)
    for minimum in _minima(report):
        passes = (rows.values(minimum) >= minimum.least).astype(bool)
        yield Filter(minimum.option, passes, minimum)
    yield Filter("max_depth", rows.depth <= options.max_depth)


def _minima(report: Report) -> Iterator[Minimum]:
    """The minima that some row may not pass."""
    options, quirks = report.options, report.quirks
    factor = int(report.match_count.max(initial=1))
    for name, metric in known_metrics(quirks).items():
        if not metric.minimum:
            continue
        measure = _tested_measure(metric, report.kind)
        for option, of_self in ((f"min_self_{name}", True), (f"min_total_{name}", False)):
            least = options.extra.get(option, 0)
            if least > 0:
                yield Minimum(option, measure, of_self, least)
        if metric.counts and report.kind == "code" and quirks.occurrence_ignored_in_code:
            continue
        least = options[f"min_{name}"]
        # If no sum can be negative, a minimum of 0 need not be tested.
        if least > 0 or (quirks.negative_durations and not report.numbers.adds_up(measure, factor)):
            yield Minimum(f"min_{name}", measure, _tests_self(metric, report), least)


def _tested_measure(metric: Metric, kind: str) -> str:
    """The measure that a minimum tests in a view."""
    if not metric.counts:
        return metric.measure
    runs, definitions = metric.counts
    return definitions if kind in LIST_VIEWS else runs


def _tests_self(metric: Metric, report: Report) -> bool:
    """Whether `-min_…` tests the self value in a view."""
    if metric.counts:
        return report.kind != "code"
    if report.kind in LIST_VIEWS:
        return False
    return metric.original_minimum_of_self or not report.quirks.minima_of_inclusive_values


def sort_key(
    report: Report, names: pa.Array, rows: Array, own: LazyColumns, total: LazyColumns
) -> Array | None:
    """The key to sort some rows by, or None to keep their order."""
    order = report.options.order_by
    if order == "" or (order == "depth" and not report.quirks.depth_order_is_by_name):
        return None
    metric = known_metrics(report.quirks).get(order)
    if metric is not None and metric.measure:
        return descending_key(to_comparable(total[rows, metric.measure]))
    if metric is not None and metric.counts and report.kind in LIST_VIEWS:
        return -own[rows, metric.counts[1]]
    return rank_strings(names.take(pa.array(rows)))


def descending_key(values: Array) -> Array:
    """A key that sorts the largest first, also for numbers of any size."""
    if values.dtype == object:
        rank = {value: rank for rank, value in enumerate(sorted(set(values.tolist())))}
        return -np.array([rank[value] for value in values.tolist()], np.int64)
    # Unlike the negative, the complement cannot overflow.
    complement: Array = ~values
    return complement


def list_start(names: pa.Array, options: Options) -> int:
    """The first row that a start regex matches; the number of rows if there is none."""
    if regexes.is_everything(options.start_name_regexes) or not options.start_name_regexes:
        return 0
    rows = np.flatnonzero(regexes.matches_any(options.start_name_regexes, names))
    return int(rows[0]) if len(rows) else len(names)
