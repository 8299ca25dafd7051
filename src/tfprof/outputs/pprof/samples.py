"""The samples of a pprof profile: stacks of source lines or scopes, with values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import Metric
from tfprof.outputs.flame import self_values, to_int64
from tfprof.outputs.pprof.tables import Function, Tables
from tfprof.profiles.grouping import group_offsets
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report

_LABEL = "graph node:"


def add_leaf_samples(report: Report, metric: Metric, tables: Tables) -> None:
    """Add the original's samples: nodes of leaf frames below shown rows without shown children."""
    frames = report.view.frames
    if frames is None:
        return
    positions, parent = report.view_positions.tolist(), report.tree.parent.tolist()
    end = report.tree.end.tolist()
    values = _values(report, [metric])
    members, names, bounds = _members(report)
    view_end = report.view.tree.end.tolist()
    stacks: list[list[int]] = [[]]
    for row in range(1, len(positions)):
        position, caller = positions[row], positions[parent[row]]
        stack = stacks[parent[row]]
        if parent[row]:
            function = Function.from_frame(frames[position])
            location = tables.location_id(frames[caller].file, frames[caller].line, function)
            stack = [location, *stack]
        stacks.append(stack)
        if end[row] > row + 1:
            continue
        for leaf in range(position, view_end[position]):
            if view_end[leaf] == leaf + 1:
                for member in range(bounds[leaf], bounds[leaf + 1]):
                    numbers = values[members[member]].tolist()
                    tables.add_sample(names[member], stack, [1, *numbers], _LABEL)


def add_samples(report: Report, metrics: list[Metric], tables: Tables) -> None:
    """Add a sample for every counted node of code view, or for every row of scope view.

    What is counted but not shown belongs to its nearest shown ancestor.
    """
    stacks = _stacks(report, tables)
    if report.kind == "code":
        _add_node_samples(report, metrics, tables, stacks)
        return
    values = np.stack([self_values(report, metric) for metric in metrics], axis=1)
    for row, numbers in enumerate(values.tolist()):
        if any(numbers):
            tables.add_sample(report.names[row], stacks[row], [1, *numbers])


def _stacks(report: Report, tables: Tables) -> list[list[int]]:
    """For each row the locations of it and its ancestors, innermost first."""
    frames, parent = report.view.frames, report.tree.parent.tolist()
    positions = report.view_positions.tolist()
    stacks: list[list[int]] = []
    for row, name in enumerate(report.names):
        if frames and row:
            frame = frames[positions[row]]
            function = Function.from_frame(frame)
            location = tables.location_id(frame.file, max(frame.line, 0), function)
        else:
            location = tables.location_id("", 0, Function("", name, 0, name))
        stacks.append([location, *(stacks[parent[row]] if row and parent[row] else ())])
    return stacks


def _add_node_samples(
    report: Report, metrics: list[Metric], tables: Tables, stacks: list[list[int]]
) -> None:
    row_of = np.full(len(report.view.tree), -1, np.int64)
    row_of[report.view_positions] = np.arange(len(report))
    nearest = row_of.tolist()
    for position, parent in enumerate(report.view.tree.parent.tolist()):
        if nearest[position] < 0:
            nearest[position] = nearest[parent]
    values = _values(report, metrics)
    members, names, bounds = _members(report)
    for position in range(len(bounds) - 1):
        for member in range(bounds[position], bounds[position + 1]):
            numbers = values[members[member]].tolist()
            tables.add_sample(names[member], stacks[nearest[position]], [1, *numbers], _LABEL)


def _members(report: Report) -> tuple[list[int], list[str], list[int]]:
    """Ids and names of the counted nodes of all frames, and the offset of each frame's."""
    counted = report.match_count[report.view.member_node] > 0
    node, position = report.view.member_node[counted], report.view.member_position[counted]
    names = report.profile.nodes.name.take(pa.array(node)).to_pylist()
    offsets = group_offsets(position, len(report.view.tree))
    return node.tolist(), names, offsets.tolist()


def _values(report: Report, metrics: list[Metric]) -> Array:
    """The numbers of every node, a column for each metric."""
    columns = [(metric, metric.measure) for metric in metrics]
    numbers = [to_int64(report.numbers[:, measure], metric) for metric, measure in columns]
    return np.stack(numbers, axis=1)
