"""Which rows of a view are shown, and in what order: start, minima, depth, show, hide, sort."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import Metric, known_metrics
from tfprof.definitions.options import Options
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


def row_filter(
    report: Report, names: pa.Array, own: LazyColumns, total: LazyColumns, depth: Array
) -> BoolArray:
    """Which rows pass the minima, the depth, and the show and hide regexes."""
    options, quirks = report.options, report.quirks
    factor = int(report.match_count.max(initial=1))
    shown = depth <= options.max_depth
    for metric in known_metrics(quirks).values():
        measure, of_self = _minimum_of(metric, report.kind)
        if not measure:
            continue
        minimum = options[f"min_{metric.name}"]
        # If no sum can be negative, a minimum of 0 need not be tested.
        if minimum <= 0 and (
            not quirks.negative_durations or report.numbers.adds_up(measure, factor)
        ):
            continue
        shown &= ((own if of_self else total)[:, measure] >= minimum).astype(bool)
    if not regexes.is_everything(options.show_name_regexes):
        shown &= regexes.matches_any(options.show_name_regexes, names)
    if options.hide_name_regexes:
        shown &= ~regexes.matches_any(options.hide_name_regexes, names)
    return shown


def _minimum_of(metric: Metric, kind: str) -> tuple[str, bool]:
    """Which measure `min_…` tests in a view, and whether its self value."""
    in_list = kind in ("op", "code")
    if metric.minimum and metric.counts:
        runs, definitions = metric.counts
        return "" if kind == "code" else definitions if in_list else runs, True
    return metric.measure if metric.minimum else "", metric.minimum_of_self and not in_list


def sort_key(
    report: Report, names: pa.Array, rows: Array, own: LazyColumns, total: LazyColumns
) -> Array | None:
    """The key to sort some rows by, or None to keep their order."""
    order = report.options.order_by
    if order == "" or (order == "depth" and not report.quirks.names_unchecked):
        return None
    metric = known_metrics(report.quirks).get(order)
    if metric is not None and metric.measure:
        return _descending(total[rows, metric.measure])
    if metric is not None and metric.counts and report.kind in ("op", "code"):
        return -own[rows, metric.counts[1]]
    return rank_strings(names.take(pa.array(rows)))


def _descending(values: Array) -> Array:
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
