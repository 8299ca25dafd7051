"""The layout of a graph timeline: the intervals of every shown node, on its device, in lanes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof.outputs.node_labels import device_ranks
from tfprof.outputs.timeline.lanes import assign_lanes
from tfprof.profiles.executions import Executions, executions_of
from tfprof.profiles.grouping import argsort_small, argsort_within
from tfprof.profiles.schema import NO_DEVICE, Array, BoolArray
from tfprof.reports.report import Report

_NONE = np.iinfo(np.int64).max
_MICROS = "exec_micros"


@dataclass(frozen=True, slots=True)
class TraceLayout:
    """The intervals of a step, sorted by name of the device and start.

    `devices` are the drawn ones in the order of their first rows; `device` is an index into them.
    `lane` counts from 0 on each device.
    """

    devices: list[int]
    row: Array
    node: Array
    device: Array
    start: Array
    duration: Array
    accelerator: BoolArray
    lane: Array

    def __len__(self) -> int:
        return len(self.row)

    @property
    def lane_order(self) -> Array:
        """The order by device, lane and start, in which intervals are written."""
        key = self.device * (int(self.lane.max(initial=0)) + 1) + self.lane
        return argsort_small(key)  # a stable sort; those of a device are sorted by start


def rows_of_nodes(report: Report, runs: Executions) -> Array:
    """The row of each node that is shown and drawable, -1 for all others."""
    rows = np.full(len(report.profile.nodes), -1, np.int64)
    rows[report.node[1:]] = np.arange(1, len(report))
    rows[~drawable_nodes(report, runs)] = -1
    return rows


def drawable_nodes(report: Report, runs: Executions) -> BoolArray:
    """Which nodes ran in the step of a report, at a known time and on a known device."""
    profile, step = report.profile, report.options.step

    def make() -> BoolArray:
        has_start = (runs.execution_step == profile.steps.index(step)) & (runs.execution_start != 0)
        ran = np.zeros(len(profile.nodes), bool)
        ran[runs.execution_node[has_start]] = True
        return ran & (runs.device != NO_DEVICE)

    return profile.memoize((drawable_nodes, report.quirks, step), make)


def device_title(device: str) -> str:
    """What the timeline calls a device."""
    kind = "execution" if "stream" in device else "scheduling"
    return f"Op {kind} threads: {device}"


def lay_out_trace(report: Report) -> TraceLayout:
    """The intervals of the shown rows of a report of one step."""
    runs = executions_of(report.profile, report.quirks)
    step = report.profile.steps.index(report.options.step)
    row_of = rows_of_nodes(report, runs)
    if not report.quirks.same_start_dropped:
        row_of[(report.numbers[:, _MICROS] < report.options.min_micros).astype(bool)] = -1
    rows = np.flatnonzero((runs.interval_step == step) & (row_of[runs.interval_node] >= 0))
    row = row_of[runs.interval_node[rows]]
    rank = device_ranks(report.profile)
    devices = _order_of_devices(runs.interval_device[rows], row, rank)
    by_start = _order_by_device_and_start(
        rank[runs.interval_device[rows]], runs.interval_start[rows], row
    )
    rows = rows[by_start]
    device, start = runs.interval_device[rows], runs.interval_start[rows]
    if report.quirks.same_start_dropped and len(rows):
        new = (np.diff(device) != 0) | (np.diff(start) != 0)
        rows = rows[np.concatenate([[True], new])]
        device, start = runs.interval_device[rows], runs.interval_start[rows]
    index = np.zeros(len(report.profile.devices) + 1, np.int64)
    index[devices] = np.arange(len(devices))
    duration = runs.interval_duration[rows]
    return TraceLayout(
        devices,
        row_of[runs.interval_node[rows]],
        runs.interval_node[rows].astype(np.int64),
        index[device],
        start,
        duration,
        runs.interval_accelerator[rows],
        assign_lanes(index[device], start, start + duration),
    )


def _order_of_devices(device: Array, row: Array, rank: Array) -> list[int]:
    """The devices that have intervals, by their first row and rank."""
    first = np.full(len(rank), _NONE)
    np.minimum.at(first, device, row)
    order = np.lexsort((rank, first))
    return order[: np.count_nonzero(first != _NONE)].tolist()


def _order_by_device_and_start(rank: Array, start: Array, row: Array) -> Array:
    """The order by device, start and row."""
    order = argsort_within(rank, start)
    same = (np.diff(rank[order]) == 0) & (np.diff(start[order]) == 0)
    if not same.any():
        return order
    new = np.concatenate([[True], ~same])
    return order[argsort_within(np.cumsum(new), row[order])]
