"""The runs of a profile as they are saved: for each node an entry per step."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.outputs.protobuf.protobuf_writer import (
    Fields,
    fields,
    listed,
    nested,
    numbers,
    strings,
    varints,
)
from tfprof.profiles.executions import MEMORY_FIELDS, Executions
from tfprof.profiles.grouping import distinct, group_offsets, rank_strings
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.protos import columns_pb2

__all__ = ["exec_entries"]

_EXEC = columns_pb2.Exec.DESCRIPTOR.fields_by_name
_MEMORY = columns_pb2.Memory.DESCRIPTOR.fields_by_name
_KEY, _VALUE = 1, 2  # of the entries of any map


def exec_entries(profile: Profile, runs: Executions, number: int) -> Fields:
    """For each node its steps with intervals, devices, schedulings and allocations."""
    steps = max(len(profile.steps), 1)
    spans = len(runs.execution_node)
    keys = runs.execution_node * steps + runs.execution_step

    def span_of(node: Array, step: Array) -> Array:
        return np.searchsorted(keys, node.astype(np.int64) * steps + step)

    span = span_of(runs.interval_node, runs.interval_step)
    seen = span_of(runs.record_node, runs.record_step)
    value = numbers({1: runs.execution_runs, 2: runs.execution_start, 3: runs.execution_end})
    value += _times(profile, runs, span, runs.interval_accelerator, "accelerator_execs", spans)
    value += _times(profile, runs, span, ~runs.interval_accelerator, "cpu_execs", spans)
    value += _devices(profile, seen, runs.record_device, spans)
    value += _schedulings(runs, span_of(runs.memory_node, runs.memory_step), spans)
    value += _allocations(runs, span_of(runs.allocation_node, runs.allocation_step), spans)
    step_ids = np.array([*profile.steps, 0], np.int64)[runs.execution_step]
    entry = numbers({_KEY: step_ids}) + nested(_VALUE, value)
    return listed(number, entry, group_offsets(runs.execution_node, len(profile.nodes)))


def _devices(profile: Profile, span: Array, device: Array, spans: int) -> Fields:
    """The devices of each span, by name."""
    rank = rank_strings(pa.array(profile.devices, pa.string()))
    size = max(len(profile.devices), 1)
    keys = distinct(span * size + rank[device], spans * size)
    names = pa.array(sorted(profile.devices), pa.string())
    named = fields(names, keys % size)
    return listed(_EXEC["devices"].number, named, group_offsets(keys // size, spans))


def _times(
    profile: Profile, runs: Executions, span: Array, kind: BoolArray, field: str, spans: int
) -> Fields:
    """For each span the intervals by device, in the order of the records."""
    rows = np.flatnonzero(kind)
    size = max(len(profile.devices), 1)
    key = (
        span[rows] * size
        + rank_strings(pa.array(profile.devices, pa.string()))[runs.interval_device[rows]]
    )
    order = np.argsort(key, kind="stable")
    rows, key = rows[order], key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    pair = varints(runs.interval_start[rows]) + varints(runs.interval_duration[rows])
    times = listed(1, nested(1, pair), np.append(first, len(rows)))
    devices = pa.array(profile.devices, pa.string())
    entry = strings(_KEY, devices, runs.interval_device[rows[first]]) + nested(_VALUE, times)
    return listed(_EXEC[field].number, entry, group_offsets(key[first] // size, spans))


def _schedulings(runs: Executions, span: Array, spans: int) -> Fields:
    """For each span its rows of memory with their outputs; of a repeated slot the last stays."""
    key = runs.output_memory * (1 << 32) + runs.output_slot.astype(np.int64) % (1 << 32)
    at = np.arange(len(key))
    if (np.diff(key) <= 0).any():
        at = len(key) - 1 - np.unique(key[::-1], return_index=True)[1]
    slot = numbers({1: runs.output_size[at], 2: runs.output_pointer[at].astype(np.uint64)})
    entry = numbers({_KEY: runs.output_slot[at]}) + nested(_VALUE, slot)
    bounds = group_offsets(runs.output_memory[at], len(runs.memory_node))
    outputs = listed(_MEMORY["output_memory"].number, entry, bounds)
    by_span = np.argsort(span, kind="stable")
    columns = {_MEMORY[name].number: getattr(runs, name)[by_span] for name in MEMORY_FIELDS}
    found = numbers(columns) + outputs.of(by_span)
    return listed(_EXEC["memory_execs"].number, found, group_offsets(span[by_span], spans))


def _allocations(runs: Executions, span: Array, spans: int) -> Fields:
    """For each span what was taken and given back, in the order of the records."""
    order = np.argsort(span, kind="stable")
    found = numbers({1: runs.allocation_micros[order], 2: runs.allocation_bytes[order]})
    return listed(_EXEC["allocations"].number, found, group_offsets(span[order], spans))
