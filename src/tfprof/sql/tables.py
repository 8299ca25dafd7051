"""The tables of a profile that SQL sees, made when a query names them.

`docs/sql.md` describes the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.metrics import METRICS
from tfprof.definitions.quirks import REPAIRED
from tfprof.flops.flop_columns import to_comparable
from tfprof.memory.peaks import step_memory
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.executions import BYTE_FIELDS, executions_of
from tfprof.profiles.lazy_columns import clip_to_int64
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, Records
from tfprof.profiles.user_code import frame_columns, user_lines
from tfprof.reports.measures import measures


@dataclass(frozen=True, slots=True)
class SqlTable:
    """A table: what a row of it is, and how it is made from a resolved profile."""

    name: str
    help: str
    make: Callable[[Profile], pa.Table]


def _nodes(profile: Profile) -> pa.Table:
    names = profile.nodes.name
    device = executions_of(profile, REPAIRED).device
    numbers = measures(profile, REPAIRED)
    columns: dict[str, Any] = {
        "node": np.arange(len(names)),
        "name": names,
        "scope": pc.replace_substring_regex(names, "/?[^/]*$", ""),
        "op": profile.nodes.op,
        "in_graph": profile.nodes.in_graph,
        "device": _dictionary(device, pa.array(profile.devices, pa.string())),
        "source": user_lines(profile),
        "stack": profile.nodes.stack,
        "shape": profile.nodes.shape,
    }
    for metric in METRICS.values():
        if metric.measure:
            columns[metric.name] = clip_to_int64(to_comparable(numbers.column(metric.measure)))
    columns["runs"] = clip_to_int64(numbers.column("run_count"))
    return pa.table(columns)


def _dictionary(indices: Array, names: pa.Array) -> pa.DictionaryArray:
    """A column of names, which may be long and in many rows; -1 is none."""
    codes = pa.array(indices, pa.int32(), mask=indices < 0)
    return pa.DictionaryArray.from_arrays(codes, names)


def _edges(profile: Profile) -> pa.Table:
    edges = profile.edges
    producer = index_in(edges.producer, profile.nodes.name)
    return pa.table(
        {
            "consumer": edges.consumer,
            "input": edges.index,
            "producer": pa.array(producer, mask=producer < 0),
            "producer_name": edges.producer,
            "output": pa.array(edges.output, mask=edges.output < 0),
        }
    )


def _types(profile: Profile) -> pa.Table:
    added = pa.table({"node": profile.type_node.astype(np.int64), "type": profile.type_name})
    ops = pa.table({"node": np.arange(len(profile.nodes)), "type": profile.nodes.op})
    return pa.concat_tables([ops, added])


def _records(profile: Profile) -> pa.Table:
    devices = pa.array(profile.devices, pa.string())
    parts = [_record_columns(part, devices, profile) for part in profile.records]
    empty = {name: pa.array([], kind) for name, kind in _RECORD_TYPES.items()}
    return pa.concat_tables([pa.table(part) for part in parts] or [pa.table(empty)])


_RECORD_TYPES = {
    "step": pa.int64(),
    "node": pa.int64(),
    "name": pa.dictionary(pa.int32(), pa.string()),
    "device": pa.dictionary(pa.int32(), pa.string()),
    "start": pa.int64(),
    "micros": pa.int64(),
    "bytes": pa.int64(),
    "peak_bytes": pa.int64(),
    "output_bytes": pa.int64(),
    "is_copy": pa.bool_(),
}


def _record_columns(part: Records, devices: pa.Array, profile: Profile) -> dict[str, pa.Array]:
    columns = {
        "step": np.full(len(part), part.step),
        "node": part.node,
        "name": _dictionary(part.node, profile.nodes.name),
        "device": _dictionary(part.device, devices),
        "start": part.start,
        "micros": part.duration,
        "bytes": clip_to_int64(part.total),
        "peak_bytes": clip_to_int64(part.peak),
        "output_bytes": clip_to_int64(part.output_bytes),
        "is_copy": part.copy,
    }
    return {name: pa.array(column).cast(_RECORD_TYPES[name]) for name, column in columns.items()}


def _steps(profile: Profile) -> pa.Table:
    executions = executions_of(profile, REPAIRED)
    steps = np.array(profile.steps, np.int64)
    first = np.full(len(steps), np.iinfo(np.int64).max)
    last, micros = np.zeros(len(steps), np.int64), np.zeros(len(steps), np.int64)
    start, duration = executions.interval_start, executions.interval_duration
    np.minimum.at(first, executions.interval_step, start)
    np.maximum.at(last, executions.interval_step, start + duration)
    np.add.at(micros, executions.interval_step, duration)
    has_run = last > 0
    return pa.table(
        {
            "step": steps,
            "start": pa.array(first, mask=~has_run),
            "elapsed": np.where(has_run, last - first, 0),
            "micros": micros,
        }
    )


def _memory(profile: Profile) -> pa.Table:
    executions = executions_of(profile, REPAIRED)
    steps = np.array(profile.steps, np.int64)
    columns: dict[str, Any] = {
        "node": executions.memory_node.astype(np.int64),
        "step": steps[executions.memory_step],
    }
    columns |= {name: clip_to_int64(getattr(executions, name)) for name in BYTE_FIELDS}
    return pa.table(columns)


def _memory_peaks(profile: Profile) -> pa.Table:
    memory = step_memory(profile, REPAIRED)
    peaks = [peak for step in profile.steps for peak in memory.peaks(step)]
    return pa.table(
        {
            "step": pa.array([peak.step for peak in peaks], pa.int64()),
            "device": pa.array([peak.device for peak in peaks], pa.string()),
            "bytes": pa.array([peak.bytes for peak in peaks], pa.int64()),
            "micros": clip_to_int64(np.array([peak.micros for peak in peaks], object)),
            "is_recorded": pa.array([peak.recorded for peak in peaks], pa.bool_()),
        }
    )


TABLES: dict[str, SqlTable] = {
    table.name: table
    for table in (
        SqlTable("nodes", "a node, with all its numbers on average over the steps", _nodes),
        SqlTable("edges", "an input of a node", _edges),
        SqlTable("types", "a type of a node: its op type, and those of op logs", _types),
        SqlTable("records", "an execution of a node in a traced step", _records),
        SqlTable("steps", "a traced step", _steps),
        SqlTable("memory", "the memory of a node in a step", _memory),
        SqlTable("memory_peaks", "the memory peak of a device in a step", _memory_peaks),
        SqlTable("frames", "a frame of a Python stack that created nodes", frame_columns),
    )
}
"""What a query can name, beside the reports of all views."""


def table_makers(profile: Profile) -> Mapping[str, Callable[[], pa.Table]]:
    """How each table of a resolved profile is made."""
    return {name: partial(table.make, profile) for name, table in TABLES.items()}
