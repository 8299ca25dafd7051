"""The memory counters of a graph timeline: bytes in use, and who holds most of them.

One sweep over the allocations of a device keeps its holders sorted by size, so that the largest at
any moment are at hand.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tfprof.outputs.graph_timeline import trackable
from tfprof.outputs.json_text import joined, quoted
from tfprof.profiles.columns import Ints
from tfprof.profiles.runs import MEMORY_FIELDS, Runs, runs_of
from tfprof.views.view import ranks

if TYPE_CHECKING:
    from tfprof.report import Report

__all__ = ["Usage", "device_memory", "memory_events", "plain_memory_events"]

TOP = 10
_CLOSEST = 100  # microseconds between two plotted samples
_BLOCK = 512
_TIME = MEMORY_FIELDS.index("memory_micros")
_PERSISTENT = MEMORY_FIELDS.index("accelerator_persistent_bytes")
_IN_USE = MEMORY_FIELDS.index("allocator_bytes_in_use")


@dataclass(frozen=True, slots=True)
class Usage:
    """The memory of a device: plotted samples, and the arguments that name the largest holders."""

    device: str
    peak: int
    time: Ints
    in_use: Ints
    holders: list[str]


def device_memory(report: Report) -> list[Usage]:
    """The memory of every device but CPUs that the shown nodes of a report were placed on."""
    runs = runs_of(report.profile, report.quirks)
    shown = report.node[1:]
    shown = shown[trackable(report, runs)[shown]]
    devices = report.profile.devices
    placed = sorted((devices[device], device) for device in np.unique(runs.device[shown]).tolist())
    return [
        _usage(report, runs, name, shown[runs.device[shown] == device])
        for name, device in placed
        if "cpu" not in name
    ]


def _usage(report: Report, runs: Runs, device: str, nodes: Ints) -> Usage:
    order = np.full(len(report.profile.nodes), -1, np.int64)
    order[nodes] = np.arange(len(nodes))
    time, in_use = _samples(report, runs, order)
    peak = int(in_use.max(initial=0))
    kept, last = [], 0
    for at, micros in enumerate(time.tolist()):
        if micros - last >= _CLOSEST:
            kept.append(at)
            last = micros
    time, in_use = time[kept], in_use[kept]
    holders = _holders(report, runs, nodes, order, time, in_use)
    return Usage(device, peak, time, in_use, holders)


def _samples(report: Report, runs: Runs, order: Ints) -> tuple[Ints, Ints]:
    """The bytes in use by time; of several samples at one time the last row's."""
    step = report.profile.steps.index(report.options.step)
    wanted = (runs.memory_step == step) & (order[runs.memory_node] >= 0)
    wanted &= runs.memory[:, _TIME] > 0
    if not report.quirks.samples_without_allocator:
        wanted &= runs.memory_sampled
    rows = np.flatnonzero(wanted)
    rows = rows[np.argsort(order[runs.memory_node[rows]], kind="stable")]
    time, first = np.unique(runs.memory[rows[::-1], _TIME], return_index=True)
    return time, runs.memory[rows[::-1][first], _IN_USE]


def _holders(
    report: Report, runs: Runs, nodes: Ints, order: Ints, time: Ints, in_use: Ints
) -> list[str]:
    """For each sample the arguments that name the largest holders and the rest."""
    if not len(time):
        return []
    node, sample, held = _changes(report, runs, nodes, order, time)
    positive = np.flatnonzero(held > 0)
    names = report.profile.nodes.name.take(pa.array(nodes))
    by_size = np.lexsort((ranks(names)[node[positive]], -held[positive]))
    position = np.full(len(node), -1, np.int64)
    position[positive[by_size]] = np.arange(len(by_size))
    sizes = held[positive][by_size]
    megabytes = pa.array([f"{size / 1e6:g} MB from " for size in sizes.tolist()], pa.string())
    owner = names.take(pa.array(node[positive][by_size]))
    texts = quoted(joined(len(sizes), megabytes, owner)).to_pylist()
    reserved = [f'"Top Allocation {at:02}":"N/A",' for at in range(TOP)]
    if report.quirks.uneven_top_allocations:
        reserved[0] = ""
    changed = np.searchsorted(sample, np.arange(len(time) + 1)).tolist()
    nodes_changed, positions = node.tolist(), position.tolist()
    size_list, smaller = sizes.tolist(), (-sizes).tolist()
    holding: dict[int, int] = {}
    largest = _Sorted()
    found = []
    for at, left in enumerate(in_use.tolist()):
        for change in range(changed[at], changed[at + 1]):
            before = holding.pop(nodes_changed[change], -1)
            if before >= 0:
                largest.remove(before)
            if positions[change] >= 0:
                holding[nodes_changed[change]] = positions[change]
                largest.add(positions[change])
        top, left = _largest(largest, size_list, smaller, left)
        listed = [f'"Top Allocation {n:02}":{texts[item]},' for n, item in enumerate(top)]
        rest = "".join([*listed, *reserved[len(top) :]])
        found.append(f'{{"Not Displayed":"{left / 1e6:.2f} MB",{rest[:-1]}}}')
    return found


def _changes(
    report: Report, runs: Runs, nodes: Ints, order: Ints, time: Ints
) -> tuple[Ints, Ints, Ints]:
    """Node, first sample that sees it, and held bytes, of every change that a sample sees."""
    step = report.profile.steps.index(report.options.step)
    rows = np.flatnonzero((runs.allocation_step == step) & (order[runs.allocation_node] >= 0))
    node = np.concatenate([np.arange(len(nodes)), order[runs.allocation_node[rows]]])
    micros = np.concatenate([np.zeros(len(nodes), np.int64), runs.allocation_micros[rows]])
    size = np.concatenate([_persistent(report, runs)[nodes], runs.allocation_bytes[rows]])
    by_time = np.lexsort((micros, node))
    node, micros, size = node[by_time], micros[by_time], size[by_time]
    running = np.cumsum(size)
    first = np.searchsorted(node, np.arange(len(nodes)))
    held = running - (running - size)[first][node]
    # A sample sees what happened before it; of several changes since the last one, the last.
    sample = np.searchsorted(time, micros, side="right")
    seen = sample < len(time)
    last = np.ones(len(node), bool)
    last[:-1] = (np.diff(node) != 0) | (np.diff(sample) != 0)
    rows = np.flatnonzero(seen & last)
    rows = rows[np.argsort(sample[rows], kind="stable")]
    return node[rows], sample[rows], held[rows]


def _persistent(report: Report, runs: Runs) -> Ints:
    """For each node the largest of its steps' persistent bytes on an accelerator."""
    count, steps = len(report.profile.nodes), max(len(report.profile.steps), 1)
    sums = np.zeros(count * steps, np.int64)
    at = runs.memory_node.astype(np.int64) * steps + runs.memory_step
    np.add.at(sums, at, runs.memory[:, _PERSISTENT])
    largest: Ints = sums.reshape(count, steps).max(axis=1)
    return largest


def _largest(
    present: _Sorted, sizes: list[int], smaller: list[int], left: int
) -> tuple[list[int], int]:
    """The largest holders, leaving out those larger than what is left, and what is left then."""
    found: list[int] = []
    item = present.first_from(0)
    while item >= 0 and len(found) < TOP:
        if sizes[item] > left:
            item = present.first_from(bisect_left(smaller, -left))
            continue
        found.append(item)
        left -= sizes[item]
        item = present.first_from(item + 1)
    return found, left


class _Sorted:
    """A set of numbers that knows the next one from any number on: short sorted lists in a row."""

    def __init__(self) -> None:
        self.blocks: list[list[int]] = []
        self.lasts: list[int] = []

    def add(self, number: int) -> None:
        if not self.blocks:
            self.blocks, self.lasts = [[number]], [number]
            return
        at = min(bisect_left(self.lasts, number), len(self.blocks) - 1)
        block = self.blocks[at]
        insort(block, number)
        if len(block) > _BLOCK:
            half = len(block) // 2
            self.blocks[at : at + 1] = [block[:half], block[half:]]
            self.lasts[at : at + 1] = [block[half - 1], block[-1]]
        else:
            self.lasts[at] = block[-1]

    def remove(self, number: int) -> None:
        at = bisect_left(self.lasts, number)
        block = self.blocks[at]
        del block[bisect_left(block, number)]
        if block:
            self.lasts[at] = block[-1]
        else:
            del self.blocks[at], self.lasts[at]

    def first_from(self, number: int) -> int:
        """The smallest one that is not below a number, -1 if there is none."""
        at = bisect_left(self.lasts, number)
        if at == len(self.blocks):
            return -1
        block = self.blocks[at]
        return block[bisect_left(block, number)]


def plain_memory_events(usage: Usage, pid: int) -> pa.Array:
    """Two counters at each sample, as the original writes them."""
    return joined(
        len(usage.time),
        *('{"args":{"Allocator Bytes in Use":', usage.in_use, '},"cat":"Memory","name":'),
        *(f'"Allocated Bytes","ph":"C","pid":{pid},"tid":0,"ts":', usage.time, "},"),
        *('{"args":', pa.array(usage.holders, pa.string()), ',"cat":"Memory","name":'),
        *(f'"Top Allocations","ph":"C","pid":{pid + 1},"tid":0,"ts":', usage.time, "},"),
    )


def memory_events(usage: Usage, pid: int, tid: int) -> pa.Array:
    """A counter and, as counters are numbers, an instant that names the holders."""
    return joined(
        len(usage.time),
        *('{"args":{"Allocator Bytes in Use":', usage.in_use, '},"cat":"Memory","name":'),
        *(f'"Allocated Bytes","ph":"C","pid":{pid},"ts":', usage.time, "},\n"),
        *('{"args":', pa.array(usage.holders, pa.string()), ',"cat":"Memory","name":'),
        *(f'"Top Allocations","ph":"i","pid":{pid},"s":"t","tid":{tid},"ts":', usage.time, "},\n"),
    )
