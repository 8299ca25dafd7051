"""The timeline of scope and code view: rows drawn as wide as their time, children side by side."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import METRICS
from tfprof.outputs.encoding.json_encoder import escaped, of_rows, texts
from tfprof.outputs.encoding.row_encoder import DictColumn
from tfprof.outputs.files import Texts
from tfprof.outputs.flame import in_64_bits
from tfprof.outputs.timeline.event_args import row_args
from tfprof.profiles.schema import Array
from tfprof.views.tree import Tree

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["events", "laid_out", "plain_events"]

_TID = 1


def laid_out(tree: Tree, total: Array) -> tuple[Array, Array, Array]:
    """Which rows are drawn, where each starts, and how wide it is.

    Children stand end to end from where their parent starts. One that is not wider than 0 is left
    out with all below it. A parent that is narrower than its children is widened.
    """
    hidden = total <= 0
    hidden[0] = False
    tree, rows = tree.only(~(hidden | tree.below(hidden)))
    width = _wide_enough(tree, total[rows])
    by_parent = np.argsort(tree.parent, kind="stable")[1:]
    before = np.cumsum(width[by_parent]) - width[by_parent]
    first = np.flatnonzero(np.diff(tree.parent[by_parent], prepend=-1))
    counts = np.diff(np.append(first, len(by_parent)))
    offset = np.zeros(len(tree), np.int64)
    offset[by_parent] = before - np.repeat(before[first], counts)
    return rows, tree.path_sums(offset), width


def _wide_enough(tree: Tree, total: Array) -> Array:
    inside = np.zeros(len(tree), np.int64)
    np.add.at(inside, tree.parent[1:], total[1:])
    if (inside <= total).all():
        return total
    width, below = total.tolist(), [0] * len(tree)
    for row in range(len(tree) - 1, -1, -1):
        width[row] = max(width[row], below[row])
        if row:
            below[tree.parent[row]] += width[row]
    return np.array(width, np.int64)


def _micros(report: Report) -> Array:
    return in_64_bits(report.total[:, "exec_micros"], METRICS["micros"])


def plain_events(report: Report) -> Texts:
    """The events as the original writes them: a process for each depth."""
    rows, start, width = laid_out(report.tree, _micros(report))
    depth = report.tree.depth[rows] - 1
    depths, first = np.unique(depth, return_index=True)
    heads = [
        f',{{"args":{{"name":"Scope:{level}"}},"name":"process_name","ph":"M","pid":{level}}}'
        for level in depths.tolist()
    ]
    before = np.zeros(len(rows), np.int64)
    before[first] = np.arange(1, len(heads) + 1)
    name = DictColumn(escaped(report.name), rows)
    return texts(
        len(rows),
        *(DictColumn(pa.array(["", *heads]), before), ',{"args":{"name":"', name, '","op":"', name),
        *('"},"cat":"Op","dur":', width, ',"name":"', name, '","ph":"X","pid":', depth),
        *(',"tid":0,"ts":', start, "}"),
    )


def events(report: Report) -> tuple[Texts, int]:
    """The events as viewers nest them, one thread for all depths, and how many there are."""
    rows, start, width = laid_out(report.tree, _micros(report))
    step = f"step {report.options.step}" if report.options.step >= 0 else "average of all steps"
    names = ((0, "process_name", f"{report.kind} view"), (_TID, "thread_name", step))
    heads = [
        f',\n{{"args":{{"name":"{name}"}},"name":"{what}","ph":"M","pid":1,"tid":{tid}}}'
        for tid, what, name in names
    ]
    regions = texts(
        len(rows),
        *(',\n{"args":', *of_rows(row_args(report), rows), ',"cat":"Op","dur":', width),
        *(',"name":"', DictColumn(escaped(report.name), rows), '","ph":"X","pid":1,"tid":'),
        *(str(_TID), ',"ts":', start, "}"),
    )
    return itertools.chain(["".join(heads).encode()], regions), len(rows)
