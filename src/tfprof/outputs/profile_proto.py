"""A profile as the bytes of a ProfileProto, which the original reads as well."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.account import type_lists
from tfprof.loaders.wire import encode, schema_of
from tfprof.profiles.columns import Ints, Stacks, starts
from tfprof.profiles.profile import Profile, ids_of
from tfprof.profiles.runs import MEMORY_FIELDS, Runs, runs_of
from tfprof.protos import columns_pb2
from tfprof.quirks import Quirks
from tfprof.seen import seen

__all__ = ["serialized"]

_GPU = re.compile(r"gpu:\d+", re.ASCII)


def serialized(profile: Profile, quirks: Quirks) -> bytes:
    """The ProfileProto of a profile."""
    profile = seen(profile, quirks)
    runs = runs_of(profile, quirks)
    rows = np.flatnonzero(runs.exists)
    new_id = np.cumsum(runs.exists) - 1
    traces, strings = _traces(profile, rows, quirks)
    nodes = _nodes(profile, runs, rows, new_id, traces, quirks)
    entries = pa.StructArray.from_arrays([pa.array(np.arange(len(rows))), nodes], ["key", "value"])
    names = [{"key": key, "value": text} for key, text in sorted(strings.items())]
    columns = {
        "nodes": _lists(np.array([0, len(rows)]), entries),
        "has_trace": pa.array([profile.has_trace]),
        "steps": pa.array([list(profile.steps)], pa.list_(pa.int64())),
        "id_to_string": pa.array(
            [names], pa.list_(pa.struct([("key", pa.int64()), ("value", pa.string())]))
        ),
        "miss_accelerator_stream": pa.array([_missing_stream(profile, quirks)]),
    }
    schema = schema_of(columns_pb2.Profile)
    arrays = [columns[item.name].cast(item.type) for item in schema]
    return encode(pa.RecordBatch.from_arrays(arrays, schema=schema), columns_pb2.Profile)


def _missing_stream(profile: Profile, quirks: Quirks) -> bool:
    saved = profile.saved_missing_stream and not quirks.warning_lost_on_load
    return profile.missing_stream or saved


def _lists(at: Ints, values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(at, pa.int32()), values)


def _struct(**columns: Any) -> pa.Array:
    arrays = [c if isinstance(c, pa.Array) else pa.array(c) for c in columns.values()]
    return pa.StructArray.from_arrays(arrays, list(columns))


def _bounds(owner: Ints, count: int) -> Ints:
    """Where the elements of each owner start, for sorted owners."""
    return np.searchsorted(owner, np.arange(count + 1))


def _nodes(
    profile: Profile, runs: Runs, rows: Ints, new_id: Ints, traces: pa.Array, quirks: Quirks
) -> pa.Array:
    nodes = profile.nodes
    count = len(nodes)
    devices = [*profile.devices, ""]
    hosts = [_GPU.sub("cpu:0", device) for device in devices]
    start, position, names = type_lists(profile, quirks)
    types = pa.array(names, pa.string()).take(pa.array(position))
    inputs, sources, outputs = _inputs(profile, new_id, runs, quirks)
    device = pa.array(np.where(runs.device < 0, len(devices) - 1, runs.device))
    picked = pa.array(rows)
    shapes = nodes.output_shapes
    at = starts(shapes)
    slots = np.arange(at[-1]) - np.repeat(at[:-1], np.diff(at))
    flat_shapes = _struct(int64_values=shapes.flatten())
    columns = {
        "name": nodes.name,
        "inputs": inputs,
        "shape": nodes.shape,
        "op_types": _lists(start, types),
        "canonical_device": pa.array(devices, pa.string()).take(device),
        "host_device": pa.array(hosts, pa.string()).take(device),
        "float_ops": pa.array(nodes.float_ops),
        "op": nodes.op,
    }
    after = {
        "attrs": nodes.attrs,
        "execs": _execs(profile, runs),
        "id": pa.array(np.arange(count)),
        "src_output_index": sources,
        "output_shapes": _lists(at, _struct(key=slots.astype(np.int32), value=flat_shapes)),
        "input_outputs": outputs,
    }
    everything = len(rows) == count

    def pick(column: pa.Array) -> pa.Array:
        return column if everything else column.take(picked)

    fields = {
        **{name: pick(column) for name, column in columns.items()},
        "trace": traces,
        **{name: pick(column) for name, column in after.items()},
    }
    fields["id"] = pa.array(np.arange(len(rows)))
    return pa.StructArray.from_arrays(list(fields.values()), list(fields))


def _inputs(
    profile: Profile, new_id: Ints, runs: Runs, quirks: Quirks
) -> tuple[pa.Array, pa.Array, pa.Array]:
    """For each node its inputs, the output index of each producer, and that of each input."""
    edges = profile.edges
    count = len(profile.nodes)
    producer = ids_of(edges.producer, profile.nodes.name)
    known = producer >= 0
    known[known] = runs.exists[producer[known]]
    lost_consumer, lost_index = edges.consumer[~known], edges.index[~known]
    consumer, producer = edges.consumer[known].astype(np.int64), producer[known]
    index = edges.index[known]
    output = np.zeros_like(edges.output[known])
    if not quirks.first_output_only:
        output = edges.output[known]
    inputs = _lists(_bounds(consumer, count), _struct(key=index, value=new_id[producer]))
    # One entry a producer: of several outputs the last one stays.
    keys = consumer * max(count, 1) + producer
    distinct, last = np.unique(keys[::-1], return_index=True)
    at = len(keys) - 1 - last
    sources = _lists(
        _bounds(consumer[at], count), _struct(key=new_id[producer[at]], value=output[at])
    )
    odd = np.flatnonzero(output != output[at][np.searchsorted(distinct, keys)])
    owner = np.concatenate([consumer[odd], lost_consumer])
    key = np.concatenate([index[odd], lost_index])
    value = np.concatenate([output[odd], np.full(len(lost_index), -1, np.int32)])
    order = np.lexsort((key, owner))
    if quirks.first_output_only:
        order = order[:0]
    own = _lists(_bounds(owner[order], count), _struct(key=key[order], value=value[order]))
    return inputs, sources, own


def _execs(profile: Profile, runs: Runs) -> pa.Array:
    """For each node its steps with intervals, devices, schedulings and allocations."""
    steps = max(len(profile.steps), 1)
    spans = len(runs.span_node)
    key = runs.span_node * steps + runs.span_step

    def span_of(node: Ints, step: Ints) -> Ints:
        return np.searchsorted(key, node.astype(np.int64) * steps + step)

    seen = _distinct_devices(profile, span_of(runs.seen_node, runs.seen_step), runs.seen_device)
    span = span_of(runs.time_node, runs.time_step)
    memory_span = span_of(runs.memory_node, runs.memory_step)
    by_span = np.argsort(memory_span, kind="stable")
    allocation_span = span_of(runs.allocation_node, runs.allocation_step)
    in_order = np.argsort(allocation_span, kind="stable")
    memory = _schedulings(runs).take(pa.array(by_span))
    allocations = _struct(
        alloc_micros=runs.allocation_micros[in_order], alloc_bytes=runs.allocation_bytes[in_order]
    )
    value = _struct(
        run_count=runs.span_runs,
        all_start_micros=runs.span_start,
        latest_end_micros=runs.span_end,
        accelerator_execs=_times(profile, runs, span, runs.time_accelerator, spans),
        cpu_execs=_times(profile, runs, span, ~runs.time_accelerator, spans),
        devices=_lists(
            _bounds(seen[0], spans), pa.array(profile.devices, pa.string()).take(pa.array(seen[1]))
        ),
        memory_execs=_lists(_bounds(memory_span[by_span], spans), memory),
        allocations=_lists(_bounds(allocation_span[in_order], spans), allocations),
    )
    step_ids = np.array([*profile.steps, 0], np.int64)[runs.span_step]
    return _lists(_bounds(runs.span_node, len(profile.nodes)), _struct(key=step_ids, value=value))


def _device_ranks(profile: Profile) -> Ints:
    order = sorted(range(len(profile.devices)), key=profile.devices.__getitem__)
    rank = np.zeros(len(order) + 1, np.int64)
    rank[order] = np.arange(len(order))
    return rank


def _distinct_devices(profile: Profile, span: Ints, device: Ints) -> tuple[Ints, Ints]:
    """The devices of each span, by name."""
    rank = _device_ranks(profile)
    size = max(len(profile.devices), 1)
    keys = np.unique(span * size + rank[device])
    by_rank = np.argsort(rank[:-1])
    return keys // size, by_rank[keys % size] if len(by_rank) else keys


def _times(profile: Profile, runs: Runs, span: Ints, kind: Ints, spans: int) -> pa.Array:
    """For each span the intervals by device, in the order of the records."""
    rows = np.flatnonzero(kind)
    size = max(len(profile.devices), 1)
    key = span[rows] * size + _device_ranks(profile)[runs.time_device[rows]]
    rows = rows[np.argsort(key, kind="stable")]
    key = np.sort(key)
    first = np.flatnonzero(np.diff(key, prepend=-1))
    pairs = np.stack([runs.time_start[rows], runs.time_duration[rows]], axis=1).ravel()
    tuples = _struct(int64_values=_lists(2 * np.arange(len(rows) + 1), pa.array(pairs)))
    times = _struct(times=_lists(np.append(first, len(rows)), tuples))
    names = pa.array(profile.devices, pa.string()).take(pa.array(runs.time_device[rows[first]]))
    return _lists(_bounds(key[first] // size, spans), _struct(key=names, value=times))


def _schedulings(runs: Runs) -> pa.Array:
    """The rows of memory with their outputs; of a repeated slot the last one stays."""
    key = runs.output_memory * (1 << 32) + runs.output_slot.astype(np.int64) % (1 << 32)
    _, last = np.unique(key[::-1], return_index=True)
    at = len(key) - 1 - last
    slots = _struct(bytes=runs.output_size[at], ptr=runs.output_pointer[at].astype(np.uint64))
    outputs = _lists(
        _bounds(runs.output_memory[at], len(runs.memory)),
        _struct(key=runs.output_slot[at].astype(np.int32), value=slots),
    )
    columns = {name: runs.memory[:, at] for at, name in enumerate(MEMORY_FIELDS)}
    return _struct(**columns, output_memory=outputs)


def _traces(profile: Profile, rows: Ints, quirks: Quirks) -> tuple[pa.Array, dict[int, str]]:
    """The stack of each node, null where it has none, and the strings that its ids mean."""
    stack = profile.nodes.stack[rows]
    shared = quirks.shared_string_ids or len(profile.stacks) <= 1
    plain = shared and not any(stacks.texts for stacks in profile.stacks)
    strings = dict(profile.strings) if plain else {0: "none"}
    parts = [_frames(stacks, None if plain else strings) for stacks in profile.stacks]
    frames = pa.concat_arrays([_frame_columns(*(np.zeros(0, np.int64),) * 5), *parts])
    base = np.cumsum([0, *(len(part) for part in parts)])
    first = [s.start[:-1] + b for s, b in zip(profile.stacks, base[:-1], strict=True)]
    last = [s.start[1:] + b for s, b in zip(profile.stacks, base[:-1], strict=True)]
    none = np.zeros(1, np.int64)
    begin, end = np.concatenate([*first, none])[stack], np.concatenate([*last, none])[stack]
    length = end - begin
    at = np.concatenate([none, np.cumsum(length)])
    flat = np.arange(at[-1]) - np.repeat(at[:-1] - begin, length)
    lists = _lists(at, frames.take(pa.array(flat)))
    return (
        pa.StructArray.from_arrays([lists], ["traces"], mask=pa.array(stack < 0)),
        strings,
    )


def _frame_columns(
    line: Ints, function_line: Ints, file_id: Ints, function_id: Ints, text_id: Ints
) -> pa.Array:
    count = len(line)
    # Strings have ids here; the fields that older logs held them in stay empty.
    zeros = pa.py_buffer(np.zeros(count + 1, np.int32))
    blank = pa.StringArray.from_buffers(count, zeros, pa.py_buffer(b""))
    return _struct(
        file=blank,
        lineno=line.astype(np.int32),
        function=blank,
        line=blank,
        func_start_line=function_line.astype(np.int32),
        file_id=file_id,
        function_id=function_id,
        line_id=text_id,
    )


def _frames(stacks: Stacks, strings: dict[int, str] | None) -> pa.Array:
    """The frames of an op log; with a table of strings to add to, their ids are given anew."""
    ids = [stacks.file_id, stacks.function_id, stacks.text_id]
    if strings is not None:
        table = {text: key for key, text in strings.items()}
        texts = stacks.texts or (None, None, None)
        ids = [
            _renumbered(column, stacks.strings, text, table)
            for column, text in zip(ids, texts, strict=True)
        ]
        strings.update({key: text for text, key in table.items()})
    return _frame_columns(stacks.line, stacks.function_line, *ids)


def _renumbered(
    column: Ints, known: dict[int, str], texts: pa.Array | None, table: dict[str, int]
) -> Ints:
    coded = pa.array(column).dictionary_encode()
    words = [known.get(key, "none") for key in coded.dictionary.to_pylist()]
    ids = np.array([table.setdefault(word, len(table)) for word in words] or [0], np.int64)
    found = ids[coded.indices.to_numpy()]
    if texts is None:
        return found
    own = texts.dictionary_encode()
    words = own.dictionary.to_pylist()
    own_ids = [table.setdefault(word, len(table)) if word else -1 for word in words]
    given = np.array([*own_ids, -1], np.int64)[own.indices.to_numpy()]
    return np.where(given < 0, found, given)
