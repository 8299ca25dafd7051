"""The memory counters of a graph timeline: bytes in use, and the largest allocations."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.outputs.encoding.json_encoder import (
    ColumnLike,
    concat_columns,
    encode_columns,
    escape_json,
    format_integers,
)
from tfprof.outputs.encoding.row_encoder import DictColumn
from tfprof.outputs.timeline.allocation_history import (
    AcceleratorNodes,
    AllocationHistory,
    accelerator_nodes,
    allocation_history,
)
from tfprof.outputs.timeline.lanes import follow_chain
from tfprof.outputs.timeline.top_allocations import TOP, find_top_allocations
from tfprof.profiles.grouping import argsort_within, group_offsets
from tfprof.profiles.record_columns import LATEST
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report

_MIN_DISTANCE = 100  # microseconds between two plotted samples
_CENT = 10_000  # bytes in a hundredth of a megabyte
_CENTS = pa.array([f"{cents:02}" for cents in range(100)])
_EXACT = 10**15
_KEY = ',"Top Allocation {:02}":"'


@dataclass(frozen=True, slots=True)
class MemoryUsage:
    """The memory of devices: plotted samples, sorted by device and time.

    `top_allocations` are the columns of a JSON object for each sample.
    """

    devices: list[str]
    peaks: list[int]
    device: Array
    time: Array
    in_use: Array
    top_allocations: list[ColumnLike]


def device_memory(report: Report) -> MemoryUsage:
    """The memory of every device but CPUs that the shown nodes of a report were placed on."""
    accelerators = accelerator_nodes(report)
    device, time, in_use = _samples(accelerators)
    slices = list(itertools.pairwise(group_offsets(device, len(accelerators.devices)).tolist()))
    peaks = [int(in_use[first:last].max(initial=0)) for first, last in slices]
    plotted = np.concatenate(
        [device[:0], *(first + plotted_samples(time[first:last]) for first, last in slices)]
    )
    device, time, in_use = device[plotted], time[plotted], in_use[plotted]
    history, nodes = allocation_history(accelerators, device, time)
    columns = top_allocation_columns(report, history, nodes, in_use)
    return MemoryUsage(accelerators.devices, peaks, device, time, in_use, columns)


def _samples(accelerators: AcceleratorNodes) -> tuple[Array, Array, Array]:
    """Device, time and bytes in use, sorted; of several at one time the last row's."""
    executions, time = accelerators.executions, accelerators.executions.memory_micros
    mask = (executions.memory_step == accelerators.step) & (time > 0)
    if not accelerators.report.quirks.samples_without_allocator:
        mask &= executions.has_bytes_in_use
    rows, index = accelerators.filter(executions.memory_node, mask)
    device = np.searchsorted(accelerators.offsets, index, side="right") - 1
    order = argsort_within(device, time[rows])
    rows, device = rows[order], device[order]
    is_last = np.ones(len(rows), bool)
    is_last[:-1] = (np.diff(device) != 0) | (np.diff(time[rows]) != 0)
    moment = np.cumsum(is_last) - is_last
    by_row = argsort_within(moment, accelerators.row[executions.memory_node[rows]])
    in_use = executions.allocator_bytes_in_use[rows[by_row[is_last]]]
    return device[is_last], time[rows[is_last]], in_use


def plotted_samples(times: Array) -> Array:
    """The samples of a device from the first on, none too close to the one before."""
    end = len(times)
    after = np.minimum(times, LATEST - _MIN_DISTANCE) + _MIN_DISTANCE
    following = np.where(times > after - _MIN_DISTANCE, end, np.searchsorted(times, after))
    return follow_chain(np.append(following, end), int(np.searchsorted(times, _MIN_DISTANCE)))


def top_allocation_columns(
    report: Report, history: AllocationHistory, nodes: Array, in_use: Array
) -> list[ColumnLike]:
    """For each sample a JSON object with the largest allocations, of these nodes, and the rest."""
    top, rest = find_top_allocations(history, in_use)
    is_used = np.zeros(len(nodes) + 1, bool)
    is_used[top] = True  # the last one is for none, -1
    index = np.cumsum(is_used) - 1
    used = np.flatnonzero(is_used[:-1])
    texts = _allocation_texts(report, history.sizes[used], nodes[used])
    indices = np.where(top < 0, len(used), index[top])
    keys: list[ColumnLike] = [_KEY.format(slot) for slot in range(TOP)]
    if report.quirks.uneven_top_allocations:
        none = top[:, 0] < 0
        indices[none, 0] = len(used) + 1
        keys[0] = DictColumn(pa.array([keys[0], ""]), none.astype(np.int64))
    pairs = [(key, DictColumn(texts, indices[:, slot])) for slot, key in enumerate(keys)]
    return ['{"Not Displayed":"', _megabytes(rest), ' MB"', *itertools.chain(*pairs), "}"]


def _megabytes(sizes: Array) -> pa.Array:
    """Bytes in MB, with two decimals."""
    whole, cents = np.divmod((sizes + _CENT // 2) // _CENT, 100)
    texts = pc.binary_join_element_wise(format_integers(whole), _CENTS.take(pa.array(cents)), ".")
    # Half a cent is rounded as the nearest double lies.
    inexact = (sizes % _CENT == _CENT // 2) | (sizes < 0) | (sizes > _EXACT)
    exact = pa.array([f"{size / 1e6:.2f}" for size in sizes[inexact].tolist()], pa.string())
    return pc.replace_with_mask(texts, pa.array(inexact), exact)


def _allocation_texts(report: Report, sizes: Array, nodes: Array) -> pa.Array:
    """The texts of allocations, then that of a slot without one, then an empty one."""
    distinct, indices = np.unique(sizes, return_inverse=True)
    megabytes = pa.array([f"{size / 1e6:g} MB from " for size in distinct.tolist()], pa.string())
    names = escape_json(report.profile.nodes.name.take(pa.array(nodes)))
    texts = concat_columns(len(nodes), megabytes.take(pa.array(indices)), names, '"')
    return pa.concat_arrays([texts, pa.array(['N/A"', ""])])


def compat_memory_events(usage: MemoryUsage, first_pid: int) -> Iterable[memoryview]:
    """Two counters at each sample, as the original writes them, in two processes per device."""
    pid, time = first_pid + 2 * usage.device, DictColumn(format_integers(usage.time))
    return encode_columns(
        len(usage.time),
        *(',{"args":{"Allocator Bytes in Use":', usage.in_use, '},"cat":"Memory","name":'),
        *('"Allocated Bytes","ph":"C","pid":', pid, ',"tid":0,"ts":', time, "}"),
        *(',{"args":', *usage.top_allocations, ',"cat":"Memory","name":'),
        *('"Top Allocations","ph":"C","pid":', pid + 1, ',"tid":0,"ts":', time, "}"),
    )


def memory_events(
    usage: MemoryUsage, pid: Array, tid: Array, *, series: str = "Allocator Bytes in Use"
) -> Iterable[memoryview]:
    """A counter and, as counters are numbers, an instant event with the largest allocations."""
    time = DictColumn(format_integers(usage.time))
    return encode_columns(
        len(usage.time),
        *(f',\n{{"args":{{"{series}":', usage.in_use, '},"cat":"Memory","name":'),
        *('"Allocated Bytes","ph":"C","pid":', pid, ',"ts":', time, "}"),
        *(',\n{"args":', *usage.top_allocations, ',"cat":"Memory",'),
        *('"name":"Top Allocations","ph":"i","pid":', pid, ',"s":"t","tid":', tid, ',"ts":'),
        *(time, "}"),
    )
