"""What the nodes of a step had allocated on accelerators at given samples."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tfprof.outputs.timeline.trace_layout import rows_of_nodes
from tfprof.profiles.executions import Executions, executions_of
from tfprof.profiles.grouping import (
    argsort_small,
    argsort_within,
    distinct_index,
    group_offsets,
)
from tfprof.profiles.schema import Array, BoolArray
from tfprof.reports.report import Report
from tfprof.runtime.lazy import cached_property
from tfprof.views.view import name_rank


@dataclass(frozen=True)
class AllocationHistory:
    """The allocations of some devices, one device after the other, and when they exist.

    Those of a device are sorted by size, the largest first, and numbered from 0. A change says that
    from `sample` on the allocation `new` exists, and `old` no more; -1 is none. Changes are in the
    order of samples; no two of a sample name the same allocation. Samples and sizes of device `i`
    begin at `sample_offsets[i]` and `size_offsets[i]`.
    """

    sample: Array
    old: Array
    new: Array
    sizes: Array
    sample_offsets: Array
    size_offsets: Array

    @cached_property
    def counts(self) -> Array:
        """How many allocations each device has."""
        return np.diff(self.size_offsets)

    @cached_property
    def device(self) -> Array:
        """The device of each sample."""
        lengths = np.diff(self.sample_offsets)
        return np.repeat(np.arange(len(lengths)), lengths)

    @cached_property
    def padded_sizes(self) -> Array:
        """The sizes, with a 0 after those of each device."""
        return np.insert(self.sizes, self.size_offsets[1:], 0)

    @cached_property
    def _ascending(self) -> Array:
        return -self.sizes

    def first_fitting(self, device: Array, limit: Array) -> Array:
        """For samples sorted by device, the first allocation that is no larger than a limit."""
        fitting = np.empty(len(device), np.int64)
        samples = group_offsets(device, len(self.counts)).tolist()
        offsets = self.size_offsets.tolist()
        for i, (first, last) in enumerate(itertools.pairwise(samples)):
            sizes = self._ascending[offsets[i] : offsets[i + 1]]
            fitting[first:last] = np.searchsorted(sizes, -limit[first:last])
        return fitting


@dataclass(frozen=True, slots=True)
class AcceleratorNodes:
    """The shown nodes of a report that ran on other devices than CPUs.

    `nodes` are sorted by device; those of `devices[i]` begin at `offsets[i]`. `index` is the index
    of each node of the profile among them, or -1, and `row` its row in the report.
    """

    report: Report
    executions: Executions
    devices: list[str]
    nodes: Array
    offsets: Array
    index: Array
    row: Array

    @property
    def step(self) -> int:
        """The index of the report's step in the profile."""
        return self.report.profile.steps.index(self.report.options.step)

    def filter(self, node: Array, mask: BoolArray) -> tuple[Array, Array]:
        """The rows of a mask whose node is one of these, and its index."""
        rows = np.flatnonzero(mask)
        index = self.index[node[rows]]
        shown = index >= 0
        return rows[shown], index[shown]


def accelerator_nodes(report: Report) -> AcceleratorNodes:
    """The shown nodes of a report on every device but CPUs, by name of the device."""
    executions = executions_of(report.profile, report.quirks)
    row = rows_of_nodes(report, executions)
    # In the order of nodes, as records mostly are, so that little is left to sort.
    shown = np.flatnonzero(row >= 0)
    device = executions.device[shown]
    used = np.flatnonzero(np.bincount(device, minlength=1)) if len(device) else device
    names = {report.profile.devices[i]: i for i in used.tolist()}
    devices = [name for name in sorted(names) if "cpu" not in name]
    number = np.full(len(report.profile.devices) + 1, -1, np.int64)
    number[[names[name] for name in devices]] = np.arange(len(devices))
    of_node = number[device]
    shown, of_node = shown[of_node >= 0], of_node[of_node >= 0]
    nodes = shown[argsort_small(of_node)]
    index = np.full(len(row), -1)
    index[nodes] = np.arange(len(nodes))
    offsets = group_offsets(of_node, len(devices))
    return AcceleratorNodes(report, executions, devices, nodes, offsets, index, row)


def allocation_history(
    accelerators: AcceleratorNodes, device: Array, time: Array
) -> tuple[AllocationHistory, Array]:
    """The allocations as of the samples of devices at times, and the node of each allocation."""
    node, sample, size = _changes(accelerators, device, time)
    positive = np.flatnonzero(size > 0)
    offsets = np.searchsorted(node[positive], accelerators.offsets)
    nodes = accelerators.nodes[node[positive]]
    by_size = positive[_order_by_size(accelerators, offsets, size[positive], nodes)]
    new = np.full(len(node), -1, np.int64)
    new[by_size] = np.arange(len(by_size)) - np.repeat(offsets[:-1], np.diff(offsets))
    old = np.full(len(node), -1, np.int64)
    old[1:] = np.where(node[1:] == node[:-1], new[:-1], -1)
    order = argsort_small(sample)
    history = AllocationHistory(
        sample[order],
        old[order],
        new[order],
        size[by_size],
        group_offsets(device, len(accelerators.devices)),
        offsets,
    )
    return history, accelerators.nodes[node[by_size]]


def _order_by_size(
    accelerators: AcceleratorNodes, offsets: Array, size: Array, nodes: Array
) -> Array:
    """The order by device, size from the largest on, and name."""
    distinct = pa.array(size).dictionary_encode()
    rank = np.empty(len(distinct.dictionary), np.int64)
    rank[np.argsort(-distinct.dictionary.to_numpy())] = np.arange(len(rank))
    device = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = argsort_small(name_rank(accelerators.report.profile)[nodes])
    groups = device * len(rank) + rank[distinct.indices.to_numpy()]
    return order[argsort_small(groups[order])]


def _changes(
    accelerators: AcceleratorNodes, device: Array, time: Array
) -> tuple[Array, Array, Array]:
    """Changes in what nodes have allocated: node, first sample that shows it, and new size.

    They are sorted by node and sample. Only the last change before a sample is among them.
    """
    executions = accelerators.executions
    in_step = executions.allocation_step == accelerators.step
    rows, index = accelerators.filter(executions.allocation_node, in_step)
    persistent = _persistent_bytes(accelerators)[accelerators.nodes]
    starts = np.flatnonzero(persistent)
    by_time = argsort_within(index, executions.allocation_micros[rows])
    rows = rows[by_time]
    node = np.concatenate([starts, index[by_time]])
    micros = np.concatenate([np.zeros(len(starts), np.int64), executions.allocation_micros[rows]])
    change = np.concatenate([persistent[starts], executions.allocation_bytes[rows]])
    # Persistent memory of a node comes before its other changes.
    by_node = argsort_small(node)
    node, micros, change = node[by_node], micros[by_node], change[by_node]
    running = np.cumsum(change)
    is_first = np.diff(node, prepend=-1) != 0
    size = running - (running - change)[is_first][np.cumsum(is_first) - 1]
    sample, end = _first_samples(accelerators, node, micros, device, time)
    is_last = np.ones(len(node), bool)
    is_last[:-1] = is_first[1:] | (np.diff(sample) != 0)
    rows = np.flatnonzero((sample < end) & is_last)
    return node[rows], sample[rows], size[rows]


def _first_samples(
    accelerators: AcceleratorNodes, node: Array, micros: Array, device: Array, time: Array
) -> tuple[Array, Array]:
    """The first sample after each change, by node, and the end of the samples of its device."""
    sample, end = np.empty(len(node), np.int64), np.empty(len(node), np.int64)
    samples = group_offsets(device, len(accelerators.devices))
    changes = np.searchsorted(node, accelerators.offsets)
    for i in range(len(accelerators.devices)):
        inside = slice(changes[i], changes[i + 1])
        times = time[samples[i] : samples[i + 1]]
        sample[inside] = samples[i] + np.searchsorted(times, micros[inside], side="right")
        end[inside] = samples[i + 1]
    return sample, end


def _persistent_bytes(accelerators: AcceleratorNodes) -> Array:
    """For each node of the profile its persistent accelerator memory, the largest of all steps."""
    executions, profile = accelerators.executions, accelerators.report.profile
    steps = max(len(profile.steps), 1)
    key = executions.memory_node.astype(np.int64) * steps + executions.memory_step
    keys, of_row = distinct_index(key, len(profile.nodes) * steps)
    sums = np.zeros(len(keys), np.int64)
    np.add.at(sums, of_row, executions.accelerator_persistent_bytes)
    # In a step without records a node has 0.
    node, count = keys // steps, len(profile.nodes)
    in_all_steps = np.bincount(node, minlength=count) == steps
    largest = np.where(in_all_steps, np.iinfo(np.int64).min, 0)
    np.maximum.at(largest, node, sums)
    return largest
