"""The timeline of graph view: every run of every shown node, on its device, in lanes.

`Drawing` is what one step looks like; `graph_events` writes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tfprof.outputs.timeline.lanes import assign_lanes
from tfprof.profiles.executions import Executions, executions_of
from tfprof.profiles.schema import NO_DEVICE, Array, BoolArray
from tfprof.views.tree import order_within, sorted_few

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = [
    "TraceLayout",
    "device_ranks",
    "device_title",
    "lay_out_trace",
    "rows_of_nodes",
    "trackable",
]

_NONE = np.iinfo(np.int64).max
_MICROS = "exec_micros"


@dataclass(frozen=True, slots=True)
class TraceLayout:
    """The intervals of a step, in the order of device name and start.

    `devices` are the drawn ones in the order in which the rows meet them; `device` is a position
    among them, `row` one in the report. `lane` counts from 0 on each device.
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
    def in_lanes(self) -> Array:
        """The intervals by device as met, lane and start: the order in which they are written."""
        assign_lanes = self.device * (int(self.lane.max(initial=0)) + 1) + self.lane
        return sorted_few(assign_lanes)  # those of a device are in the order of their starts


def rows_of_nodes(report: Report, runs: Executions) -> Array:
    """The row of each node that is shown and trackable, -1 for all others."""
    found = np.full(len(report.profile.nodes), -1, np.int64)
    found[report.node[1:]] = np.arange(1, len(report))
    found[~trackable(report, runs)] = -1
    return found


def trackable(report: Report, runs: Executions) -> BoolArray:
    """Which nodes ran in the step of a report, at a known time and on a known device."""
    profile, step = report.profile, report.options.step

    def make() -> BoolArray:
        at = profile.steps.index(step)
        found = np.zeros(len(profile.nodes), bool)
        found[runs.span_node[(runs.span_step == at) & (runs.span_start != 0)]] = True
        return found & (runs.device != NO_DEVICE)

    return profile.derived((trackable, report.quirks, step), make)


def device_title(device: str) -> str:
    """What the timeline calls a device."""
    kind = "execution" if "stream" in device else "scheduling"
    return f"Op {kind} threads: {device}"


def device_ranks(report: Report) -> Array:
    """Where each device of the profile stands by name."""
    devices = report.profile.devices
    order = sorted(range(len(devices)), key=devices.__getitem__)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank


def lay_out_trace(report: Report) -> TraceLayout:
    """The intervals of the shown rows of a report of one step."""
    runs = executions_of(report.profile, report.quirks)
    step = report.profile.steps.index(report.options.step)
    row_of = rows_of_nodes(report, runs)
    if not report.quirks.same_start_dropped:
        row_of[(report.numbers[:, _MICROS] < report.options.min_micros).astype(bool)] = -1
    rows = np.flatnonzero((runs.time_step == step) & (row_of[runs.time_node] >= 0))
    row = row_of[runs.time_node[rows]]
    rank = device_ranks(report)
    devices = _as_met(runs.time_device[rows], row, rank)
    by_start = _by_device_and_start(rank[runs.time_device[rows]], runs.time_start[rows], row)
    rows = rows[by_start]
    device, start = runs.time_device[rows], runs.time_start[rows]
    if report.quirks.same_start_dropped and len(rows):
        new = (np.diff(device) != 0) | (np.diff(start) != 0)
        rows = rows[np.concatenate([[True], new])]
        device, start = runs.time_device[rows], runs.time_start[rows]
    position = np.zeros(len(report.profile.devices) + 1, np.int64)
    position[devices] = np.arange(len(devices))
    duration = runs.time_duration[rows]
    return TraceLayout(
        devices,
        row_of[runs.time_node[rows]],
        runs.time_node[rows].astype(np.int64),
        position[device],
        start,
        duration,
        runs.time_accelerator[rows],
        assign_lanes(position[device], start, start + duration),
    )


def _as_met(device: Array, row: Array, rank: Array) -> list[int]:
    """Devices in the order of the first row that ran there, and of their ranks."""
    first = np.full(len(rank), _NONE)
    np.minimum.at(first, device, row)
    order = np.lexsort((rank, first))
    return order[: np.count_nonzero(first != _NONE)].tolist()


def _by_device_and_start(rank: Array, start: Array, row: Array) -> Array:
    """The order by device, start and row."""
    order = order_within(rank, start)
    same = (np.diff(rank[order]) == 0) & (np.diff(start[order]) == 0)
    if not same.any():
        return order
    new = np.concatenate([[True], ~same])
    return order[order_within(np.cumsum(new), row[order])]
