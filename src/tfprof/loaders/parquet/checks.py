"""Checks of the tables of a profile: types of columns, and indices of nodes, devices and rows.

Files may come from anywhere, and the rest of tfprof relies on what is checked here.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa
from google.protobuf.message import DecodeError

from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import (
    ATTRS,
    CONTROL,
    SHAPE,
    SHAPES,
    Array,
    LogEntries,
    ProfileProtoRuns,
    Records,
)
from tfprof.protos.graph_pb2 import AttrValue, TensorShapeProto

_TYPES = {"attrs": ATTRS, "shape": SHAPE, "output_shapes": SHAPES}
_DICTIONARIES = {
    "names": pa.string(),
    "allocation_allocator": pa.string(),
    "output_shape": pa.binary(),
}
_OPTIONAL = ("output_shape",)
"""Columns whose values may be null."""
_UNSIGNED = ("output_pointer",)
_DEVICES = ("device", "interval_device", "record_device")
_NODES = ("node", "execution_node", "interval_node", "memory_node", "allocation_node", "label_node")


def find_fault(profile: Profile) -> str:
    """What is wrong with a profile that was read from tables, or nothing.

    Raises ArrowInvalid where a column is malformed in itself.
    """
    parts: list[Any] = [
        profile.nodes,
        profile.edges,
        *profile.records,
        *profile.saved,
        *profile.stacks,
        profile.unmatched,
        profile.saved_flops,
    ]
    for part in parts:
        for item in fields(part):
            if not _has_type(item, getattr(part, item.name)):
                return f"the column '{item.name}' is not of the right type"
    profile.type_name.validate(full=True)
    has_names = profile.type_name.type == pa.string() and _has_no_nulls(profile.type_name)
    if not (_is_integer(profile.type_node) and has_names):
        return "the types are not of the right type"
    try:
        _parse_messages(profile)
    except DecodeError:
        return "an attribute or a shape is malformed"
    return "" if _is_consistent(profile) else "the tables do not fit together"


def _has_type(item: Any, value: Any) -> bool:
    if item.type == "BoolArray":
        return bool(value.dtype == np.bool_)
    if item.type == "Array":
        return _is_integer(value) or (item.name in _UNSIGNED and value.dtype == np.uint64)
    if item.type != "pa.Array":
        return True
    value.validate(full=True)  # that texts are UTF-8, for one
    if item.name in _DICTIONARIES:
        kind = _DICTIONARIES[item.name]
        if not (pa.types.is_dictionary(value.type) and value.type.value_type == kind):
            return False
        return item.name in _OPTIONAL or value.null_count + value.dictionary.null_count == 0
    return value.type == _TYPES.get(item.name, pa.string()) and _has_no_nulls(value)


def _is_integer(value: Array) -> bool:
    """Whether numbers are of a type that sums and differences of them fit into."""
    return value.dtype in (np.int32, np.int64)


def _has_no_nulls(column: pa.Array) -> bool:
    """Whether no value is null, at any depth of lists."""
    if column.null_count:
        return False
    if pa.types.is_list(column.type):
        return _has_no_nulls(column.flatten())
    if pa.types.is_struct(column.type):
        return all(_has_no_nulls(part) for part in column.flatten())
    return True


def _parse_messages(profile: Profile) -> None:
    for value in profile.nodes.attrs.flatten().field("value").unique().to_pylist():
        AttrValue.FromString(value)
    for records in profile.records:
        for value in filter(None, records.output_shape.dictionary.to_pylist()):
            TensorShapeProto.FromString(value)


def _is_consistent(profile: Profile) -> bool:
    nodes, devices = len(profile.nodes), len(profile.devices)
    frames = sum(len(stacks) for stacks in profile.stacks)
    steps = np.array(profile.steps, np.int64)
    checks = [
        bool((np.diff(steps) > 0).all()),
        _is_within(profile.nodes.stack, -1, frames),
        _is_within(profile.nodes.saved_device, -1, devices),
        _is_within(profile.edges.consumer, 0, nodes) and _is_sorted(profile.edges.consumer),
        _is_within(profile.edges.output, CONTROL, 2**31),
        _is_within(profile.edges.index, 0, 2**31),
        _is_within(profile.type_node, 0, nodes),
        *(_entries_fit(entries, frames) for entries in (profile.unmatched, profile.saved_flops)),
        *(_part_fits(part, nodes, devices, steps) for part in profile.records),
        *(_part_fits(part, nodes, devices, steps) for part in profile.saved),
        *(part.step in profile.steps and _records_fit(part) for part in profile.records),
        *(_saved_fit(part) for part in profile.saved),
        *(_is_sorted(part.start) and part.start[-1] == len(part.line) for part in profile.stacks),
    ]
    return all(checks)


def _part_fits(part: Records | ProfileProtoRuns, nodes: int, devices: int, steps: Array) -> bool:
    for item in fields(part):
        value = getattr(part, item.name)
        if item.name in _NODES and not _is_within(value, 0, nodes):
            return False
        if item.name in _DEVICES and not _is_within(value, 0, devices):
            return False
        if item.name.endswith("_step") and not np.isin(value, steps).all():
            return False
    return True


def _records_fit(part: Records) -> bool:
    owners = (part.allocation_record, part.output_record)
    nanos = (part.nanos_start, part.nanos_elapsed, part.nanos_self, part.nanos_thread)
    if len({*map(len, nanos)} - {0, len(part)}) or not all(_is_within(n, 0, 2**62) for n in nanos):
        return False
    return all(_is_within(owner, 0, len(part)) and _is_sorted(owner) for owner in owners)


def _entries_fit(entries: LogEntries, frames: int) -> bool:
    return _is_within(entries.stack, -1, frames) and _is_within(
        entries.type_entry, 0, len(entries.name)
    )


def _saved_fit(part: ProfileProtoRuns) -> bool:
    has_executions = _is_within(part.record_execution, 0, len(part.execution_node))
    return has_executions and _is_within(part.output_memory, 0, len(part.memory))


def _is_within(values: Array, start: int, end: int) -> bool:
    return not len(values) or (int(values.min()) >= start and int(values.max()) < end)


def _is_sorted(values: Array) -> bool:
    return bool((np.diff(values.astype(np.int64)) >= 0).all())
