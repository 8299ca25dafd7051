"""The executions of a profile as ProfileProto fields: for each node an entry per step."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.outputs.node_labels import device_ranks
from tfprof.outputs.protobuf.protobuf_writer import (
    Fields,
    integer_fields,
    message_field,
    raw_fields,
    repeated_messages,
    string_field,
    varint_column,
)
from tfprof.profiles.executions import MEMORY_FIELDS, Executions
from tfprof.profiles.grouping import distinct, group_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.protos import columns_pb2

_EXEC = columns_pb2.Exec.DESCRIPTOR.fields_by_name
_MEMORY = columns_pb2.Memory.DESCRIPTOR.fields_by_name
_KEY, _VALUE = 1, 2  # of the entries of any map


def encode_executions(profile: Profile, runs: Executions, number: int) -> Fields:
    """For each node its steps with intervals, devices, schedulings and allocations."""
    steps = max(len(profile.steps), 1)
    spans = len(runs.execution_node)
    keys = runs.execution_node * steps + runs.execution_step

    def span_of(node: Array, step: Array) -> Array:
        return np.searchsorted(keys, node.astype(np.int64) * steps + step)

    span = span_of(runs.interval_node, runs.interval_step)
    seen = span_of(runs.record_node, runs.record_step)
    value = integer_fields({1: runs.execution_runs, 2: runs.execution_start, 3: runs.execution_end})
    value += _times(profile, runs, span, runs.interval_accelerator, "accelerator_execs", spans)
    value += _times(profile, runs, span, ~runs.interval_accelerator, "cpu_execs", spans)
    value += _devices(profile, seen, runs.record_device, spans)
    value += _schedulings(runs, span_of(runs.memory_node, runs.memory_step), spans)
    value += _allocations(runs, span_of(runs.allocation_node, runs.allocation_step), spans)
    step_ids = np.array([*profile.steps, 0], np.int64)[runs.execution_step]
    entry = integer_fields({_KEY: step_ids}) + message_field(_VALUE, value)
    return repeated_messages(number, entry, group_offsets(runs.execution_node, len(profile.nodes)))


def _devices(profile: Profile, span: Array, device: Array, spans: int) -> Fields:
    """The devices of each span, by name."""
    rank = device_ranks(profile)
    size = max(len(profile.devices), 1)
    keys = distinct(span * size + rank[device], spans * size)
    names = pa.array(sorted(profile.devices), pa.string())
    name = raw_fields(names, keys % size)
    return repeated_messages(_EXEC["devices"].number, name, group_offsets(keys // size, spans))


def _times(
    profile: Profile, runs: Executions, span: Array, kind: BoolArray, field: str, spans: int
) -> Fields:
    """For each span the intervals by device, in the order of the records."""
    rows = np.flatnonzero(kind)
    size = max(len(profile.devices), 1)
    key = span[rows] * size + device_ranks(profile)[runs.interval_device[rows]]
    order = np.argsort(key, kind="stable")
    rows, key = rows[order], key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    pair = varint_column(runs.interval_start[rows]) + varint_column(runs.interval_duration[rows])
    times = repeated_messages(1, message_field(1, pair), np.append(first, len(rows)))
    devices = pa.array(profile.devices, pa.string())
    entry = string_field(_KEY, devices, runs.interval_device[rows[first]]) + message_field(
        _VALUE, times
    )
    return repeated_messages(_EXEC[field].number, entry, group_offsets(key[first] // size, spans))


def _schedulings(runs: Executions, span: Array, spans: int) -> Fields:
    """For each span its rows of memory with their outputs; of a repeated slot the last stays."""
    key = runs.output_memory * (1 << 32) + runs.output_slot.astype(np.int64) % (1 << 32)
    rows = np.arange(len(key))
    if (np.diff(key) <= 0).any():
        rows = len(key) - 1 - np.unique(key[::-1], return_index=True)[1]
    slot = integer_fields(
        {1: runs.output_size[rows], 2: runs.output_pointer[rows].astype(np.uint64)}
    )
    entry = integer_fields({_KEY: runs.output_slot[rows]}) + message_field(_VALUE, slot)
    bounds = group_offsets(runs.output_memory[rows], len(runs.memory_node))
    outputs = repeated_messages(_MEMORY["output_memory"].number, entry, bounds)
    by_span = np.argsort(span, kind="stable")
    columns = {_MEMORY[name].number: getattr(runs, name)[by_span] for name in MEMORY_FIELDS}
    memory = integer_fields(columns) + outputs.take(by_span)
    return repeated_messages(
        _EXEC["memory_execs"].number, memory, group_offsets(span[by_span], spans)
    )


def _allocations(runs: Executions, span: Array, spans: int) -> Fields:
    """For each span its allocations and deallocations, in the order of the records."""
    order = np.argsort(span, kind="stable")
    allocations = integer_fields(
        {1: runs.allocation_micros[order], 2: runs.allocation_bytes[order]}
    )
    return repeated_messages(
        _EXEC["allocations"].number, allocations, group_offsets(span[order], spans)
    )
