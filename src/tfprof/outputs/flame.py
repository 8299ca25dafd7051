"""The numbers of flame graphs: for each row what none of its children has."""

from __future__ import annotations

import numpy as np

from tfprof.definitions.integers import INT64_MAX
from tfprof.definitions.metrics import Metric, known_metrics
from tfprof.errors import OptionError, OutputError
from tfprof.flops.flop_columns import has_symbols
from tfprof.flops.polynomial import symbols
from tfprof.profiles.executions import executions_of
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report
from tfprof.views.tree import Tree


def selected_metrics(report: Report, output: str) -> list[Metric]:
    """The selected metrics, all of which must be numbers."""
    known = known_metrics(report.quirks)
    metrics = [known[name] for name in dict.fromkeys(report.options.select) if name in known]
    texts = [metric.name for metric in metrics if not metric.measure]
    if texts or not metrics:
        numbers = ", ".join(metric.name for metric in known.values() if metric.measure)
        wrong = f"not '{texts[0]}'" if texts else "and there is no select"
        raise OptionError(f"option 'output': {output} shows numbers ({numbers}), {wrong}")
    return metrics


def inclusive_values(report: Report, metric: Metric) -> Array:
    """The total of each row; in op view, where a total includes the rows that follow, its own."""
    measure = metric.measure
    numbers = report.total[:, measure].copy()
    if report.kind == "op":
        numbers[0] = report.own[1:, measure].sum()
        numbers[1:] = report.own[1:, measure]
    return to_int64(numbers, metric)


def to_int64(numbers: Array, metric: Metric) -> Array:
    """Numbers as 64-bit integers, which the formats of other tools have."""
    if has_symbols(numbers):
        names = sorted(frozenset[str]().union(*map(symbols, numbers)))
        sizes = ",".join(f"{name}=…" for name in names)
        raise OutputError(f"{metric.name}: depends on {' and '.join(names)}; give --bind {sizes}")
    if numbers.dtype == object and max(map(abs, numbers.tolist()), default=0) > INT64_MAX:
        raise OutputError(f"{metric.name}: a number does not fit in 64 bits; use text, json or csv")
    return numbers.astype(np.int64)


def display_tree(report: Report) -> Tree:
    """The tree of the rows; in op view all are children of the root."""
    return Tree.flat(len(report)) if report.kind == "op" else report.tree


def self_values(report: Report, metric: Metric) -> Array:
    """The total of each row without those of its children.

    This is the row's own number and those of nodes that count but are not shown. All of them add up
    to the root's total, except for what times lose when nanoseconds are rounded.
    """
    inclusive = inclusive_values(report, metric)
    values = inclusive.copy()
    np.subtract.at(values, display_tree(report).parent[1:], inclusive[1:])
    if executions_of(report.profile, report.quirks).has_nanos:
        # Each total is rounded by itself, so children may have a bit more than their parent.
        return np.maximum(values, 0)
    return values
