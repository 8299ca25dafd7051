"""A profile as the bytes of a ProfileProto, which the original reads as well."""

from __future__ import annotations

import functools
import operator
import re

import numpy as np
import pyarrow as pa

from tfprof.definitions.integers import INT64_MAX
from tfprof.definitions.quirks import Quirks
from tfprof.flops.flop_columns import without_symbols
from tfprof.flops.node_flops import node_flops
from tfprof.outputs.node_labels import check_labels
from tfprof.outputs.protobuf.profile_executions import encode_executions
from tfprof.outputs.protobuf.profile_traces import encode_traces
from tfprof.outputs.protobuf.protobuf_writer import (
    Fields,
    field_numbers,
    integer_fields,
    message_field,
    packed_field,
    raw_fields,
    repeated_messages,
    string_field,
)
from tfprof.profiles.executions import Executions, executions_of
from tfprof.profiles.grouping import group_offsets, list_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.protos import columns_pb2
from tfprof.reports.account import type_lists
from tfprof.resolve import resolve
from tfprof.resolve.replaced_nodes import executed_nodes
from tfprof.views.graph import producers

_GPU = re.compile(r"gpu:\d+", re.ASCII)
_NODE = field_numbers(columns_pb2.ProfileNode)
_PROFILE = field_numbers(columns_pb2.Profile)
_INTEGERS = field_numbers(columns_pb2.Integers)["int64_values"]
_KEY, _VALUE = 1, 2  # of the entries of any map


def serialize_profile(profile: Profile, quirks: Quirks) -> bytes:
    """The ProfileProto of a profile."""
    profile = resolve(profile, quirks)
    executions = executions_of(profile, quirks)
    stacks, names = encode_traces(profile, quirks)
    rows = np.flatnonzero(executions.exists)
    node = message_field(_VALUE, _nodes(profile, executions, rows, stacks, quirks))
    entries = message_field(_PROFILE["nodes"], integer_fields({_KEY: np.arange(len(rows))}) + node)
    rest = columns_pb2.Profile(
        has_trace=profile.has_trace,
        steps=profile.steps,
        id_to_string=[columns_pb2.Name(key=key, value=names[key]) for key in sorted(names)],
        miss_accelerator_stream=profile.misses_stream(quirks),
    )
    return entries.to_bytes(rest.SerializeToString())


def _nodes(
    profile: Profile, executions: Executions, rows: Array, stacks: pa.Array, quirks: Quirks
) -> Fields:
    """The fields of some nodes, in the order of field numbers."""
    nodes = profile.nodes
    # First, as it takes most memory.
    execs = encode_executions(profile, executions, _NODE["execs"])
    new_id = np.cumsum(executions.exists) - 1
    inputs, sources, outputs = _inputs(profile, new_id, executions, quirks)
    stack = nodes.stack[rows]
    trace = raw_fields(stacks, np.where(stack < 0, len(stacks) - 1, stack))
    node: dict[str, Fields] = {
        "name": string_field(_NODE["name"], nodes.name, rows),
        "inputs": inputs.take(rows),
        "shape": _packed_shapes(nodes.shape, _NODE["shape"]).take(rows),
        "op_types": _op_types(profile, quirks).take(rows),
        **_devices(profile, executions, rows),
        "float_ops": integer_fields(
            {_NODE["float_ops"]: _float_ops(profile, executions, quirks)[rows]}
        ),
        "op": string_field(_NODE["op"], nodes.op, rows),
        "trace": message_field(_NODE["trace"], trace, stack >= 0),
        "attrs": _attrs(nodes.attrs).take(rows),
        "execs": execs.take(rows),
        "id": integer_fields({_NODE["id"]: np.arange(len(rows))}),
        "src_output_index": sources.take(rows),
        "output_shapes": _output_shapes(nodes.output_shapes).take(rows),
        "input_outputs": outputs.take(rows),
    }
    return functools.reduce(operator.add, (node[field] for field in _NODE))


def _float_ops(profile: Profile, executions: Executions, quirks: Quirks) -> Array:
    """The float operations of one execution, or if nothing ran, of all that the graph shows."""
    flops = node_flops(profile, quirks)
    value = flops.float_ops
    ran = np.zeros(len(value), bool)
    ran[executions.execution_node] = True
    if ran.any() and not quirks.unexecuted_float_ops:
        value = np.where(executed_nodes(profile, ran), value, 0)
    if not ran.any() and (flops.executions != 1).any():
        value = value.astype(object) * flops.executions
    return np.clip(without_symbols(value, batch=1), -INT64_MAX - 1, INT64_MAX).astype(np.int64)


def _devices(profile: Profile, executions: Executions, rows: Array) -> dict[str, Fields]:
    """The device that each node was placed on, and the host of it."""
    device = np.where(executions.device < 0, len(profile.devices), executions.device)[rows]
    own = [*profile.devices, ""]
    check_labels(own, device, "devices of nodes")
    hosts = [_GPU.sub("cpu:0", name) for name in own]
    return {
        field: string_field(_NODE[field], pa.array(names, pa.string()), device)
        for field, names in (("canonical_device", own), ("host_device", hosts))
    }


def _op_types(profile: Profile, quirks: Quirks) -> Fields:
    start, position, names = type_lists(profile, quirks)
    return repeated_messages(
        _NODE["op_types"], raw_fields(pa.array(names, pa.string()), position), start
    )


def _attrs(attrs: pa.Array) -> Fields:
    flat = attrs.flatten()
    keys = flat.field("key").dictionary_encode()
    entry = string_field(_KEY, keys.dictionary, keys.indices.to_numpy())
    entry += string_field(_VALUE, flat.field("value"))
    return repeated_messages(_NODE["attrs"], entry, list_offsets(attrs))


def _packed_shapes(shapes: pa.Array, number: int) -> Fields:
    return packed_field(number, shapes.flatten().to_numpy(), list_offsets(shapes))


def _output_shapes(outputs: pa.Array) -> Fields:
    """For each node the entries of its outputs' shapes."""
    offsets, shapes = list_offsets(outputs), outputs.flatten()
    slot = np.arange(len(shapes)) - np.repeat(offsets[:-1], np.diff(offsets))
    entry = integer_fields({_KEY: slot}) + message_field(_VALUE, _packed_shapes(shapes, _INTEGERS))
    return repeated_messages(_NODE["output_shapes"], entry, offsets)


def _pairs(field: str, owner: Array, keys: Array, values: Array, count: int) -> Fields:
    """For each of `count` owners the entries of a map; owners are in order."""
    offsets = group_offsets(owner, count)
    return repeated_messages(_NODE[field], integer_fields({_KEY: keys, _VALUE: values}), offsets)


def _inputs(
    profile: Profile, new_id: Array, executions: Executions, quirks: Quirks
) -> tuple[Fields, Fields, Fields]:
    """For each node its inputs, the output index of each producer, and that of each input."""
    edges = profile.edges
    count = len(profile.nodes)
    producer = producers(profile)
    known = producer >= 0
    known[known] = executions.exists[producer[known]]
    lost_consumer, lost_index = edges.consumer[~known], edges.index[~known]
    consumer, producer = edges.consumer[known].astype(np.int64), producer[known]
    index = edges.index[known]
    output = np.zeros_like(edges.output[known])
    if not quirks.first_output_only:
        output = np.maximum(edges.output[known], 0)
    # One entry for each producer: of several outputs the last one stays.
    keys = consumer * max(count, 1) + producer
    distinct, last = np.unique(keys[::-1], return_index=True)
    rows = len(keys) - 1 - last
    odd = np.flatnonzero(output != output[rows][np.searchsorted(distinct, keys)])
    owner = np.concatenate([consumer[odd], lost_consumer])
    key = np.concatenate([index[odd], lost_index])
    value = np.concatenate([output[odd], np.full(len(lost_index), -1, np.int32)])
    order = np.lexsort((key, owner))
    if quirks.first_output_only:
        order = order[:0]
    return (
        _pairs("inputs", consumer, index, new_id[producer], count),
        _pairs("src_output_index", consumer[rows], new_id[producer[rows]], output[rows], count),
        _pairs("input_outputs", owner[order], key[order], value[order], count),
    )
