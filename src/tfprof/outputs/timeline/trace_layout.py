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


@dataclass(frozen=True, slots=True)
class TraceLayout:
    """The intervals of a step, sorted by name of the device and start.

    `devices` are the drawn ones in the order of their first rows; `device` is an index into them.
    `lane` counts from 0 on each device. `lane_titles` are those of each device.
    """

    devices: list[int]
    row: Array
    node: Array
    device: Array
    start: Array
    duration: Array
    accelerator: BoolArray
    lane: Array
    lane_titles: list[list[str]]

    def __len__(self) -> int:
        return len(self.row)

    @property
    def lane_order(self) -> Array:
        """The order by device, lane and start, in which intervals are written."""
        key = self.device * (int(self.lane.max(initial=0)) + 1) + self.lane
        return argsort_small(key)  # a stable sort; those of a device are sorted by start


def rows_of_nodes(report: Report, executions: Executions) -> Array:
    """The row of each node that is shown and drawable, -1 for all others."""
    rows = np.full(len(report.profile.nodes), -1, np.int64)
    rows[report.node[1:]] = np.arange(1, len(report))
    rows[~drawable_nodes(report, executions)] = -1
    return rows


def drawable_nodes(report: Report, executions: Executions) -> BoolArray:
    """Which nodes ran in the step of a report, at a known time and on a known device."""
    profile, step = report.profile, report.options.step

    def make() -> BoolArray:
        has_start = executions.execution_step == profile.steps.index(step)
        has_start &= executions.execution_start != 0
        ran = np.zeros(len(profile.nodes), bool)
        ran[executions.execution_node[has_start]] = True
        return ran & (executions.device != NO_DEVICE)

    return profile.memoize((drawable_nodes, report.quirks, step), make)


def device_title(device: str) -> str:
    """What the timeline calls a device."""
    kind = "execution" if "stream" in device else "scheduling"
    return f"Op {kind} threads: {device}"


def lay_out_trace(report: Report) -> TraceLayout:
    """The intervals of the shown rows of a report of one step."""
    executions = executions_of(report.profile, report.quirks)
    step = report.profile.steps.index(report.options.step)
    row_of = rows_of_nodes(report, executions)
    nodes, devices_of = executions.interval_node, executions.interval_device
    drawn = (executions.interval_step == step) & (row_of[nodes] >= 0)
    if report.window:
        all_starts = executions.interval_start
        drawn &= report.window.overlaps(all_starts, all_starts + executions.interval_duration)
    rows = np.flatnonzero(drawn)
    rank = device_ranks(report.profile)
    device, start, row = devices_of[rows], executions.interval_start[rows], row_of[nodes[rows]]
    devices = _order_of_devices(device, row, rank)
    rows = rows[_order_by_device_and_start(rank[device], start, row)]
    device, start = devices_of[rows], executions.interval_start[rows]
    if report.quirks.same_start_dropped and len(rows):
        new = (np.diff(device) != 0) | (np.diff(start) != 0)
        rows = rows[np.concatenate([[True], new])]
        device, start = devices_of[rows], executions.interval_start[rows]
    index = np.zeros(len(report.profile.devices) + 1, np.int64)
    index[devices] = np.arange(len(devices))
    duration = executions.interval_duration[rows]
    lane, titles = _lanes(report, index[device], start, duration, executions.interval_thread[rows])
    return TraceLayout(
        devices,
        row_of[nodes[rows]],
        nodes[rows].astype(np.int64),
        index[device],
        start,
        duration,
        executions.interval_accelerator[rows],
        lane,
        titles,
    )


def _lanes(
    report: Report, device: Array, start: Array, duration: Array, thread: Array
) -> tuple[Array, list[list[str]]]:
    """The lane of each interval on its device, and the titles of the lanes of each device.

    The lanes of a trace are its threads. An op that runs inside another one of its thread has a
    lane of its own beside it.
    """
    count = int(device.max(initial=-1)) + 1
    names = report.profile.trace.threads if report.profile.trace else ()
    if not len(thread) or thread.min() < 0 or thread.max() >= len(names):
        lane = assign_lanes(device, start, start + duration)
        numbers = np.zeros(count, np.int64)
        np.maximum.at(numbers, device, lane + 1)
        return lane, [[f"lane {i}" for i in range(number)] for number in numbers.tolist()]
    pairs = device.astype(np.int64) * len(names) + thread
    # A stable sort; those of a device are sorted by start.
    order = np.argsort(pairs, kind="stable")
    inner = np.empty(len(pairs), np.int64)
    inner[order] = assign_lanes(pairs[order], start[order], (start + duration)[order])
    titles: list[list[str]] = [[] for _ in range(count)]
    keys, of_row = np.unique(np.stack([pairs, inner], 1), axis=0, return_inverse=True)
    lanes = []
    for pair, level in keys.tolist():
        of_device, of_thread = divmod(pair, len(names))
        lanes.append(len(titles[of_device]))
        titles[of_device].append(names[of_thread] + (f", inner {level}" if level else ""))
    return np.array(lanes, np.int64)[of_row.reshape(-1)], titles


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
