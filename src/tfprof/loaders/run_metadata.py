"""RunMetadata to columns: a row per record, with its memory summed up."""

from __future__ import annotations

import itertools
import os
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.message import DecodeError

from tfprof.loaders.messages import MessageLike, malformed_error, read_columns
from tfprof.loaders.wire import is_present, numbers, parent_indices
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.schema import Array
from tfprof.profiles.source_columns import RunColumns
from tfprof.protos import columns_pb2, graph_pb2, run_metadata_pb2

_LARGE = 2**62


def read_run(source: MessageLike) -> RunColumns | None:
    """The columns of a RunMetadata, or nothing when it has no step_stats."""
    kind = run_metadata_pb2.RunMetadata
    batch = read_columns(source, kind, "run_meta", columns=columns_pb2.Run)
    steps = batch.column(0)
    if not is_present(steps).all():
        return None
    columns = _columns(steps)
    if (
        isinstance(source, (str, os.PathLike))
        and len(columns.name)
        and not _has_names(columns.name)
    ):
        # Other messages read as a run have records, but no names in them.
        raise malformed_error(source, kind, "run_meta")
    # Shapes are kept as bytes, which are not validated yet.
    try:
        for shape in columns.output_shape.dictionary.drop_null().to_pylist():
            graph_pb2.TensorShapeProto.FromString(shape)
    except DecodeError:
        raise malformed_error(source, kind, "run_meta") from None
    return columns


def _has_names(names: pa.Array) -> bool:
    return bool(pc.any(pc.not_equal(names, "")).as_py())


def _columns(steps: pa.Array) -> RunColumns:
    devices = steps.field("dev_stats").flatten()
    device_records = devices.field("node_stats")
    records = device_records.flatten()
    stats = records.field("memory_stats")
    return RunColumns(
        # Only ASCII letters, as the original does.
        devices=[d.encode().lower().decode() for d in devices.field("device").to_pylist()],
        name=records.field("node_name"),
        label=records.field("timeline_label"),
        device=parent_indices(device_records, np.int32),
        start=numbers(records.field("all_start_micros")),
        duration=numbers(records.field("op_end_rel_micros")),
        persistent=numbers(stats.field("persistent_memory_size")),
        temporary=numbers(stats.field("temp_memory_size")),
        **_memory(records.field("memory")),
        **_outputs(records.field("output")),
    )


def _memory(lists: pa.Array) -> dict[str, Any]:
    offsets = list_offsets(lists)
    allocators = lists.flatten()
    record = parent_indices(lists, np.int32)
    is_gpu = pc.match_substring(allocators.field("allocator_name"), "GPU").to_numpy(False)
    in_use = np.zeros(len(lists), np.int64)
    gpu_count = np.zeros(len(lists), np.int32)
    np.maximum.at(
        in_use, record[is_gpu], numbers(allocators.field("allocator_bytes_in_use"))[is_gpu]
    )
    np.add.at(gpu_count, record[is_gpu], 1)
    histories = allocators.field("allocation_records")
    owner = parent_indices(histories)
    allocations = histories.flatten()
    names = allocators.field("allocator_name").dictionary_encode()
    return {
        "total": _sums(offsets, numbers(allocators.field("total_bytes"))),
        "peak": _sums(offsets, numbers(allocators.field("peak_bytes"))),
        "live": _sums(offsets, numbers(allocators.field("live_bytes"))),
        "in_use": in_use,
        "gpu_allocators": gpu_count,
        "allocation_record": record[owner],
        "allocation_micros": numbers(allocations.field("alloc_micros")),
        "allocation_bytes": numbers(allocations.field("alloc_bytes")),
        "allocation_allocator": names.take(pa.array(owner)),
    }


def _outputs(lists: pa.Array) -> dict[str, Any]:
    offsets = list_offsets(lists)
    outputs = lists.flatten()
    tensors = outputs.field("tensor_description")
    memory = tensors.field("allocation_description")
    has_memory = is_present(tensors) & is_present(memory)
    size = np.maximum(
        numbers(memory.field("allocated_bytes")), numbers(memory.field("requested_bytes"))
    )
    size = np.where(has_memory, size, 0)
    return {
        "output_bytes": _sums(offsets, size),
        "output_record": parent_indices(lists, np.int32),
        "output_slot": numbers(outputs.field("slot")),
        "output_size": size,
        "output_pointer": numbers(memory.field("ptr")),
        "output_has_memory": has_memory,
        "output_shape": tensors.field("shape").dictionary_encode(),
    }


def _sums(offsets: Array, values: Array) -> Array:
    """The sum of the values from each offset to the next, as objects if 64 bits may not do."""
    if np.abs(values.astype(np.float64)).sum() >= _LARGE:
        exact = [sum(values[a:b].tolist()) for a, b in itertools.pairwise(offsets.tolist())]
        return np.array(exact, object)
    running = np.concatenate([np.zeros(1, np.int64), np.cumsum(values, dtype=np.int64)])
    return running[offsets[1:]] - running[offsets[:-1]]
