"""The devices, op types, input shapes and frames of nodes and rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.limits import check_output_size
from tfprof.definitions.units import format_time
from tfprof.profiles.executions import executions_of
from tfprof.profiles.grouping import group_offsets, rank_strings
from tfprof.profiles.input_shapes import input_shapes_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.reports.account import type_lists
from tfprof.reports.report import Report
from tfprof.views.view import Frame


def row_frames(report: Report, what: str) -> list[Frame | None]:
    """The frame of each row of code view; None of the root, and in other views.

    Raise an error if an output would be too large with the files and functions of all rows.
    """
    frames = report.view.frames
    if frames is None:
        return [None] * len(report)
    rows = [frames[i] if i else None for i in report.view_positions.tolist()]
    size = sum(len(frame.file) + len(frame.function) for frame in rows if frame)
    check_output_size(size, f"{what}: files and functions", rows=len(rows), names=0)
    return rows


def check_labels(names: Sequence[str], indices: Array, what: str) -> None:
    """Raise an error if an output would be too large with these of some names; -1 is none."""
    sizes = np.array([*(len(name.encode()) for name in names), 0])
    check_output_size(int(sizes[indices].sum()), what, rows=len(indices), names=0)


def device_ranks(profile: Profile) -> Array:
    """The rank of each device by name."""
    return rank_strings(pa.array(profile.devices, pa.string()))


def node_devices(report: Report) -> pa.Array:
    """For each node the devices that it was placed on, joined by `|`."""
    executions, profile = executions_of(report.profile, report.quirks), report.profile
    start = group_offsets(executions.placement_node, len(profile.nodes))
    rank = device_ranks(profile)[executions.placement_device]
    order = np.lexsort((rank, executions.placement_node))
    return _join_lists(start, executions.placement_device[order], list(profile.devices))


def node_types(report: Report) -> pa.Array:
    """For each node its op types, joined by `|`."""
    return _join_lists(*type_lists(report.profile, report.quirks))


def _join_lists(start: Array, indices: Array, names: list[str]) -> pa.Array:
    check_labels(names, indices, "devices and types of nodes")
    lists = pa.ListArray.from_arrays(
        pa.array(start, pa.int32()), pa.array(names, pa.string()).take(pa.array(indices))
    )
    return pc.binary_join(lists, "|")


def row_devices(report: Report) -> list[set[str]]:
    """For each row of op or code view the devices of its nodes; a node without any has ``."""
    executions, names = executions_of(report.profile, report.quirks), [*report.profile.devices, ""]
    start = group_offsets(executions.placement_node, len(report.profile.nodes))
    return _row_sets(report, start, executions.placement_device, names, [len(names) - 1])


def row_types(report: Report) -> list[set[str]]:
    """For each row of op or code view the op types of its nodes."""
    return _row_sets(report, *type_lists(report.profile, report.quirks), [])


def _row_sets(
    report: Report, start: Array, indices: Array, names: list[str], default: list[int]
) -> list[set[str]]:
    """The names of the nodes of each row; a node without any has the default."""
    members, bounds = report.members
    sets, size = [], 0
    for first, last in bounds.tolist():
        row: set[int] = set()
        for node in members[first:last].tolist():
            row.update(indices[start[node] : start[node + 1]].tolist() or default)
        sets.append({names[i] for i in row})
        size += sum(map(len, sets[-1]))
        check_output_size(size, "devices and types of rows", rows=len(bounds), names=0)
    return sets


def node_inputs(report: Report, separator: str) -> pa.Array:
    """The inputs of every node in one text, such as `0:3x4|1:unknown`; empty without inputs."""
    inputs = input_shapes_of(report.profile, report.quirks)
    lists = pa.ListArray.from_arrays(pa.array(inputs.start, pa.int32()), inputs.texts())
    return pc.binary_join(lists, separator)


def input_shapes(report: Report) -> pa.Array:
    """`0:3x4|1:unknown` for each row; empty if it has no inputs."""
    texts = pa.concat_arrays([node_inputs(report, "|"), pa.array([""])])
    return texts.take(pa.array(np.where(report.node < 0, len(texts) - 1, report.node)))


def op_input_lines(report: Report, row: int) -> list[str]:
    """The distinct input shapes of an op type, with how often and how long they ran."""
    profile, quirks = report.profile, report.quirks
    texts = profile.memoize(("op inputs", quirks), lambda: node_inputs(report, ",\t"))
    members, bounds = report.members
    first, last = bounds[row].tolist()
    nodes = members[first:last]
    groups: dict[str, list[int]] = {}
    run_counts = report.numbers[nodes, "run_count"].tolist()
    micros = report.numbers[nodes, "exec_micros"].tolist()
    names = texts.take(pa.array(nodes)).to_pylist()
    for text, runs, time in zip(names, run_counts, micros, strict=True):
        group = groups.setdefault(text, [0, 0, 0])
        group[0] += int(runs)
        group[1] += 1
        group[2] += int(time)
    ordered = sorted(groups.items(), key=lambda item: (-item[1][0], item[0]))
    return [
        f"input_type: {text}\t(run*{runs}|defined*{count})\texec_time: {format_time(time)}"
        for text, (runs, count, time) in ordered
    ]
