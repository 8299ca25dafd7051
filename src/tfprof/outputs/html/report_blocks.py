"""The rows and numbers of a report as blocks.

A browser restores each number exactly: a row's own number is that of its node, in the block `nodes`
that reports of a step share, plus what the block `own` has; its total is the sum of the own numbers
that count in its subtree plus what the block `total` has. Both `own` and `total` are mostly zeros,
which need no space. Numbers that are no safe integers in JavaScript, because they are too large or
have symbols, are texts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.metrics import METRICS
from tfprof.flops.flop_columns import format_count, to_comparable
from tfprof.flops.polynomial import plain
from tfprof.outputs.flame import display_tree
from tfprof.outputs.html.blocks import EXACT, Blocks
from tfprof.profiles.schema import Array
from tfprof.reports.measures import measures
from tfprof.reports.report import Report

COUNTS = {"runs": "run_count", "definitions": "definition_count"}
"""Counts that every row has, and their measures."""
_MILLION = 1_000_000
_LIVE = "live_bytes: "
"""Messages that begin so are about that metric alone."""


def measure_of(metric: str) -> str:
    """The measure of a metric or a count."""
    return COUNTS.get(metric) or METRICS[metric].measure


def add_report(blocks: Blocks, report: Report, metrics: tuple[str, ...]) -> dict[str, Any]:
    """The blocks of a report: its tree, names and numbers."""
    tree = display_tree(report)
    added: dict[str, Any] = {
        "rows": len(report),
        "deepest": int(report.view.tree.depth.max()) if report.kind != "op" else len(report),
        "depth": blocks.add_integers(tree.depth - 1),
        "matched": blocks.add_integers(report.matched),
        "messages": [text for text in report.messages if not text.startswith(_LIVE)],
        "live_messages": [text for text in report.messages if text.startswith(_LIVE)],
        **_add_names(blocks, report),
    }
    if report.kind == "code":
        added["position"] = blocks.add_integers(report.view_positions, delta=True)
    names = (*metrics, *COUNTS)
    added["numbers"] = {name: add_numbers(blocks, report, measure_of(name)) for name in names}
    return added


def _add_names(blocks: Blocks, report: Report) -> dict[str, Any]:
    """The node of each row, and the names of rows that are no nodes or are called otherwise."""
    node, names = report.node, report.name
    by_node = report.profile.nodes.name.take(pa.array(node, mask=node < 0))
    same = pc.fill_null(pc.equal(names, by_node), False)
    others = pc.if_else(same, pa.scalar(None, names.type), names)
    return {"node": blocks.add_integers(node), "name": blocks.add_dictionary(others)}


def add_numbers(blocks: Blocks, report: Report, measure: str) -> dict[str, Any]:
    """The own and total numbers of the rows."""
    own, total = report.own[:, measure], report.total[:, measure]
    of_nodes = measures(report.profile, report.quirks, report.options.step)[:, measure]
    if not (is_safe(own) and is_safe(total) and is_safe(of_nodes)):
        whole = to_comparable(_objects(total[:1]))[0]
        return {
            "own_text": _add_counts(blocks, own, whole),
            "total_text": _add_counts(blocks, total, whole),
        }
    own, total = own.astype(np.int64), total.astype(np.int64)
    return {
        "nodes": blocks.add_integers(of_nodes),
        "own": blocks.add_integers(own - np.append(of_nodes.astype(np.int64), 0)[report.node]),
        "total": blocks.add_integers(total - _expected_totals(report, own)),
    }


def is_safe(values: Array) -> bool:
    """Whether JavaScript has the same numbers, and the same sums of any of them."""
    if values.dtype == object and not all(isinstance(value, int) for value in values.tolist()):
        return False
    return bool(np.abs(values.astype(np.float64)).sum() < EXACT / 2)


def _expected_totals(report: Report, own: Array) -> Array:
    return display_tree(report).subtree_sums(own * report.matched)


def _objects(values: Array) -> Array:
    """Numbers as Python has them."""
    objects = np.empty(len(values), object)
    objects[:] = values.tolist()
    return objects


def _add_counts(blocks: Blocks, values: Array, whole: int) -> dict[str, Any]:
    """Any numbers: their texts, exact and short, a rank to sort by, and millionths of a whole."""
    numbers = _objects(values)
    size = to_comparable(numbers).tolist()
    distinct = {value: rank for rank, value in enumerate(sorted(set(size)))}
    shares = [int(_MILLION * value // whole) if whole else 0 for value in size]
    return {
        "exact": blocks.add_dictionary(pa.array([str(plain(n)) for n in numbers], pa.string())),
        "rank": blocks.add_integers(np.array([distinct[value] for value in size])),
        "share": blocks.add_integers(np.array(shares)),
        "shown": {
            unit: blocks.add_dictionary(
                pa.array([format_count(n, unit) for n in numbers], pa.string())
            )
            for unit in ("number", "time", "memory")
        },
    }
