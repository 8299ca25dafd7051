"""The memory counters of a graph timeline: bytes in use, and who holds most of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tfprof.outputs.graph_timeline import trackable
from tfprof.outputs.holders import TOP, swept
from tfprof.outputs.json_text import Part, escaped, joined, texts
from tfprof.outputs.pieces import Coded
from tfprof.profiles.columns import Ints
from tfprof.profiles.runs import MEMORY_FIELDS, Runs, runs_of
from tfprof.views.view import name_order

if TYPE_CHECKING:
    from tfprof.report import Report

__all__ = ["Usage", "device_memory", "memory_events", "plain_memory_events"]

_CLOSEST = 100  # microseconds between two plotted samples
_KEY = ',"Top Allocation {:02}":"'
_TIME = MEMORY_FIELDS.index("memory_micros")
_PERSISTENT = MEMORY_FIELDS.index("accelerator_persistent_bytes")
_IN_USE = MEMORY_FIELDS.index("allocator_bytes_in_use")


@dataclass(frozen=True, slots=True)
class Usage:
    """The memory of a device: plotted samples, and the pieces of text that name the holders."""

    device: str
    peak: int
    time: Ints
    in_use: Ints
    holders: list[Part]


@dataclass(frozen=True, slots=True)
class _Step:
    """What is the same for all devices: the rows of the step, and facts about all nodes.

    `held` are the bytes that a node has from the start, `rank` is where it stands by name.
    """

    report: Report
    runs: Runs
    memory: Ints
    allocations: Ints
    held: Ints
    rank: Ints


def device_memory(report: Report) -> list[Usage]:
    """The memory of every device but CPUs that the shown nodes of a report were placed on."""
    runs = runs_of(report.profile, report.quirks)
    shown = report.node[1:]
    shown = shown[trackable(report, runs)[shown]]
    devices = report.profile.devices
    placed = sorted((devices[device], device) for device in np.unique(runs.device[shown]).tolist())
    step = _step(report, runs)
    return [
        _usage(step, name, shown[runs.device[shown] == device])
        for name, device in placed
        if "cpu" not in name
    ]


def _step(report: Report, runs: Runs) -> _Step:
    step = report.profile.steps.index(report.options.step)
    sampled = (runs.memory_step == step) & (runs.memory[:, _TIME] > 0)
    if not report.quirks.samples_without_allocator:
        sampled &= runs.memory_sampled
    order = name_order(report.profile)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return _Step(
        report,
        runs,
        np.flatnonzero(sampled),
        np.flatnonzero(runs.allocation_step == step),
        _persistent(report, runs),
        rank,
    )


def _persistent(report: Report, runs: Runs) -> Ints:
    """For each node the largest of its steps' persistent bytes on an accelerator."""
    count, steps = len(report.profile.nodes), max(len(report.profile.steps), 1)
    sums = np.zeros(count * steps, np.int64)
    at = runs.memory_node.astype(np.int64) * steps + runs.memory_step
    np.add.at(sums, at, runs.memory[:, _PERSISTENT])
    largest: Ints = sums.reshape(count, steps).max(axis=1)
    return largest


def _usage(step: _Step, device: str, nodes: Ints) -> Usage:
    order = np.full(len(step.rank), -1, np.int64)
    order[nodes] = np.arange(len(nodes))
    time, in_use = _samples(step, order)
    peak = int(in_use.max(initial=0))
    kept, last = [], 0
    for at, micros in enumerate(time.tolist()):
        if micros - last >= _CLOSEST:
            kept.append(at)
            last = micros
    time, in_use = time[kept], in_use[kept]
    return Usage(device, peak, time, in_use, _holders(step, nodes, order, time, in_use))


def _samples(step: _Step, order: Ints) -> tuple[Ints, Ints]:
    """The bytes in use by time; of several samples at one time the last row's."""
    runs = step.runs
    place = order[runs.memory_node[step.memory]]
    rows = step.memory[place >= 0]
    rows = rows[np.argsort(place[place >= 0], kind="stable")][::-1]
    time, first = np.unique(runs.memory[rows, _TIME], return_index=True)
    return time, runs.memory[rows[first], _IN_USE]


def _holders(step: _Step, nodes: Ints, order: Ints, time: Ints, in_use: Ints) -> list[Part]:
    """For each sample the arguments that name the largest holders and the rest, in pieces."""
    node, sample, held = _changes(step, nodes, order, time)
    positive = np.flatnonzero(held > 0)
    by_size = positive[np.lexsort((step.rank[nodes[node[positive]]], -held[positive]))]
    place = np.full(len(node), -1, np.int64)
    place[by_size] = np.arange(len(by_size))
    before = np.full(len(node), -1, np.int64)
    before[1:] = np.where(node[1:] == node[:-1], place[:-1], -1)
    turn = np.argsort(sample, kind="stable")
    top, left = swept(sample[turn], before[turn], place[turn], held[by_size], in_use)
    used = np.zeros(len(by_size) + 1, bool)
    used[top] = True  # the last one stands for none, -1
    number = np.cumsum(used) - 1
    shown = by_size[used[:-1]]
    words = _words(step.report, held[shown], nodes[node[shown]])
    at = np.where(top < 0, len(shown), number[top])
    keys: list[Part] = [_KEY.format(at) for at in range(TOP)]
    if step.report.quirks.uneven_top_allocations:
        none = top[:, 0] < 0
        at[none, 0] = len(shown) + 1
        keys[0] = Coded(pa.array([keys[0], ""]), none.astype(np.int64))
    rest = pa.array([f"{size / 1e6:.2f}" for size in left.tolist()], pa.string())
    listed = [(key, Coded(words, at[:, slot])) for slot, key in enumerate(keys)]
    return ['{"Not Displayed":"', rest, ' MB"', *itertools.chain(*listed), "}"]


def _words(report: Report, sizes: Ints, nodes: Ints) -> pa.Array:
    """What is said of holders, and after them of a place without one, and nothing at all."""
    new = np.diff(sizes, prepend=-1) != 0  # they are sorted
    megabytes = pa.array([f"{size / 1e6:g} MB from " for size in sizes[new].tolist()], pa.string())
    owners = escaped(report.profile.nodes.name.take(pa.array(nodes)))
    said = joined(len(nodes), megabytes.take(pa.array(np.cumsum(new) - 1)), owners, '"')
    return pa.concat_arrays([said, pa.array(['N/A"', ""])])


def _changes(step: _Step, nodes: Ints, order: Ints, time: Ints) -> tuple[Ints, Ints, Ints]:
    """Node, first sample that sees it, and held bytes, of all changes that are seen, by node."""
    runs = step.runs
    place = order[runs.allocation_node[step.allocations]]
    rows = step.allocations[place >= 0]
    node = np.concatenate([np.arange(len(nodes)), place[place >= 0]])
    micros = np.concatenate([np.zeros(len(nodes), np.int64), runs.allocation_micros[rows]])
    size = np.concatenate([step.held[nodes], runs.allocation_bytes[rows]])
    by_time = np.lexsort((micros, node))
    node, micros, size = node[by_time], micros[by_time], size[by_time]
    running = np.cumsum(size)
    first = np.searchsorted(node, np.arange(len(nodes)))
    held = running - (running - size)[first][node]
    # A sample sees what happened before it; of several changes since the last one, the last.
    sample = np.searchsorted(time, micros, side="right")
    last = np.ones(len(node), bool)
    last[:-1] = (np.diff(node) != 0) | (np.diff(sample) != 0)
    rows = np.flatnonzero((sample < len(time)) & last)
    return node[rows], sample[rows], held[rows]


def plain_memory_events(usage: Usage, pid: int) -> Iterable[memoryview]:
    """Two counters at each sample, as the original writes them."""
    return texts(
        len(usage.time),
        *(',{"args":{"Allocator Bytes in Use":', usage.in_use, '},"cat":"Memory","name":'),
        *(f'"Allocated Bytes","ph":"C","pid":{pid},"tid":0,"ts":', usage.time, "}"),
        *(',{"args":', *usage.holders, ',"cat":"Memory","name":'),
        *(f'"Top Allocations","ph":"C","pid":{pid + 1},"tid":0,"ts":', usage.time, "}"),
    )


def memory_events(usage: Usage, pid: int, tid: int) -> Iterable[memoryview]:
    """A counter and, as counters are numbers, an instant that names the holders."""
    return texts(
        len(usage.time),
        *(',\n{"args":{"Allocator Bytes in Use":', usage.in_use, '},"cat":"Memory","name":'),
        *(f'"Allocated Bytes","ph":"C","pid":{pid},"ts":', usage.time, "}"),
        *(',\n{"args":', *usage.holders, ',"cat":"Memory","name":'),
        *(f'"Top Allocations","ph":"i","pid":{pid},"s":"t","tid":{tid},"ts":', usage.time, "}"),
    )
