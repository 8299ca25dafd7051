"""The columns that records and saved profiles give, each made when it is called.

Whether a record counts, and as what, follows the rules of the original or the repaired ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.devices import DeviceRules
from tfprof.profiles.lazy_columns import sum_bound, sum_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import (
    Array,
    BoolArray,
    ProfileProtoRuns,
    Records,
)

__all__ = ["BYTE_FIELDS", "LATEST", "MEMORY_FIELDS", "Part", "record_part", "saved_part"]

MEMORY_FIELDS = (
    "memory_micros",
    "host_temp_bytes",
    "host_persistent_bytes",
    "accelerator_temp_bytes",
    "accelerator_persistent_bytes",
    "requested_bytes",
    "peak_bytes",
    "residual_bytes",
    "output_bytes",
    "allocator_bytes_in_use",
)
BYTE_FIELDS = ("requested_bytes", "peak_bytes", "residual_bytes", "output_bytes")
LATEST = np.iinfo(np.int64).max

Part = dict[str, Callable[[], Any]]
"""The columns of one RunMetadata or saved profile, each made when it is called."""


def record_part(
    profile: Profile,
    number: int,
    rules: DeviceRules,
    first_device: Array,
    known_from: Array,
    exists: BoolArray,
    quirks: Quirks,
    warnings: list[str],
) -> Part:
    records = profile.records[number]
    step = profile.steps.index(records.step)
    accepted = np.ones(len(records), bool)
    if not quirks.copies_make_nodes:
        accepted &= ~records.copy | profile.nodes.in_graph[records.node]
        accepted &= exists[records.node]
    own_device = first_device[records.node]
    canonical = rules.canonical[records.device]
    if quirks.one_device_per_node:
        accepted &= ~(canonical & (own_device != records.device))
    started = accepted & (records.start > 0)
    duration = _durations(records, started, quirks, warnings)
    accelerator = rules.accelerator[records.device]
    timed = started & (accelerator | rules.counts[records.device])
    scheduled = accepted & _has_memory(profile, records, rules, own_device, known_from, quirks)
    late = np.flatnonzero(scheduled & (records.start <= 0))
    warnings += [f"{records.names[int(row)].as_py()} has no start time, skipping" for row in late]
    memory_rows = np.flatnonzero(scheduled & (records.start > 0))
    if quirks.one_device_per_node:
        several = records.gpu_allocators[memory_rows][records.gpu_allocators[memory_rows] > 1]
        warnings += [f"found {count} gpu allocator for 1 node" for count in several]
    node = records.node
    secondary_records = (
        profile.secondary_records[number]
        if profile.secondary_records
        else np.zeros(len(records), bool)
    )

    def runs() -> BoolArray:
        ran: BoolArray = timed & ~accelerator & ~secondary_records
        return ran

    return {
        "span_node": lambda: node[accepted].astype(np.int64),
        "span_step": lambda: np.full(int(accepted.sum()), step, np.int64),
        "span_runs": lambda: runs()[accepted].astype(np.int64),
        "span_start": lambda: np.where(started, records.start, LATEST)[accepted],
        "span_end": lambda: np.where(started, _added(records.start, duration), 0)[accepted],
        "time_node": lambda: node[timed],
        "time_step": lambda: np.full(int(timed.sum()), step, np.int32),
        "time_device": lambda: records.device[timed],
        "time_start": lambda: records.start[timed],
        "time_duration": lambda: duration[timed],
        "time_accelerator": lambda: accelerator[timed],
        "seen_node": lambda: node[accepted],
        "seen_step": lambda: np.full(int(accepted.sum()), step, np.int32),
        "seen_device": lambda: records.device[accepted],
        "memory_node": lambda: node[memory_rows],
        "memory_step": lambda: np.full(len(memory_rows), step, np.int32),
        "sum_bound": lambda: _sum_bound(records),
        "most": lambda: len(records),
        **_memory(records, memory_rows, rules),
        "memory_sampled": lambda: records.gpu_allocators[memory_rows] > 0,
        **_tensors(records, step, memory_rows),
    }


def _tensors(records: Records, step: int, memory_rows: Array) -> Part:
    """The columns of allocations and outputs that belong to schedulings."""

    def memory_of(record: Array) -> Array:
        number = np.full(len(records), -1, np.int64)
        number[memory_rows] = np.arange(len(memory_rows))
        return number[record]

    @cache
    def allocations() -> Array:
        return np.flatnonzero(memory_of(records.allocation_record) >= 0)

    @cache
    def outputs() -> Array:
        scheduled = memory_of(records.output_record) >= 0
        return np.flatnonzero(scheduled & records.output_has_memory)

    return {
        "allocation_node": lambda: records.node[records.allocation_record[allocations()]],
        "allocation_step": lambda: np.full(len(allocations()), step, np.int32),
        "allocation_micros": lambda: records.allocation_micros[allocations()],
        "allocation_bytes": lambda: records.allocation_bytes[allocations()],
        "output_memory": lambda: memory_of(records.output_record[outputs()]),
        "output_slot": lambda: records.output_slot[outputs()],
        "output_size": lambda: records.output_size[outputs()],
        "output_pointer": lambda: records.output_pointer[outputs()],
    }


def _durations(records: Records, started: BoolArray, quirks: Quirks, warnings: list[str]) -> Array:
    duration = np.where(records.duration == 0, 1, records.duration)
    if quirks.negative_durations:
        return duration
    negative = int((started & (duration < 0)).sum())
    if negative:
        warnings.append(f"{negative} records have a negative duration, counted as 1us each")
    return np.maximum(duration, 1)


def _has_memory(
    profile: Profile,
    records: Records,
    rules: DeviceRules,
    own_device: Array,
    known_from: Array,
    quirks: Quirks,
) -> BoolArray:
    """Which records are schedulings, whose memory counts."""
    if not quirks.one_device_per_node:
        counts: BoolArray = rules.counts[records.device]
        return counts
    # A record without a device agrees with a node that has none yet.
    unnamed = np.array([device == "" for device in profile.devices], bool)[records.device]
    without_device = np.arange(len(records)) < known_from[records.node]
    return (own_device == records.device) | (unnamed & without_device)


def _sum_bound(records: Records) -> float:
    """More than any sum of times, bytes or runs of these records; infinite if one is below 0."""
    sizes = (records.total, records.peak, records.live, records.output_bytes)
    fixed = (records.persistent, records.temporary, records.duration)
    return sum_bound(*sizes, *fixed) + len(records)


def _memory(records: Records, rows: Array, rules: DeviceRules) -> Part:
    """The columns of MEMORY_FIELDS for some records."""

    def on(host: bool, sizes: Array) -> Array:
        return np.where(rules.host[records.device[rows]] == host, sizes[rows], 0)

    def fixed() -> Array:
        return _added(records.persistent[rows], records.temporary[rows])

    return {
        "memory_micros": lambda: _added(records.start[rows], records.duration[rows]),
        "host_temp_bytes": lambda: on(True, records.temporary),
        "host_persistent_bytes": lambda: on(True, records.persistent),
        "accelerator_temp_bytes": lambda: on(False, records.temporary),
        "accelerator_persistent_bytes": lambda: on(False, records.persistent),
        "requested_bytes": lambda: _added(records.total[rows], fixed()),
        "peak_bytes": lambda: _added(records.peak[rows], fixed()),
        "residual_bytes": lambda: _added(records.live[rows], records.persistent[rows]),
        "output_bytes": lambda: records.output_bytes[rows],
        "allocator_bytes_in_use": lambda: records.in_use[rows],
    }


def _added(left: Array, right: Array) -> Array:
    """Sums that stop at the largest number of 64 bits instead of turning negative."""
    total = left + right
    turned = ((left ^ total) & (right ^ total)) < 0
    if not turned.any():
        return total
    limits = np.iinfo(np.int64)
    return np.where(turned, np.where(left < 0, limits.min, limits.max), total)


def saved_part(saved: ProfileProtoRuns, steps: tuple[int, ...]) -> Part:
    position = np.array(steps, np.int64)

    def at(step: Array) -> Array:
        return np.searchsorted(position, step)

    return {
        "span_node": lambda: saved.span_node,
        "span_step": lambda: at(saved.span_step),
        "span_runs": lambda: saved.span_runs,
        "span_start": lambda: saved.span_start,
        "span_end": lambda: saved.span_end,
        "time_node": lambda: saved.time_node,
        "time_step": lambda: at(saved.time_step),
        "time_device": lambda: saved.time_device,
        "time_start": lambda: saved.time_start,
        "time_duration": lambda: saved.time_duration,
        "time_accelerator": lambda: saved.time_accelerator,
        "seen_node": lambda: saved.span_node[saved.seen_span],
        "seen_step": lambda: at(saved.span_step[saved.seen_span]),
        "seen_device": lambda: saved.seen_device,
        "memory_node": lambda: saved.memory_node,
        "memory_step": lambda: at(saved.memory_step),
        "sum_bound": lambda: sum_bound(saved.memory.ravel(), saved.time_duration, saved.span_runs),
        "most": lambda: sum_of(saved.span_runs),
        **{name: partial(saved.memory.take, at, 1) for at, name in enumerate(MEMORY_FIELDS)},
        "memory_sampled": lambda: saved.memory[:, -1] > 0,
        "allocation_node": lambda: saved.allocation_node,
        "allocation_step": lambda: at(saved.allocation_step),
        "allocation_micros": lambda: saved.allocation_micros,
        "allocation_bytes": lambda: saved.allocation_bytes,
        "output_memory": lambda: saved.output_memory,
        "output_slot": lambda: saved.output_slot,
        "output_size": lambda: saved.output_size,
        "output_pointer": lambda: saved.output_pointer,
    }
