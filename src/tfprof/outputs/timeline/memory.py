"""The memory counters of a graph timeline: bytes in use, and who holds most of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.outputs.encoding.json_encoder import (
    Part,
    digits,
    escaped,
    joined,
    texts,
)
from tfprof.outputs.encoding.row_encoder import DictColumn
from tfprof.outputs.timeline.graph import rows_of_nodes
from tfprof.outputs.timeline.lanes import follow_chain
from tfprof.outputs.timeline.top_allocations import TOP, Histories, find_top_allocations
from tfprof.profiles.executions import Executions, executions_of
from tfprof.profiles.grouping import argsort_small, argsort_within, group_offsets
from tfprof.profiles.record_columns import LATEST
from tfprof.profiles.schema import Array, BoolArray
from tfprof.views.view import name_rank

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["Usage", "device_memory", "memory_events", "plain_memory_events"]

_CLOSEST = 100  # microseconds between two plotted samples
_CENT = 10_000  # bytes
_CENTS = pa.array([f"{cents:02}" for cents in range(100)])
_EXACT = 10**15
_KEY = ',"Top Allocation {:02}":"'


@dataclass(frozen=True, slots=True)
class Usage:
    """The memory of devices: plotted samples, those of one device after the other.

    `holders` are the pieces of text that name who holds most at each sample.
    """

    devices: list[str]
    peaks: list[int]
    device: Array
    time: Array
    in_use: Array
    holders: list[Part]


@dataclass(frozen=True, slots=True)
class _Step:
    """The nodes of a report that are shown, as far as they ran on other devices than CPUs.

    `nodes` are those of one device after the other, from `first` on; `place` is where each node of
    the profile stands among them, or -1, and `row` its row in the report.
    """

    report: Report
    runs: Executions
    nodes: Array
    first: Array
    place: Array
    row: Array

    def rows(self, node: Array, wanted: BoolArray) -> tuple[Array, Array]:
        """Those of the wanted rows that are of a shown node, and its place."""
        rows = np.flatnonzero(wanted)
        place = self.place[node[rows]]
        shown = place >= 0
        return rows[shown], place[shown]


def device_memory(report: Report) -> Usage:
    """The memory of every device but CPUs that the shown nodes of a report were placed on."""
    runs = executions_of(report.profile, report.quirks)
    row = rows_of_nodes(report, runs)
    # Records are mostly in the order of nodes, so that little is left to sort.
    shown = np.flatnonzero(row >= 0)
    device = runs.device[shown]
    used = np.flatnonzero(np.bincount(device, minlength=1)) if len(device) else device
    names = {report.profile.devices[at]: at for at in used.tolist()}
    devices = [name for name in sorted(names) if "cpu" not in name]
    lists = [shown[device == names[name]] for name in devices]
    nodes = np.concatenate([shown[:0], *lists])
    place = np.full(len(row), -1)
    place[nodes] = np.arange(len(nodes))
    step = _Step(report, runs, nodes, np.cumsum([0, *map(len, lists)]), place, row)
    return _usage(step, devices)


def _usage(step: _Step, devices: list[str]) -> Usage:
    device, time, in_use = _samples(step)
    parts = list(itertools.pairwise(group_offsets(device, len(devices)).tolist()))
    peaks = [int(in_use[first:last].max(initial=0)) for first, last in parts]
    kept = np.concatenate(
        [device[:0], *(first + _apart(time[first:last]) for first, last in parts)]
    )
    device, time, in_use = device[kept], time[kept], in_use[kept]
    holders = _holders(step, device, time, in_use)
    return Usage(devices, peaks, device, time, in_use, holders)


def _samples(step: _Step) -> tuple[Array, Array, Array]:
    """Device, time and bytes in use, in this order; of several at one time the last row's."""
    runs, profile = step.runs, step.report.profile
    time = runs.memory_micros
    wanted = (runs.memory_step == profile.steps.index(step.report.options.step)) & (time > 0)
    if not step.report.quirks.samples_without_allocator:
        wanted &= runs.has_bytes_in_use
    rows, place = step.rows(runs.memory_node, wanted)
    device = np.searchsorted(step.first, place, side="right") - 1
    order = argsort_within(device, time[rows])
    rows, device = rows[order], device[order]
    last = np.ones(len(rows), bool)
    last[:-1] = (np.diff(device) != 0) | (np.diff(time[rows]) != 0)
    moment = np.cumsum(last) - last
    by_row = argsort_within(moment, step.row[runs.memory_node[rows]])
    return device[last], time[rows[last]], runs.allocator_bytes_in_use[rows[by_row[last]]]


def _apart(times: Array) -> Array:
    """Samples of a device from the first to the last, none too close to the one before."""
    end = len(times)
    far = np.minimum(times, LATEST - _CLOSEST) + _CLOSEST
    following = np.where(times > far - _CLOSEST, end, np.searchsorted(times, far))
    return np.sort(follow_chain(np.append(following, end), int(np.searchsorted(times, _CLOSEST))))


def _holders(step: _Step, device: Array, time: Array, in_use: Array) -> list[Part]:
    """For each sample the arguments that name the largest holders and the rest, in pieces."""
    node, sample, held = _changes(step, device, time)
    positive = np.flatnonzero(held > 0)
    bounds = np.searchsorted(node[positive], step.first)
    by_size = positive[_by_size(step, bounds, held[positive], step.nodes[node[positive]])]
    place = np.full(len(node), -1, np.int64)
    place[by_size] = np.arange(len(by_size)) - np.repeat(bounds[:-1], np.diff(bounds))
    before = np.full(len(node), -1, np.int64)
    before[1:] = np.where(node[1:] == node[:-1], place[:-1], -1)
    turn = argsort_small(sample)
    histories = Histories(
        sample[turn],
        before[turn],
        place[turn],
        held[by_size],
        group_offsets(device, len(step.first) - 1),
        bounds,
    )
    top, left = find_top_allocations(histories, in_use)
    used = np.zeros(len(by_size) + 1, bool)
    used[top] = True  # the last one stands for none, -1
    number = np.cumsum(used) - 1
    shown = by_size[used[:-1]]
    words = _words(step.report, held[shown], step.nodes[node[shown]])
    at = np.where(top < 0, len(shown), number[top])
    keys: list[Part] = [_KEY.format(at) for at in range(TOP)]
    if step.report.quirks.uneven_top_allocations:
        none = top[:, 0] < 0
        at[none, 0] = len(shown) + 1
        keys[0] = DictColumn(pa.array([keys[0], ""]), none.astype(np.int64))
    listed = [(key, DictColumn(words, at[:, slot])) for slot, key in enumerate(keys)]
    return ['{"Not Displayed":"', _megabytes(left), ' MB"', *itertools.chain(*listed), "}"]


def _megabytes(sizes: Array) -> pa.Array:
    """Numbers of bytes in MB, with two decimals."""
    whole, cents = np.divmod((sizes + _CENT // 2) // _CENT, 100)
    texts = pc.binary_join_element_wise(digits(whole), _CENTS.take(pa.array(cents)), ".")
    # Half a cent goes up or down, as the nearest number that a computer has lies.
    odd = np.flatnonzero((sizes % _CENT == _CENT // 2) | (sizes < 0) | (sizes > _EXACT))
    if not len(odd):
        return texts
    spelled = pa.array([f"{size / 1e6:.2f}" for size in sizes[odd].tolist()], pa.string())
    place = np.arange(len(sizes))
    place[odd] = len(sizes) + np.arange(len(odd))
    return pa.concat_arrays([texts, spelled]).take(pa.array(place))


def _by_size(step: _Step, bounds: Array, held: Array, nodes: Array) -> Array:
    """The order by device, size from the largest on, and name; devices are between bounds."""
    sizes = pa.array(held).dictionary_encode()
    below = np.empty(len(sizes.dictionary), np.int64)
    below[np.argsort(-sizes.dictionary.to_numpy())] = np.arange(len(below))
    device = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    order = argsort_small(name_rank(step.report.profile)[nodes])
    groups = device * len(below) + below[sizes.indices.to_numpy()]
    return order[argsort_small(groups[order])]


def _words(report: Report, sizes: Array, nodes: Array) -> pa.Array:
    """What is said of holders, and after them of a place without one, and nothing at all."""
    distinct, at = np.unique(sizes, return_inverse=True)
    megabytes = pa.array([f"{size / 1e6:g} MB from " for size in distinct.tolist()], pa.string())
    owners = escaped(report.profile.nodes.name.take(pa.array(nodes)))
    said = joined(len(nodes), megabytes.take(pa.array(at)), owners, '"')
    return pa.concat_arrays([said, pa.array(['N/A"', ""])])


def _changes(step: _Step, device: Array, time: Array) -> tuple[Array, Array, Array]:
    """Node, first sample that sees it, and held bytes, of all changes that are seen, by node."""
    runs, profile = step.runs, step.report.profile
    in_step = runs.allocation_step == profile.steps.index(step.report.options.step)
    rows, place = step.rows(runs.allocation_node, in_step)
    fixed = _persistent(step)[step.nodes]
    starts = np.flatnonzero(fixed)
    by_time = argsort_within(place, runs.allocation_micros[rows])
    rows = rows[by_time]
    node = np.concatenate([starts, place[by_time]])
    micros = np.concatenate([np.zeros(len(starts), np.int64), runs.allocation_micros[rows]])
    size = np.concatenate([fixed[starts], runs.allocation_bytes[rows]])
    # What a node holds from the start comes before anything else.
    by_node = argsort_small(node)
    node, micros, size = node[by_node], micros[by_node], size[by_node]
    running = np.cumsum(size)
    new = np.diff(node, prepend=-1) != 0
    held = running - (running - size)[new][np.cumsum(new) - 1]
    sample, end = _seen_from(step, node, micros, device, time)
    # Of several changes since the last sample, the last one is seen.
    last = np.ones(len(node), bool)
    last[:-1] = new[1:] | (np.diff(sample) != 0)
    rows = np.flatnonzero((sample < end) & last)
    return node[rows], sample[rows], held[rows]


def _seen_from(
    step: _Step, node: Array, micros: Array, device: Array, time: Array
) -> tuple[Array, Array]:
    """The first sample after each change, by node, and where the samples of its device end."""
    sample, end = np.empty(len(node), np.int64), np.empty(len(node), np.int64)
    samples = group_offsets(device, len(step.first) - 1)
    changes = np.searchsorted(node, step.first)
    for at in range(len(step.first) - 1):
        inside = slice(changes[at], changes[at + 1])
        times = time[samples[at] : samples[at + 1]]
        sample[inside] = samples[at] + np.searchsorted(times, micros[inside], side="right")
        end[inside] = samples[at + 1]
    return sample, end


def _persistent(step: _Step) -> Array:
    """For each node the largest of its steps' persistent bytes on an accelerator."""
    runs, profile = step.runs, step.report.profile
    count, steps = len(profile.nodes), max(len(profile.steps), 1)
    sums = np.zeros(count * steps, np.int64)
    at = runs.memory_node.astype(np.int64) * steps + runs.memory_step
    np.add.at(sums, at, runs.accelerator_persistent_bytes)
    largest: Array = sums.reshape(count, steps).max(axis=1)
    return largest


def plain_memory_events(usage: Usage, first_pid: int) -> Iterable[memoryview]:
    """Two counters at each sample, as the original writes them, in two processes per device."""
    pid, time = first_pid + 2 * usage.device, DictColumn(digits(usage.time))
    return texts(
        len(usage.time),
        *(',{"args":{"Allocator Bytes in Use":', usage.in_use, '},"cat":"Memory","name":'),
        *('"Allocated Bytes","ph":"C","pid":', pid, ',"tid":0,"ts":', time, "}"),
        *(',{"args":', *usage.holders, ',"cat":"Memory","name":'),
        *('"Top Allocations","ph":"C","pid":', pid + 1, ',"tid":0,"ts":', time, "}"),
    )


def memory_events(usage: Usage, pid: Array, tid: Array) -> Iterable[memoryview]:
    """A counter and, as counters are numbers, an instant that names the holders."""
    time = DictColumn(digits(usage.time))
    return texts(
        len(usage.time),
        *(',\n{"args":{"Allocator Bytes in Use":', usage.in_use, '},"cat":"Memory","name":'),
        *('"Allocated Bytes","ph":"C","pid":', pid, ',"ts":', time, "}"),
        *(
            ',\n{"args":',
            *usage.holders,
            ',"cat":"Memory","name":"Top Allocations","ph":"i","pid":',
        ),
        *(pid, ',"s":"t","tid":', tid, ',"ts":', time, "}"),
    )
