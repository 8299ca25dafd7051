"""The samples of a pprof file: stacks of source lines or scopes, with the numbers of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import Metric
from tfprof.outputs.flame import in_64_bits, own_share
from tfprof.outputs.pprof.tables import Called, Tables
from tfprof.profiles.schema import Array, group_offsets
from tfprof.views.view import Frames

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["add_leaf_samples", "add_samples"]

_LABEL = "graph node:"


def add_leaf_samples(report: Report, metric: Metric, tables: Tables) -> None:
    """The original's samples: nodes of the last frames below shown frames that have none below."""
    frames = report.view.frames
    if frames is None:
        return
    at, parent, end = report.at.tolist(), report.tree.parent.tolist(), report.tree.end.tolist()
    values = _values(report, [metric])
    members, names, bounds = _members(report)
    view_end = report.view.tree.end.tolist()
    stacks: list[list[int]] = [[]]
    for row in range(1, len(at)):
        here, above = at[row], at[parent[row]]
        stack = stacks[parent[row]]
        if parent[row]:
            called = _called(frames, here)
            place = tables.location(frames.file[above], frames.line[above], called)
            stack = [place, *stack]
        stacks.append(stack)
        if end[row] > row + 1:
            continue
        for leaf in range(here, view_end[here]):
            if view_end[leaf] == leaf + 1:
                for member in range(bounds[leaf], bounds[leaf + 1]):
                    own = values[members[member]].tolist()
                    tables.sample(names[member], stack, [1, *own], _LABEL)


def add_samples(report: Report, metrics: list[Metric], tables: Tables) -> None:
    """A sample for every counted node of code view, or for every row of scope view.

    What is counted but not shown belongs to the nearest row above it that is.
    """
    stacks = _stacks(report, tables)
    if report.kind == "code":
        _add_node_samples(report, metrics, tables, stacks)
        return
    shares = np.stack([own_share(report, metric) for metric in metrics], axis=1)
    for row, numbers in enumerate(shares.tolist()):
        if any(numbers):
            tables.sample(report.names[row], stacks[row], [1, *numbers])


def _stacks(report: Report, tables: Tables) -> list[list[int]]:
    """For each row the locations of it and the rows above it, innermost first."""
    frames, at, parent = report.view.frames, report.at.tolist(), report.tree.parent.tolist()
    stacks: list[list[int]] = []
    for row, name in enumerate(report.names):
        if frames and row:
            called = _called(frames, at[row])
            place = tables.location(called.file, max(frames.line[at[row]], 0), called)
        else:
            place = tables.location("", 0, Called("", name, 0, name))
        stacks.append([place, *(stacks[parent[row]] if row and parent[row] else ())])
    return stacks


def _called(frames: Frames, position: int) -> Called:
    return Called.frame(
        frames.file[position], frames.function[position], frames.function_line[position]
    )


def _add_node_samples(
    report: Report, metrics: list[Metric], tables: Tables, stacks: list[list[int]]
) -> None:
    row_of = np.full(len(report.view.tree), -1, np.int64)
    row_of[report.at] = np.arange(len(report))
    nearest = row_of.tolist()
    for position, parent in enumerate(report.view.tree.parent.tolist()):
        if nearest[position] < 0:
            nearest[position] = nearest[parent]
    values = _values(report, metrics)
    members, names, bounds = _members(report)
    for position in range(len(bounds) - 1):
        for member in range(bounds[position], bounds[position + 1]):
            numbers = values[members[member]].tolist()
            tables.sample(names[member], stacks[nearest[position]], [1, *numbers], _LABEL)


def _members(report: Report) -> tuple[list[int], list[str], list[int]]:
    """Ids and names of the counted nodes of all frames, and where each frame's start."""
    counted = report.times[report.view.member_node] > 0
    node, at = report.view.member_node[counted], report.view.member_position[counted]
    names = report.profile.nodes.name.take(pa.array(node)).to_pylist()
    first = group_offsets(at, len(report.view.tree))
    return node.tolist(), names, first.tolist()


def _values(report: Report, metrics: list[Metric]) -> Array:
    numbers = [in_64_bits(report.numbers[:, metric.measure], metric) for metric in metrics]
    return np.stack(numbers, axis=1)
