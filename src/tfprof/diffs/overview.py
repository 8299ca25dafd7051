"""The rows of a diff to look at first: where the change is, about a screen of them.

From the root on, the row that changed most is taken, of all those whose parent is taken already.
"""

from __future__ import annotations

import heapq
from dataclasses import replace

import numpy as np

from tfprof.diffs.diff import Diff
from tfprof.flops.flop_columns import to_comparable
from tfprof.profiles.schema import Array

ROWS = 30
"""How many rows an overview has beside the root."""


def make_overview(diff: Diff) -> Diff:
    """A diff with its most important rows, and a footer on those that are left out."""
    if len(diff) <= ROWS + 1:
        return diff
    change = _relative_change(diff)
    order = np.lexsort((-change, diff.tree.parent))
    bounds = np.searchsorted(diff.tree.parent[order], np.arange(len(diff) + 1))
    mask = np.zeros(len(diff), bool)
    mask[0] = True
    heap: list[tuple[float, int]] = []
    row = 0
    for _ in range(ROWS):
        children = order[bounds[row] : bounds[row + 1]][:ROWS]
        for child in children.tolist():
            heapq.heappush(heap, (-change[child], child))
        if not heap:
            break
        row = heapq.heappop(heap)[1]
        mask[row] = True
    count = len(diff) - np.count_nonzero(mask)
    footer = f"{count:,} of {len(diff) - 1:,} rows that changed are not shown"
    return replace(diff.filter(mask), footer=footer)


def _relative_change(diff: Diff) -> Array:
    """How much of all change is at and below each row, summed over the selected metrics."""
    whole = diff.whole
    relative = np.zeros(len(whole))
    for column in diff.columns:
        own = np.abs(to_comparable(whole.numbers.own_delta.column(column.measure)))
        change = whole.tree.subtree_sums(own).astype(float)
        if change[0] > 0:
            relative += change / change[0]
    shown: Array = relative[diff.whole_rows]
    return shown
