"""RunMetadata to the few columns that stores of many steps need, in half of the time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.message import DecodeError

from tfprof.definitions.integers import INT32_MAX
from tfprof.errors import LoadError
from tfprof.loaders.files import read_file
from tfprof.loaders.messages import malformed_error, read_columns
from tfprof.loaders.wire import columns_of_bytes, is_present, numbers, parent_indices
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.schema import Array
from tfprof.protos import columns_pb2, run_metadata_pb2

_LARGEST = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class FleetRun:
    """The records of a RunMetadata; `device` is an index in `devices`.

    Durations are 1 us at least, as in all views. Bytes are sums over allocators or outputs.
    """

    devices: list[str]
    name: pa.Array
    label: pa.Array
    device: Array
    start: Array
    duration: Array
    bytes: Array
    peak: Array
    output_bytes: Array


def read_fleet_run(path: Path) -> FleetRun:
    """Read a file, in text form too; a LoadError if it is none, or has no records."""
    steps = _read(path).column(0)
    devices = steps.field("dev_stats").flatten()
    lists = devices.field("node_stats")
    records = lists.flatten()
    if not len(records):
        raise LoadError(
            f"{path}: has no records; trace the step with RunOptions(trace_level=FULL_TRACE)"
        )
    names = records.field("node_name")
    if not pc.any(pc.not_equal(names, "")).as_py():
        # Other messages read as a run have records, but no names in them.
        raise malformed_error(path, run_metadata_pb2.RunMetadata, "run_meta")
    memory, outputs = records.field("memory"), records.field("output")
    allocators = memory.flatten()
    tensors = outputs.flatten().field("tensor_description")
    sizes = tensors.field("allocation_description")
    output_bytes = np.maximum(
        numbers(sizes.field("allocated_bytes")), numbers(sizes.field("requested_bytes"))
    )
    device_names = devices.field("device").to_pylist()
    return FleetRun(
        devices=[device.encode().lower().decode() for device in device_names],
        name=names,
        label=records.field("timeline_label"),
        device=parent_indices(lists, np.int32),
        start=numbers(records.field("all_start_micros")),
        duration=np.clip(numbers(records.field("op_end_rel_micros")), 1, INT32_MAX),
        bytes=_sums(memory, numbers(allocators.field("total_bytes"))),
        peak=_sums(memory, numbers(allocators.field("peak_bytes"))),
        output_bytes=_sums(outputs, np.where(is_present(tensors), output_bytes, 0)),
    )


def _read(path: Path) -> pa.RecordBatch:
    data = read_file(path, "the run_meta")
    try:
        batch = columns_of_bytes(data, columns_pb2.FleetRun)
        if is_present(batch.column(0)).all():
            return batch
    except DecodeError:
        pass
    # It is a text, or the error says what it is.
    kind = run_metadata_pb2.RunMetadata
    return read_columns(path, kind, "run_meta", columns=columns_pb2.FleetRun)


def _sums(lists: pa.Array, values: Array) -> Array:
    """The sum of each list; negative and enormous numbers are limited."""
    limit = _LARGEST // max(len(values), 1)
    running = np.concatenate([[0], np.cumsum(np.clip(values, 0, limit))])
    offsets = list_offsets(lists)
    return running[offsets[1:]] - running[offsets[:-1]]
