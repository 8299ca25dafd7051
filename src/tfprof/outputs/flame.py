"""What flame graphs show of a report: for each row the numbers that no row below it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tfprof.definitions.metrics import Metric, known_metrics
from tfprof.errors import OptionError, OutputError
from tfprof.profiles.schema import Array

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["in_64_bits", "own_share", "parents", "selected", "totals"]

_LARGEST = 2**63


def selected(report: Report, output: str) -> list[Metric]:
    """The metrics of a selection, all of which must be numbers."""
    known = known_metrics(report.quirks)
    metrics = [known[name] for name in dict.fromkeys(report.options.select) if name in known]
    texts = [metric.name for metric in metrics if not metric.measure]
    if texts or not metrics:
        numbers = ", ".join(metric.name for metric in known.values() if metric.measure)
        wrong = f"not '{texts[0]}'" if texts else "and there is no select"
        raise OptionError(f"option 'output': {output} shows numbers ({numbers}), {wrong}")
    return metrics


def totals(report: Report, metric: Metric) -> Array:
    """The total of each row; in op view, where totals are of all rows that follow, its own."""
    measure = metric.measure
    numbers = report.total[:, measure].copy()
    if report.kind == "op":
        numbers[0] = report.own[1:, measure].sum()
        numbers[1:] = report.own[1:, measure]
    return in_64_bits(numbers, metric)


def in_64_bits(numbers: Array, metric: Metric) -> Array:
    """Numbers as the formats of other tools hold them."""
    if numbers.dtype == object and max(map(abs, numbers.tolist()), default=0) >= _LARGEST:
        raise OutputError(f"{metric.name}: a number does not fit in 64 bits; use text, json or csv")
    return numbers.astype(np.int64)


def parents(report: Report) -> Array:
    """The row above each row; op view is a list under the root."""
    if report.kind == "op":
        return np.concatenate([[-1], np.zeros(len(report) - 1, np.int64)]).astype(np.int64)
    return report.tree.parent


def own_share(report: Report, metric: Metric) -> Array:
    """The total of each row without those of the rows right below it.

    It is the row's own number and those of nodes that are counted but not shown. All shares add up
    to the root's total.
    """
    total = totals(report, metric)
    share = total.copy()
    np.subtract.at(share, parents(report)[1:], total[1:])
    return share
