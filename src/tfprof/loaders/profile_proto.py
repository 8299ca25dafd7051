"""ProfileProto, a whole profile in one file, to a profile."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.definitions.limits import MAX_SHAPE_GAPS
from tfprof.loaders.messages import MessageLike, malformed_error, read_message
from tfprof.loaders.op_log import stacks_of
from tfprof.loaders.wire import columns_of, is_present, numbers, parent_indices
from tfprof.profiles.add_rows import is_first_occurrence
from tfprof.profiles.executions import MEMORY_FIELDS
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import (
    ATTRS,
    MISSING,
    NO_DEVICE,
    SHAPE,
    SHAPES,
    Array,
    Edges,
    Nodes,
    ProfileProtoRuns,
)
from tfprof.profiles.string_columns import strings
from tfprof.protos import columns_pb2, log_pb2


def read_profile(source: MessageLike) -> Profile:
    """The profile in a file that the original or tfprof wrote."""
    message = read_message(source, log_pb2.ProfileProto, "profile")
    batch = columns_of(message, columns_pb2.Profile)
    entries = batch.column("nodes").flatten()
    ids = numbers(entries.field("key"))
    nodes = entries.field("value").take(pa.array(np.argsort(ids, kind="stable")))
    ids = np.sort(ids)
    unique = is_first_occurrence(nodes.field("name"))
    if not unique.all():
        nodes, ids = nodes.filter(pa.array(unique)), ids[unique]
    if len(ids) and not any(node.ByteSize() for node in message.nodes.values()):
        # Other messages read as a profile have entries, but nothing in them.
        raise malformed_error(source, log_pb2.ProfileProto, "profile")
    devices = _Devices()
    steps = tuple(sorted(set(message.steps)))
    texts = dict(sorted(message.id_to_string.items()))
    traces = nodes.field("trace")
    stack = np.where(is_present(traces), np.arange(len(nodes)), -1)
    types = nodes.field("op_types")
    saved_device = devices.codes(nodes.field("canonical_device"), none_if_empty=True)
    runs = _runs(nodes.field("execs"), devices, steps)
    return Profile(
        nodes=Nodes(
            nodes.field("name"),
            nodes.field("op"),
            np.ones(len(nodes), bool),
            nodes.field("attrs").cast(ATTRS),
            nodes.field("shape").cast(SHAPE),
            _output_shapes(nodes.field("output_shapes")),
            numbers(nodes.field("float_ops")),
            stack,
            saved_device,
        ),
        edges=_edges(nodes, ids),
        type_node=parent_indices(types, np.int32),
        type_name=types.flatten(),
        saved=(runs,),
        stacks=(stacks_of(traces.field("traces"), texts),),
        strings=texts,
        devices=tuple(devices.table),
        steps=steps,
        has_trace=message.has_trace,
        saved_missing_stream=message.miss_accelerator_stream,
    )


class _Devices:
    """A growing table of device names."""

    def __init__(self) -> None:
        self.table: dict[str, int] = {}

    def codes(self, names: pa.Array, *, none_if_empty: bool = False) -> Array:
        """The number of each name."""
        coded = names.dictionary_encode()
        numbers = [
            NO_DEVICE
            if none_if_empty and not name
            else self.table.setdefault(name, len(self.table))
            for name in coded.dictionary.to_pylist()
        ]
        return np.array([*numbers, 0], np.int32)[coded.indices.to_numpy()]


def _edges(nodes: pa.Array, ids: Array) -> Edges:
    inputs = nodes.field("inputs")
    consumer, flat = parent_indices(inputs), inputs.flatten()
    index, target = numbers(flat.field("key")), numbers(flat.field("value"))
    row = np.minimum(np.searchsorted(ids, target), max(len(ids) - 1, 0))
    has_producer = ids[row] == target if len(ids) else np.zeros(len(target), bool)
    consumer, index, target, row = (
        consumer[has_producer],
        index[has_producer],
        target[has_producer],
        row[has_producer],
    )
    by_producer = _lookup(nodes.field("src_output_index"))
    by_input = _lookup(nodes.field("input_outputs"))
    output = [
        by_input.get((c, i), by_producer.get((c, t), 0))
        for c, i, t in zip(consumer.tolist(), index.tolist(), target.tolist(), strict=True)
    ]
    # Inputs from nodes that the graph does not have.
    missing = [key for key, value in by_input.items() if value < 0]
    consumer = np.concatenate([consumer, np.array([c for c, _ in missing], np.int64)])
    index = np.concatenate([index, np.array([i for _, i in missing], np.int64)])
    producer = pa.concat_arrays(
        [nodes.field("name").take(pa.array(row)), strings([MISSING] * len(missing))]
    )
    order = np.lexsort((index, consumer))
    return Edges(
        consumer[order].astype(np.int32),
        index[order].astype(np.int32),
        producer.take(pa.array(order)),
        np.array([*output, *(0 for _ in missing)], np.int32)[order],
    )


def _lookup(lists: pa.Array) -> dict[tuple[int, int], int]:
    """The entries of maps, by row and key."""
    flat = lists.flatten()
    keys = zip(parent_indices(lists).tolist(), numbers(flat.field("key")).tolist(), strict=True)
    return dict(zip(keys, numbers(flat.field("value")).tolist(), strict=True))


def _output_shapes(maps: pa.Array) -> pa.Array:
    """Maps from output to dimensions as lists by output."""
    flat = maps.flatten()
    owner, key = parent_indices(maps), numbers(flat.field("key"))
    shapes = flat.field("value").field("int64_values").cast(SHAPE)
    offsets = list_offsets(maps)
    order = np.lexsort((key, owner))
    if np.array_equal(key[order], np.arange(len(key)) - offsets[:-1][owner]):
        ordered = shapes.take(pa.array(order))
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), ordered).cast(SHAPES)
    lists: list[list[list[int]]] = [[] for _ in range(len(maps))]
    gaps_left = MAX_SHAPE_GAPS
    for row, output, shape in zip(owner.tolist(), key.tolist(), shapes.to_pylist(), strict=True):
        gap = max(output - len(lists[row]), 0)
        if output >= 0 and gap <= gaps_left:
            gaps_left -= gap
            lists[row] += [[]] * (output + 1 - len(lists[row]))
            lists[row][output] = shape
    return pa.array(lists, SHAPES)


def _runs(lists: pa.Array, devices: _Devices, steps: tuple[int, ...]) -> ProfileProtoRuns:
    entries = lists.flatten()
    node, step = parent_indices(lists), numbers(entries.field("key"))
    execs = entries.field("value")
    has_step = np.isin(step, np.array(steps, np.int64))
    if not has_step.all():
        keep = pa.array(has_step)
        execs, node, step = execs.filter(keep), node[has_step], step[has_step]
    accelerator = _intervals(execs.field("accelerator_execs"), devices)
    cpu = _intervals(execs.field("cpu_execs"), devices)
    execution, device, begin, duration = (
        np.concatenate(pair) for pair in zip(accelerator, cpu, strict=True)
    )
    start = numbers(execs.field("all_start_micros"))
    record_devices = execs.field("devices")
    memory = execs.field("memory_execs")
    allocations = execs.field("allocations")
    allocation_execution, records = parent_indices(allocations), allocations.flatten()
    memory_execution, memories = parent_indices(memory), memory.flatten()
    outputs = memories.field("output_memory")
    slots = outputs.flatten()
    columns = [numbers(memories.field(name)) for name in MEMORY_FIELDS]
    return ProfileProtoRuns(
        execution_node=node,
        execution_step=step,
        execution_runs=numbers(execs.field("run_count")),
        # 0 means that it did not start.
        execution_start=np.where(start == 0, np.iinfo(np.int64).max, start),
        execution_end=numbers(execs.field("latest_end_micros")),
        interval_node=node[execution],
        interval_step=step[execution],
        interval_device=device,
        interval_start=begin,
        interval_duration=duration,
        interval_accelerator=np.arange(len(execution)) < len(accelerator[0]),
        record_execution=parent_indices(record_devices),
        record_device=devices.codes(record_devices.flatten()),
        memory_node=node[memory_execution],
        memory_step=step[memory_execution],
        memory=np.stack(columns, axis=1).reshape(-1, len(MEMORY_FIELDS)),
        allocation_node=node[allocation_execution],
        allocation_step=step[allocation_execution],
        allocation_micros=numbers(records.field("alloc_micros")),
        allocation_bytes=numbers(records.field("alloc_bytes")),
        output_memory=parent_indices(outputs),
        output_slot=numbers(slots.field("key")),
        output_size=numbers(slots.field("value").field("bytes")),
        output_pointer=numbers(slots.field("value").field("ptr")),
    )


def _intervals(maps: pa.Array, devices: _Devices) -> tuple[Array, Array, Array, Array]:
    """Execution, device, start and duration of each interval."""
    entries = maps.flatten()
    execution, device = parent_indices(maps), devices.codes(entries.field("key"))
    lists = entries.field("value").field("times")
    entry, pairs = parent_indices(lists), lists.flatten().field("int64_values")
    offsets, values = list_offsets(pairs), pairs.flatten().to_numpy()
    is_pair = np.diff(offsets) >= 2
    first, entry = offsets[:-1][is_pair], entry[is_pair]
    return execution[entry], device[entry], values[first], values[first + 1]
