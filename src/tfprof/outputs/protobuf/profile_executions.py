"""The executions of a profile as ProfileProto fields: for each node an entry per step."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.outputs.node_labels import check_labels, device_ranks
from tfprof.outputs.protobuf.protobuf_writer import (
    Fields,
    field_numbers,
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

_EXEC = field_numbers(columns_pb2.Exec)
_TIMES = field_numbers(columns_pb2.Times)
_INTEGERS = field_numbers(columns_pb2.Integers)
_MEMORY = field_numbers(columns_pb2.Memory)
_SLOT = field_numbers(columns_pb2.Slot)
_ALLOCATION = field_numbers(columns_pb2.Allocation)
_KEY, _VALUE = 1, 2  # of the entries of any map


def encode_executions(profile: Profile, executions: Executions, number: int) -> Fields:
    """For each node its steps with intervals, devices, memory and allocations."""
    steps = max(len(profile.steps), 1)
    count = len(executions.execution_node)
    keys = executions.execution_node * steps + executions.execution_step

    def find(kind: str) -> Array:
        """The execution that each row of the columns `kind_*` belongs to."""
        node, step = (getattr(executions, f"{kind}_{name}") for name in ("node", "step"))
        return np.searchsorted(keys, node.astype(np.int64) * steps + step)

    interval, accelerator = find("interval"), executions.interval_accelerator
    value = integer_fields(
        {
            _EXEC["run_count"]: executions.execution_runs,
            _EXEC["all_start_micros"]: executions.execution_start,
            _EXEC["latest_end_micros"]: executions.execution_end,
        }
    )
    value += _intervals(profile, executions, interval, accelerator, "accelerator_execs")
    value += _intervals(profile, executions, interval, ~accelerator, "cpu_execs")
    value += _devices(profile, find("record"), executions.record_device, count)
    value += _memory(executions, find("memory"), count)
    value += _allocations(executions, find("allocation"), count)
    step_ids = np.array([*profile.steps, 0], np.int64)[executions.execution_step]
    entry = integer_fields({_KEY: step_ids}) + message_field(_VALUE, value)
    offsets = group_offsets(executions.execution_node, len(profile.nodes))
    return repeated_messages(number, entry, offsets)


def _devices(profile: Profile, execution: Array, device: Array, count: int) -> Fields:
    """The devices of each execution, by name."""
    rank = device_ranks(profile)
    size = max(len(profile.devices), 1)
    keys = distinct(execution * size + rank[device], count * size)
    devices = sorted(profile.devices)
    check_labels(devices, keys % size, "devices of executions")
    names = pa.array(devices, pa.string())
    name = raw_fields(names, keys % size)
    return repeated_messages(_EXEC["devices"], name, group_offsets(keys // size, count))


def _intervals(
    profile: Profile, executions: Executions, execution: Array, mask: BoolArray, field: str
) -> Fields:
    """For each execution the intervals of a mask by device, in the order of the records."""
    rows = np.flatnonzero(mask)
    size = max(len(profile.devices), 1)
    key = execution[rows] * size + device_ranks(profile)[executions.interval_device[rows]]
    order = np.argsort(key, kind="stable")
    rows, key = rows[order], key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    pair = varint_column(executions.interval_start[rows])
    pair += varint_column(executions.interval_duration[rows])
    time = message_field(_INTEGERS["int64_values"], pair)
    times = repeated_messages(_TIMES["times"], time, np.append(first, len(rows)))
    device = executions.interval_device[rows[first]]
    check_labels(profile.devices, device, "devices of executions")
    entry = string_field(_KEY, pa.array(profile.devices, pa.string()), device)
    entry += message_field(_VALUE, times)
    offsets = group_offsets(key[first] // size, len(executions.execution_node))
    return repeated_messages(_EXEC[field], entry, offsets)


def _memory(executions: Executions, execution: Array, count: int) -> Fields:
    """For each execution its rows of memory with outputs; of a repeated slot the last stays."""
    slot = executions.output_slot
    key = executions.output_memory * (1 << 32) + slot.astype(np.int64) % (1 << 32)
    rows = np.arange(len(key))
    if (np.diff(key) <= 0).any():
        rows = len(key) - 1 - np.unique(key[::-1], return_index=True)[1]
    sizes, pointers = executions.output_size[rows], executions.output_pointer[rows]
    output = integer_fields({_SLOT["bytes"]: sizes, _SLOT["ptr"]: pointers.astype(np.uint64)})
    entry = integer_fields({_KEY: slot[rows]})
    entry += message_field(_VALUE, output)
    offsets = group_offsets(executions.output_memory[rows], len(executions.memory_node))
    outputs = repeated_messages(_MEMORY["output_memory"], entry, offsets)
    order = np.argsort(execution, kind="stable")
    columns = {_MEMORY[name]: getattr(executions, name)[order] for name in MEMORY_FIELDS}
    memory = integer_fields(columns) + outputs.take(order)
    return repeated_messages(_EXEC["memory_execs"], memory, group_offsets(execution[order], count))


def _allocations(executions: Executions, execution: Array, count: int) -> Fields:
    """For each execution its allocations and deallocations, in the order of the records."""
    order = np.argsort(execution, kind="stable")
    micros, sizes = executions.allocation_micros[order], executions.allocation_bytes[order]
    fields = {_ALLOCATION["alloc_micros"]: micros, _ALLOCATION["alloc_bytes"]: sizes}
    offsets = group_offsets(execution[order], count)
    return repeated_messages(_EXEC["allocations"], integer_fields(fields), offsets)
