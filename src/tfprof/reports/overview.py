"""The rows of a report to look at first: the hot path and the largest rows, about a screen.

The report has to be sorted by its first selected metric. Op view keeps its largest types, graph
view the nodes with the largest self values. Scope view keeps the path of the largest rows, their
largest siblings, and then the largest of the rest. Code view does so with lines of the user's code.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tfprof.definitions.metrics import METRICS
from tfprof.flops.flop_columns import to_comparable
from tfprof.flops.polynomial import Polynomial
from tfprof.profiles.schema import Array, BoolArray
from tfprof.profiles.user_code import rank_file
from tfprof.reports.filters import descending_key
from tfprof.reports.report import Report

ROWS = 30
"""How many rows an overview has beside the root."""
_SMALLEST_SHARE = 0.001
_KERAS = re.compile(r"(^|[/\\])(tf_)?keras[/\\]src[/\\]")
_TRAINER = re.compile(r"\b(trainer|training)\.py$")
"""Where a Keras model is trained, below the folder of Keras."""
_BY_SELF = ("op", "graph")
_NOUNS = {"op": "op types", "graph": "nodes", "scope": "rows", "code": "lines"}


@dataclass(frozen=True, slots=True)
class Overview:
    """Some rows of a report, and a sentence on those that are left out; empty if none are."""

    report: Report
    omitted: str


def make_overview(report: Report) -> Overview:
    """The overview of a report that is sorted by its first selected metric."""
    if len(report) <= ROWS + 1:
        return Overview(report, "")
    candidates = _user_lines(report) if report.kind == "code" else report
    values = _values(candidates)
    if values[0] <= 0:
        mask = np.arange(len(values)) <= ROWS
    elif report.kind in _BY_SELF:
        mask = _largest(values)
    else:
        mask = _hot_rows(candidates, values)
    shown = candidates.filter(mask)
    return Overview(shown, _describe(report, shown))


def has_numbers(report: Report) -> bool:
    """Whether a report has any numbers of its first selected metric."""
    return bool(report.total[0, _measure(report)] != 0)


def _measure(report: Report) -> str:
    """The measure that rows are compared by."""
    metric = METRICS[report.options.select[0]]
    return metric.measure or metric.counts[1]


def _values(report: Report) -> Array:
    """Self values in op and graph view, inclusive ones in scope and code view; of all first."""
    columns = report.own if report.kind in _BY_SELF else report.total
    rows = columns[1:, _measure(report)]
    return to_comparable(np.concatenate([report.total[:1, _measure(report)], rows]))


def _of_files(report: Report, function: Callable[[str], int]) -> Array:
    """A number for each row of code view, from the file of its frame."""
    frames = report.view.frames
    assert frames is not None
    number = {file: function(file) for file in {frame.file for frame in frames.distinct}}
    numbers = np.array([number[frame.file] for frame in frames.distinct], np.int64)
    return numbers[frames.index[report.view_positions]]


def _is_trainer(file: str) -> int:
    keras = _KERAS.search(file)
    return keras is not None and _TRAINER.search(file, keras.end()) is not None


def _is_in_keras(report: Report) -> bool:
    """Whether most is below a Keras model's `fit` or the like, and below no line of the user."""
    values, end = _values(report), report.tree.end
    is_user = _of_files(report, rank_file) == 2
    in_keras, after = 0.0, 0
    for row in np.flatnonzero(_of_files(report, _is_trainer)).tolist():
        if row < after:
            continue
        in_keras += float(values[row])
        below, after = row + 1, int(end[row])
        while below < after:
            if is_user[below]:
                in_keras -= float(values[below])
            below = int(end[below]) if is_user[below] else below + 1
    return in_keras > float(values[0]) / 2


def _user_lines(report: Report) -> Report:
    """Code view without libraries, unless there is nothing else."""
    rank = _of_files(report, rank_file)
    rank[0] = rank[1:].max()
    lines = report.filter(rank == rank[0])
    # Lines that were under different lines of a library may be siblings now.
    return lines.sort_by(descending_key(_values(lines)))


def _largest(values: Array) -> BoolArray:
    """The root, and the rows with the largest values."""
    mask = np.zeros(len(values), bool)
    mask[0] = True
    _add_largest(mask, values, np.ones(len(values), bool))
    return mask


def _hot_rows(report: Report, values: Array) -> BoolArray:
    """The root and the path of largest children, their largest siblings, then the largest rows."""
    tree = report.tree
    mask = np.zeros(len(values), bool)
    # Children are sorted, so the largest one follows its parent.
    last = 0
    while last < ROWS and tree.end[last] > last + 1 and values[last + 1] >= _least(values):
        last += 1
    mask[: last + 1] = True
    _add_largest(mask, values, (tree.parent >= 0) & mask[tree.parent])
    _add_largest(mask, values, np.ones(len(values), bool))
    return mask


def _least(values: Array) -> float:
    return max(1.0, _SMALLEST_SHARE * float(values[0]))


def _add_largest(mask: BoolArray, values: Array, candidates: BoolArray) -> None:
    """Add the largest candidates to a mask, as many as there is room for, parents first."""
    rows = np.flatnonzero(candidates & ~mask & (values >= _least(values)).astype(bool))
    order = np.argsort(descending_key(values[rows]), kind="stable")
    mask[rows[order[: ROWS + 1 - np.count_nonzero(mask)]]] = True


def _describe(report: Report, shown: Report) -> str:
    count, rows = len(report) - len(shown), len(report) - 1
    text = f"{count:,} of {rows:,} {_NOUNS[report.kind]} are not shown"
    if report.kind == "code":
        hint = " (Keras calls the layers itself: see scope)" if _is_in_keras(report) else ""
        return f"{text}, among them library code{hint}"
    total = report.total[0, _measure(report)]
    if report.kind not in _BY_SELF or isinstance(total, Polynomial) or total <= 0:
        return text
    rest = 1 - float(shown.own[1:, _measure(report)].sum()) / float(total)
    title = METRICS[report.options.select[0]].title.removeprefix("# ")
    return f"{text} ({rest:.1%} of {title})"
