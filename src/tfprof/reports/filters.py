"""Which rows of a view are shown, and in what order: start, minima, depth, show, hide, sort."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import Metric, known_metrics
from tfprof.definitions.options import Options
from tfprof.definitions.quirks import Quirks
from tfprof.profiles.grouping import rank_strings
from tfprof.profiles.lazy_columns import LazyColumns
from tfprof.profiles.schema import Array, BoolArray
from tfprof.reports import regexes
from tfprof.views.tree import Tree

__all__ = ["apply_start", "list_start", "row_filter", "sort_key"]


def apply_start(
    tree: Tree, names: pa.Array, options: Options, kept: BoolArray
) -> tuple[BoolArray, Array]:
    """Which nodes are reached from the starting ones, and how deep below the root they then are."""
    visible = kept.copy()
    visible[0] = True
    if regexes.is_everything(options.start_name_regexes):
        return visible, tree.depth
    begins = visible & regexes.matches_any(options.start_name_regexes, names)
    begins[0] = False
    begins &= ~tree.descendants_of(begins)
    reached = tree.descendants_of(begins) | begins
    raised = tree.path_sums(np.where(begins, tree.depth - 2, 0))
    visible &= reached
    visible[0] = True
    return visible, tree.depth - raised


def row_filter(
    kind: str,
    names: pa.Array,
    own: LazyColumns,
    total: LazyColumns,
    depth: Array,
    options: Options,
    quirks: Quirks,
    adds_up: Callable[[str], bool],
) -> BoolArray:
    """Which rows pass the minima, the depth, and the show and hide regexes.

    `adds_up` tells of which measures no sum is below 0, so that they need not be looked at.
    """
    shown = depth <= options.max_depth
    for metric in known_metrics(quirks).values():
        measure, of_self = _minimum_of(metric, kind)
        if not measure:
            continue
        least = options[f"min_{metric.name}"]
        if least <= 0 and (not quirks.negative_durations or adds_up(measure)):
            continue
        shown &= ((own if of_self else total)[:, measure] >= least).astype(bool)
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
    kind: str,
    options: Options,
    quirks: Quirks,
    names: pa.Array,
    rows: Array,
    total: LazyColumns,
    own: LazyColumns,
) -> Array | None:
    """The key to sort rows by, or nothing if they stay as they are."""
    order = options.order_by
    if order == "" or (order == "depth" and not quirks.names_unchecked):
        return None
    metric = known_metrics(quirks).get(order)
    if metric is not None and metric.measure:
        return _descending(total[rows, metric.measure])
    if metric is not None and metric.counts and kind in ("op", "code"):
        return -own[rows, metric.counts[1]]
    return rank_strings(names.take(pa.array(rows)))


def _descending(values: Array) -> Array:
    """A key that sorts the largest first, also for numbers of any size."""
    if values.dtype == object:
        order = {value: rank for rank, value in enumerate(sorted(set(values.tolist())))}
        return -np.array([order[value] for value in values.tolist()], np.int64)
    # The complement has no overflow at the least number.
    flipped: Array = ~values
    return flipped


def list_start(names: pa.Array, options: Options) -> int:
    """The first row to show: where a start regex first matches; nowhere is after the last."""
    if regexes.is_everything(options.start_name_regexes) or not options.start_name_regexes:
        return 0
    found = np.flatnonzero(regexes.matches_any(options.start_name_regexes, names))
    return int(found[0]) if len(found) else len(names)
