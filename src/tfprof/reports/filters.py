"""Which rows of a view are shown, and in what order: start, minima, depth, show, hide, sort."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import METRICS, known_metrics
from tfprof.definitions.options import Options
from tfprof.definitions.quirks import Quirks
from tfprof.profiles.grouping import rank_strings
from tfprof.profiles.lazy_columns import LazyColumns, measure_index
from tfprof.profiles.schema import Array, BoolArray
from tfprof.reports import regexes
from tfprof.views.tree import Tree

__all__ = ["apply_start", "list_start", "row_filter", "sort_key"]

_TOTAL_MINIMA = {
    metric.name: measure_index(metric.measure)
    for metric in METRICS.values()
    if metric.measure is not None
}
_OWN_MINIMA = [measure_index(name) for name in ("parameters", "float_ops", "macs")]
_OCCURRENCES = _RUNS, _DEFINITIONS = measure_index("run_count"), measure_index("definition_count")


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
    kind: str,
    names: pa.Array,
    own: LazyColumns,
    total: LazyColumns,
    depth: Array,
    options: Options,
    quirks: Quirks,
    adds_up: Callable[[int], bool],
) -> BoolArray:
    """Which rows pass the minima, the depth, and the show and hide regexes.

    Where `adds_up(measure)` is true no sum is negative, so a minimum of 0 need not be tested.
    """
    shown = depth <= options.max_depth
    known = known_metrics(quirks)
    minima = {
        measure: getattr(options, f"min_{name}")
        for name, measure in _TOTAL_MINIMA.items()
        if name in known
    }
    in_list = kind in ("op", "code")
    if kind != "code":
        minima[_DEFINITIONS if in_list else _RUNS] = options.min_occurrence
    for measure, least in minima.items():
        if least <= 0 and (not quirks.negative_durations or adds_up(measure)):
            continue
        is_own = measure in _OCCURRENCES or (measure in _OWN_MINIMA and not in_list)
        shown &= ((own if is_own else total)[:, measure] >= least).astype(bool)
    if not regexes.is_everything(options.show_name_regexes):
        shown &= regexes.matches_any(options.show_name_regexes, names)
    if options.hide_name_regexes:
        shown &= ~regexes.matches_any(options.hide_name_regexes, names)
    return shown


def sort_key(
    kind: str,
    options: Options,
    quirks: Quirks,
    names: pa.Array,
    rows: Array,
    total: LazyColumns,
    own: LazyColumns,
) -> Array | None:
    """The key to sort rows by, or None to keep their order."""
    order = options.order_by
    if order == "" or (order == "depth" and not quirks.names_unchecked):
        return None
    metric = known_metrics(quirks).get(order)
    if metric is not None and metric.measure is not None:
        return _descending(total[rows, measure_index(metric.measure)])
    if order == "occurrence" and kind in ("op", "code"):
        return -own[rows, _DEFINITIONS]
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
