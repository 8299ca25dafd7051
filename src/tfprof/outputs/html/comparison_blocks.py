"""What differs between two steps: the nodes whose numbers differ most, as texts to show."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import METRICS
from tfprof.flops.flop_columns import format_count, to_comparable
from tfprof.flops.polynomial import Count, assume_sizes
from tfprof.outputs.html.blocks import Blocks, encode_json
from tfprof.profiles.schema import Array
from tfprof.reports.filters import descending_key
from tfprof.reports.measures import measures, round_last
from tfprof.reports.report import Report

_TOP = 100
"""How many nodes are listed."""
_ALL_PAIRS = 4
"""With more steps than this, a written page compares each step only with the last one."""
_MILLION = 1_000_000
_HALF = 2**62


def compared_steps(steps: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The pairs of steps that a written page compares."""
    if len(steps) <= _ALL_PAIRS:
        return permutations(steps, 2)
    return ((steps[-1], step) for step in steps[:-1])


def add_comparison(
    blocks: Blocks, report: Report, metric: str, before: int, after: int
) -> dict[str, Any]:
    """The blocks of a table of the nodes that differ in a metric, the largest difference first."""
    measure, unit = METRICS[metric].measure, METRICS[metric].unit
    old, new = (_node_values(report, measure, step) for step in (before, after))
    change = new - old
    size = to_comparable(change)
    differing = np.flatnonzero(size)
    order = differing[np.argsort(descending_key(abs(size[differing])), kind="stable")]
    shown = order[:_TOP]
    largest = abs(size[shown].tolist()[0]) if len(shown) else 1
    whole = [_total(report, measure, step) for step in (before, after)]
    rows = zip(*(column[shown].tolist() for column in (old, new, size)), strict=True)
    table = {
        "total": _cells(*whole, unit=unit),
        "rows": [
            [int(node), *_cells(*values, unit=unit), int(_MILLION * part // largest)]
            for node, (*values, part) in zip(shown, rows, strict=True)
        ],
        "more": len(order) - len(shown),
    }
    text = pa.array([encode_json(table).decode()], pa.string())
    return {"before": before, "after": after, "metric": metric, "table": blocks.add_texts(text)}


def _node_values(report: Report, measure: str, step: int) -> Array:
    """The numbers of all nodes; Python integers if a difference of two may not fit in 64 bits."""
    values = measures(report.profile, report.quirks, step)[:, measure]
    if values.dtype == object or not len(values):
        return values
    fits = int(values.min()) >= -_HALF and int(values.max()) <= _HALF
    return values.astype(np.int64 if fits else object)


def _total(report: Report, measure: str, step: int) -> Count:
    """The number of all nodes, as the first row of a report has it."""
    numbers = measures(report.profile, report.quirks, step)

    def add_up(name: str) -> Array:
        return numbers.column(name).sum(keepdims=True)

    total: Count = round_last(report.profile, report.quirks, add_up)(measure).tolist()[0]
    return total


def _cells(before: Count, after: Count, *, unit: str) -> list[str]:
    """Both numbers and their difference, with its sign."""
    change = after - before
    sign, amount = ("\N{MINUS SIGN}", -change) if assume_sizes(change) < 0 else ("+", change)
    return [
        format_count(before, unit),
        format_count(after, unit),
        f"{sign}{format_count(amount, unit)}",
    ]
