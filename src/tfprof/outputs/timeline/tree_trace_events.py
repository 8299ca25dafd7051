"""The events of a scope or code timeline: rows as wide as their time, children side by side."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import METRICS
from tfprof.outputs.document import Chunks
from tfprof.outputs.encoding.json_encoder import encode_columns, escape_json, take_rows
from tfprof.outputs.encoding.row_encoder import DictColumn
from tfprof.outputs.flame import to_int64
from tfprof.outputs.timeline.event_args import row_args
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report
from tfprof.views.tree import Tree

_TID = 1


def lay_out_rows(tree: Tree, total: Array) -> tuple[Array, Array, Array]:
    """Which rows are drawn, and the start and width of each.

    Children follow each other from the start of their parent. A row without width is left out with
    its descendants. A parent that is narrower than its children is widened.
    """
    hidden = total <= 0
    hidden[0] = False
    tree, rows = tree.filter(~(hidden | tree.descendants_of(hidden)))
    width = _widen_parents(tree, total[rows])
    by_parent = np.argsort(tree.parent, kind="stable")[1:]
    start = np.cumsum(width[by_parent]) - width[by_parent]
    first = np.flatnonzero(np.diff(tree.parent[by_parent], prepend=-1))
    counts = np.diff(np.append(first, len(by_parent)))
    offset = np.zeros(len(tree), np.int64)
    offset[by_parent] = start - np.repeat(start[first], counts)
    return rows, tree.path_sums(offset), width


def _widen_parents(tree: Tree, total: Array) -> Array:
    children = np.zeros(len(tree), np.int64)
    np.add.at(children, tree.parent[1:], total[1:])
    if (children <= total).all():
        return total
    width, needed = total.tolist(), [0] * len(tree)
    for row in range(len(tree) - 1, -1, -1):
        width[row] = max(width[row], needed[row])
        if row:
            needed[tree.parent[row]] += width[row]
    return np.array(width, np.int64)


def _micros(report: Report) -> Array:
    return to_int64(report.total[:, "exec_micros"], METRICS["micros"])


def compat_events(report: Report) -> Chunks:
    """The events as the original writes them: a process for each depth."""
    rows, start, width = lay_out_rows(report.tree, _micros(report))
    depth = report.tree.depth[rows] - 1
    depths, first = np.unique(depth, return_index=True)
    metadata = [
        f',{{"args":{{"name":"Scope:{level}"}},"name":"process_name","ph":"M","pid":{level}}}'
        for level in depths.tolist()
    ]
    indices = np.zeros(len(rows), np.int64)
    indices[first] = np.arange(1, len(metadata) + 1)
    name = DictColumn(escape_json(report.name), rows)
    process_names = DictColumn(pa.array(["", *metadata]), indices)
    return encode_columns(
        len(rows),
        *(process_names, ',{"args":{"name":"', name, '","op":"', name),
        *('"},"cat":"Op","dur":', width, ',"name":"', name, '","ph":"X","pid":', depth),
        *(',"tid":0,"ts":', start, "}"),
    )


def events(report: Report) -> tuple[Chunks, int]:
    """The events as viewers nest them, one thread for all depths, and how many there are."""
    rows, start, width = lay_out_rows(report.tree, _micros(report))
    step = f"step {report.options.step}" if report.options.step >= 0 else "average of all steps"
    names = ((0, "process_name", f"{report.kind} view"), (_TID, "thread_name", step))
    metadata = [
        f',\n{{"args":{{"name":"{name}"}},"name":"{what}","ph":"M","pid":1,"tid":{tid}}}'
        for tid, what, name in names
    ]
    regions = encode_columns(
        len(rows),
        *(',\n{"args":', *take_rows(row_args(report), rows), ',"cat":"Op","dur":', width),
        *(',"name":"', DictColumn(escape_json(report.name), rows), '","ph":"X","pid":1,"tid":'),
        *(str(_TID), ',"ts":', start, "}"),
    )
    return itertools.chain(["".join(metadata).encode()], regions), len(rows)
