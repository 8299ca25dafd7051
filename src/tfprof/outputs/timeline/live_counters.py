"""The counters of recorded allocations: live bytes of each memory pool, and its largest blocks."""

from __future__ import annotations

import numpy as np

from tfprof.memory.live_memory import LiveMemory
from tfprof.memory.peaks import step_memory
from tfprof.outputs.timeline.allocation_history import AllocationHistory
from tfprof.outputs.timeline.memory_counters import (
    MemoryUsage,
    plotted_samples,
    top_allocation_columns,
)
from tfprof.outputs.timeline.trace_layout import rows_of_nodes
from tfprof.profiles.executions import executions_of
from tfprof.profiles.grouping import argsort_small, group_offsets
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report
from tfprof.views.view import name_rank


def live_memory_usage(report: Report) -> MemoryUsage:
    """The live bytes of every pool of a device that a shown node was placed on.

    Bytes are those of all nodes; the largest blocks are those of shown nodes. The peak of each
    pool is among the samples.
    """
    profile = report.profile
    row = rows_of_nodes(report, executions_of(profile, report.quirks))
    shown = {
        profile.devices[device]
        for device in np.unique(executions_of(profile, report.quirks).device[row >= 0]).tolist()
        if device >= 0
    }
    step = profile.steps.index(report.options.step)
    pools = [
        memory
        for memory in step_memory(profile, report.quirks).pools
        if memory.step == step and memory.pool.device in shown
    ]
    samples = [_samples(memory) for memory in pools]
    device = np.repeat(np.arange(len(pools)), [len(rows) for rows in samples])
    none = np.zeros(0, np.int64)
    parts = list(zip(pools, samples, strict=True))
    time = np.concatenate([none, *(memory.time[rows] for memory, rows in parts)])
    live = np.concatenate([none, *(memory.live[rows] for memory, rows in parts)])
    history, nodes = _history(report, pools, row, device, time)
    columns = top_allocation_columns(report, history, nodes, live)
    peaks = [memory.peak for memory in pools]
    return MemoryUsage([str(m.pool) for m in pools], peaks, device, time, live, columns)


def _samples(memory: LiveMemory) -> Array:
    """The changes of a pool that are plotted, its peak among them."""
    plotted = plotted_samples(memory.time)
    return np.union1d(plotted, [np.argmax(memory.live)] if len(memory.live) else plotted)


def _history(
    report: Report, pools: list[LiveMemory], row: Array, device: Array, time: Array
) -> tuple[AllocationHistory, Array]:
    """The blocks of shown nodes as of the samples of pools at times, and the node of each."""
    none = np.zeros(0, np.int64)
    offsets = group_offsets(device, len(pools))
    changes, sizes, nodes = [(none, none, none)], [none], [none]
    rank = name_rank(report.profile)
    for i, memory in enumerate(pools):
        blocks = memory.blocks
        rows = memory.rows[row[blocks.node[memory.rows]] >= 0]
        times = time[offsets[i] : offsets[i + 1]]
        first = offsets[i] + np.searchsorted(times, blocks.start[rows])
        last = offsets[i] + np.searchsorted(times, blocks.end[rows])
        sampled = first < last
        rows, first, last = rows[sampled], first[sampled], last[sampled]
        order = np.lexsort((rank[blocks.node[rows]], -blocks.size[rows]))
        rows, first, last = rows[order], first[order], last[order]
        number = np.arange(len(rows))
        gone = last < offsets[i + 1]
        absent = np.full(len(rows), -1)
        changes.append((first, absent, number))
        changes.append((last[gone], number[gone], absent[gone]))
        sizes.append(blocks.size[rows])
        nodes.append(blocks.node[rows])
    sample, old, new = (np.concatenate(column) for column in zip(*changes, strict=True))
    order = argsort_small(sample)
    size_offsets = np.cumsum([0, *(len(size) for size in sizes[1:])])
    history = AllocationHistory(
        sample[order], old[order], new[order], np.concatenate(sizes), offsets, size_offsets
    )
    return history, np.concatenate(nodes)
