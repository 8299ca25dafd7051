"""What the records of a profile mean: which of them count, as what, and for whom.

Records are kept as they were written; here they become intervals, schedulings and spans, by the
rules of the original or by the repaired ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tfprof.profiles.columns import NO_DEVICE, Bools, Ints, Records, SavedRuns
from tfprof.profiles.devices import DeviceRules, device_rules, first_devices
from tfprof.profiles.profile import Profile
from tfprof.quirks import Quirks

__all__ = ["MEMORY_FIELDS", "Runs", "runs_of"]

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


@dataclass(frozen=True, slots=True)
class Runs:
    """Intervals, schedulings and spans of all nodes and steps.

    `step` columns are positions in `Profile.steps`. `exists` says which nodes are in the model,
    `device` is the one that each node was placed on first. `span_*` has a row per node and step,
    `time_*` per interval, `seen_*` per record's device, `memory_*` per scheduling.
    """

    exists: Bools
    device: Ints
    placed_node: Ints
    placed_device: Ints
    span_node: Ints
    span_step: Ints
    span_runs: Ints
    span_start: Ints
    span_end: Ints
    time_node: Ints
    time_step: Ints
    time_device: Ints
    time_start: Ints
    time_duration: Ints
    time_accelerator: Bools
    seen_node: Ints
    seen_step: Ints
    seen_device: Ints
    memory_node: Ints
    memory_step: Ints
    memory: Ints
    memory_sampled: Bools
    allocation_node: Ints
    allocation_step: Ints
    allocation_micros: Ints
    allocation_bytes: Ints
    output_memory: Ints
    output_slot: Ints
    output_size: Ints
    output_pointer: Ints
    warnings: tuple[str, ...]


def runs_of(profile: Profile, quirks: Quirks) -> Runs:
    """The meaning of a profile's records, worked out once."""
    return profile.derived((runs_of, quirks), lambda: _runs(profile, quirks))


def _runs(profile: Profile, quirks: Quirks) -> Runs:
    rules = device_rules(profile.devices, quirks)
    exists = _existing(profile, quirks)
    device, known_from = first_devices(profile, rules, exists)
    warnings: list[str] = []
    parts = [_saved_part(saved, profile.steps) for saved in profile.saved]
    parts += [
        _record_part(profile, number, rules, device, since, exists, quirks, warnings)
        for number, since in enumerate(known_from)
    ]
    joined = _joined(parts)
    placed_node, placed_device = _placed(profile, joined, rules, device, quirks)
    if not quirks.one_device_per_node:
        several = len(np.unique(placed_node)) < len(placed_node)
        if several:
            warnings.append(
                "some nodes ran on more than one device; each device's records are counted"
            )
    span_keys = _sums_per_span(profile, joined)
    return Runs(
        exists=exists,
        device=device,
        placed_node=placed_node,
        placed_device=placed_device,
        warnings=tuple(warnings),
        **span_keys,
        **{name: joined[name] for name in _PART_COLUMNS if not name.startswith("span_")},
    )


_PART_COLUMNS: dict[str, Any] = {
    "span_node": np.int64,
    "span_step": np.int64,
    "span_runs": np.int64,
    "span_start": np.int64,
    "span_end": np.int64,
    "time_node": np.int32,
    "time_step": np.int32,
    "time_device": np.int32,
    "time_start": np.int64,
    "time_duration": np.int64,
    "time_accelerator": bool,
    "seen_node": np.int32,
    "seen_step": np.int32,
    "seen_device": np.int32,
    "memory_node": np.int32,
    "memory_step": np.int32,
    "memory": np.int64,
    "memory_sampled": bool,
    "allocation_node": np.int32,
    "allocation_step": np.int32,
    "allocation_micros": np.int64,
    "allocation_bytes": np.int64,
    "output_memory": np.int64,
    "output_slot": np.int32,
    "output_size": np.int64,
    "output_pointer": np.uint64,
}


def _joined(parts: list[dict[str, Ints]]) -> dict[str, Ints]:
    rows = 0
    for part in parts:
        part["output_memory"] = part["output_memory"] + rows
        rows += len(part["memory"])
    joined = {}
    for name, kind in _PART_COLUMNS.items():
        empty = np.zeros((0, len(MEMORY_FIELDS)) if name == "memory" else 0, kind)
        joined[name] = np.concatenate([empty, *(part[name] for part in parts)])
    return joined


def _existing(profile: Profile, quirks: Quirks) -> Bools:
    """Which nodes are in the model: all but those that only copy records speak of."""
    exists = np.ones(len(profile.nodes), bool)
    if quirks.copy_phantoms or not profile.records:
        return exists
    doubtful = ~profile.nodes.in_graph
    for records in profile.records:
        doubtful[records.node[~records.copy]] = False
    return ~doubtful


def _record_part(
    profile: Profile,
    number: int,
    rules: DeviceRules,
    first_device: Ints,
    known_from: Ints,
    exists: Bools,
    quirks: Quirks,
    warnings: list[str],
) -> dict[str, Ints]:
    records = profile.records[number]
    step = profile.steps.index(records.step)
    accepted = np.ones(len(records), bool)
    if not quirks.copy_phantoms:
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
    memory_of = np.full(len(records), -1, np.int64)
    memory_of[memory_rows] = np.arange(len(memory_rows))
    if quirks.one_device_per_node:
        several = records.gpu_allocators[memory_rows][records.gpu_allocators[memory_rows] > 1]
        warnings += [f"found {count} gpu allocator for 1 node" for count in several]
    allocations = np.flatnonzero(memory_of[records.allocation_record] >= 0)
    outputs = np.flatnonzero((memory_of[records.output_record] >= 0) & records.output_has_memory)
    node = records.node
    runs = timed & ~accelerator
    if profile.asides:
        runs &= ~profile.asides[number]
    return {
        "span_node": node[accepted].astype(np.int64),
        "span_step": np.full(int(accepted.sum()), step, np.int64),
        "span_runs": runs[accepted].astype(np.int64),
        "span_start": np.where(started, records.start, np.iinfo(np.int64).max)[accepted],
        "span_end": np.where(started, _added(records.start, duration), 0)[accepted],
        "time_node": node[timed],
        "time_step": np.full(int(timed.sum()), step, np.int32),
        "time_device": records.device[timed],
        "time_start": records.start[timed],
        "time_duration": duration[timed],
        "time_accelerator": accelerator[timed],
        "seen_node": node[accepted],
        "seen_step": np.full(int(accepted.sum()), step, np.int32),
        "seen_device": records.device[accepted],
        "memory_node": node[memory_rows],
        "memory_step": np.full(len(memory_rows), step, np.int32),
        "memory": _memory(records, memory_rows, rules),
        "memory_sampled": records.gpu_allocators[memory_rows] > 0,
        "allocation_node": node[records.allocation_record[allocations]],
        "allocation_step": np.full(len(allocations), step, np.int32),
        "allocation_micros": records.allocation_micros[allocations],
        "allocation_bytes": records.allocation_bytes[allocations],
        "output_memory": memory_of[records.output_record[outputs]],
        "output_slot": records.output_slot[outputs],
        "output_size": records.output_size[outputs],
        "output_pointer": records.output_pointer[outputs],
    }


def _durations(records: Records, started: Bools, quirks: Quirks, warnings: list[str]) -> Ints:
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
    own_device: Ints,
    known_from: Ints,
    quirks: Quirks,
) -> Bools:
    """Which records are schedulings, whose memory counts."""
    if not quirks.one_device_per_node:
        counts: Bools = rules.counts[records.device]
        return counts
    # A record without a device agrees with a node that has none yet.
    unnamed = np.array([device == "" for device in profile.devices], bool)[records.device]
    unplaced = np.arange(len(records)) < known_from[records.node]
    return (own_device == records.device) | (unnamed & unplaced)


def _memory(records: Records, rows: Ints, rules: DeviceRules) -> Ints:
    """The columns of MEMORY_FIELDS for some records."""
    persistent, temporary = records.persistent[rows], records.temporary[rows]
    host = rules.host[records.device[rows]]
    fixed = _added(persistent, temporary)
    return np.stack(
        [
            _added(records.start[rows], records.duration[rows]),
            np.where(host, temporary, 0),
            np.where(host, persistent, 0),
            np.where(host, 0, temporary),
            np.where(host, 0, persistent),
            _added(records.total[rows], fixed),
            _added(records.peak[rows], fixed),
            _added(records.live[rows], persistent),
            records.output_bytes[rows],
            records.in_use[rows],
        ],
        axis=1,
    ).reshape(-1, len(MEMORY_FIELDS))


def _added(left: Ints, right: Ints) -> Ints:
    """Sums that stop at the largest number of 64 bits instead of turning negative."""
    total = left + right
    turned = ((left ^ total) & (right ^ total)) < 0
    if not turned.any():
        return total
    limits = np.iinfo(np.int64)
    return np.where(turned, np.where(left < 0, limits.min, limits.max), total)


def _saved_part(saved: SavedRuns, steps: tuple[int, ...]) -> dict[str, Ints]:
    position = np.array(steps, np.int64)

    def at(step: Ints) -> Ints:
        return np.searchsorted(position, step)

    return {
        "span_node": saved.span_node,
        "span_step": at(saved.span_step),
        "span_runs": saved.span_runs,
        "span_start": saved.span_start,
        "span_end": saved.span_end,
        "time_node": saved.time_node,
        "time_step": at(saved.time_step),
        "time_device": saved.time_device,
        "time_start": saved.time_start,
        "time_duration": saved.time_duration,
        "time_accelerator": saved.time_accelerator,
        "seen_node": saved.span_node[saved.seen_span],
        "seen_step": at(saved.span_step[saved.seen_span]),
        "seen_device": saved.seen_device,
        "memory_node": saved.memory_node,
        "memory_step": at(saved.memory_step),
        "memory": saved.memory,
        "memory_sampled": saved.memory[:, -1] > 0,
        "allocation_node": saved.allocation_node,
        "allocation_step": at(saved.allocation_step),
        "allocation_micros": saved.allocation_micros,
        "allocation_bytes": saved.allocation_bytes,
        "output_memory": saved.output_memory,
        "output_slot": saved.output_slot,
        "output_size": saved.output_size,
        "output_pointer": saved.output_pointer,
    }


def _placed(
    profile: Profile, joined: dict[str, Ints], rules: DeviceRules, device: Ints, quirks: Quirks
) -> tuple[Ints, Ints]:
    """All canonical devices of each node, its first one included; sorted by node."""
    first = np.flatnonzero(device != NO_DEVICE)
    if quirks.one_device_per_node:
        return first, device[first]
    seen = rules.canonical[joined["seen_device"]]
    count = max(len(profile.devices), 1)
    keys = np.concatenate(
        [
            first * count + device[first],
            joined["seen_node"][seen].astype(np.int64) * count + joined["seen_device"][seen],
        ]
    )
    keys = np.unique(keys)
    return keys // count, keys % count


def _sums_per_span(profile: Profile, joined: dict[str, Ints]) -> dict[str, Ints]:
    """One row per node and step: runs added up, the earliest start, the latest end."""
    count = max(len(profile.steps), 1)
    keys = joined["span_node"] * count + joined["span_step"]
    distinct, row = _distinct(keys, len(profile.nodes) * count)
    runs = np.zeros(len(distinct), np.int64)
    start = np.full(len(distinct), np.iinfo(np.int64).max)
    end = np.zeros(len(distinct), np.int64)
    np.add.at(runs, row, joined["span_runs"])
    np.minimum.at(start, row, joined["span_start"])
    np.maximum.at(end, row, joined["span_end"])
    return {
        "span_node": distinct // count,
        "span_step": distinct % count,
        "span_runs": runs,
        "span_start": np.where(start == np.iinfo(np.int64).max, 0, start),
        "span_end": end,
    }


def _distinct(keys: Ints, space: int) -> tuple[Ints, Ints]:
    """Sorted distinct keys and where each key stands among them; by counting when that is small."""
    if space > 8 * len(keys) + 1_000_000:
        distinct, row = np.unique(keys, return_inverse=True)
        return distinct, row
    used = np.zeros(space, bool)
    used[keys] = True
    return np.flatnonzero(used), (np.cumsum(used) - 1)[keys]
