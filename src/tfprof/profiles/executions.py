"""What the records of a profile mean: which of them count, as what, and for whom.

Records are kept as they were written; here they become intervals, schedulings and spans, by the
rules of the original or by the repaired ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.devices import DeviceRules, device_rules, first_devices
from tfprof.profiles.profile import Profile
from tfprof.profiles.record_columns import (
    BYTE_FIELDS,
    LATEST,
    MEMORY_FIELDS,
    record_part,
    saved_part,
)
from tfprof.profiles.schema import (
    NO_DEVICE,
    Array,
    BoolArray,
    distinct,
)

__all__ = ["BYTE_FIELDS", "MEMORY_FIELDS", "Executions", "executions_of"]


class Executions:
    """Intervals, schedulings and spans of all nodes and steps; columns are made when asked for.

    `step` columns are positions in `Profile.steps`. `exists` says which nodes are in the model,
    `device` is the one that each node was placed on first. `span_*` has a row per node and step,
    `time_*` per interval, `seen_*` per record's device; `memory_*` and all of `MEMORY_FIELDS` have
    one per scheduling.
    """

    span_node: Array
    span_step: Array
    span_runs: Array
    span_start: Array
    span_end: Array
    time_node: Array
    time_step: Array
    time_device: Array
    time_start: Array
    time_duration: Array
    time_accelerator: BoolArray
    seen_node: Array
    seen_step: Array
    seen_device: Array
    memory_node: Array
    memory_step: Array
    memory_micros: Array
    host_temp_bytes: Array
    host_persistent_bytes: Array
    accelerator_temp_bytes: Array
    accelerator_persistent_bytes: Array
    requested_bytes: Array
    peak_bytes: Array
    residual_bytes: Array
    output_bytes: Array
    allocator_bytes_in_use: Array
    memory_sampled: BoolArray
    allocation_node: Array
    allocation_step: Array
    allocation_micros: Array
    allocation_bytes: Array
    output_memory: Array
    output_slot: Array
    output_size: Array
    output_pointer: Array

    def __init__(self, profile: Profile, quirks: Quirks) -> None:
        """What all columns rest on."""
        rules = device_rules(profile.devices, quirks)
        self.exists = _existing(profile, quirks)
        self.device, known_from = first_devices(profile, rules, self.exists)
        warnings: list[str] = []
        self._parts = [saved_part(saved, profile.steps) for saved in profile.saved]
        self._parts += [
            record_part(profile, number, rules, self.device, since, self.exists, quirks, warnings)
            for number, since in enumerate(known_from)
        ]
        self._steps, self._nodes = max(len(profile.steps), 1), len(profile.nodes)
        self.placed_node, self.placed_device = _placed(profile, self, rules, quirks)
        if not quirks.one_device_per_node:
            several = len(np.unique(self.placed_node)) < len(self.placed_node)
            if several:
                warnings.append(
                    "some nodes ran on more than one device; each device's records are counted"
                )
        self.warnings = tuple(warnings)

    def __getattr__(self, name: str) -> Any:
        """A column that was not asked for before."""
        if name in _SPANS:
            found = _SPANS[name](self)
        elif name in _PART_COLUMNS:
            found = self.joined(name)
        else:
            raise AttributeError(name)
        self.__dict__[name] = found
        return found

    def joined(self, name: str) -> Array:
        """A column of all parts."""
        kind = _PART_COLUMNS[name]
        if not self._parts:
            return np.zeros(0, kind)
        columns = [part[name]() for part in self._parts]
        if name == "output_memory":
            rows = [len(part["memory_node"]()) for part in self._parts[:-1]]
            before = np.cumsum([0, *rows]).tolist()
            columns = [column + rows for column, rows in zip(columns, before, strict=True)]
        return np.concatenate(columns).astype(kind, copy=False)

    @cached_property
    def sum_bound(self) -> float:
        """More than any sum of times, bytes or runs; infinite if some number is below 0."""
        return float(sum(part["sum_bound"]() for part in self._parts))

    @cached_property
    def most(self) -> float:
        """No node ran more often than this; infinite if some number is below 0."""
        return float(sum(part["most"]() for part in self._parts))

    @cached_property
    def spans(self) -> tuple[Array, Array]:
        """Distinct pairs of node and step, and which of them each accepted record belongs to."""
        keys = self.joined("span_node") * self._steps + self.joined("span_step")
        return _distinct(keys, self._nodes * self._steps)


def executions_of(profile: Profile, quirks: Quirks) -> Executions:
    """The meaning of a profile's records, worked out once."""
    return profile.derived((executions_of, quirks), lambda: Executions(profile, quirks))


def _span_runs(runs: Executions) -> Array:
    """How often each span ran."""
    keys, row = runs.spans
    sums = np.zeros(len(keys), np.int64)
    np.add.at(sums, row, runs.joined("span_runs"))
    return sums


def _span_start(runs: Executions) -> Array:
    """The earliest start of each span."""
    keys, row = runs.spans
    start = np.full(len(keys), LATEST)
    np.minimum.at(start, row, runs.joined("span_start"))
    return np.where(start == LATEST, 0, start)


def _span_end(runs: Executions) -> Array:
    """The latest end of each span."""
    keys, row = runs.spans
    end = np.zeros(len(keys), np.int64)
    np.maximum.at(end, row, runs.joined("span_end"))
    return end


_SPANS: dict[str, Callable[[Executions], Array]] = {
    "span_node": lambda runs: runs.spans[0] // runs._steps,
    "span_step": lambda runs: runs.spans[0] % runs._steps,
    "span_runs": _span_runs,
    "span_start": _span_start,
    "span_end": _span_end,
}

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
    **dict.fromkeys(MEMORY_FIELDS, np.int64),
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


def _existing(profile: Profile, quirks: Quirks) -> BoolArray:
    """Which nodes are in the model: all but those that only copy records speak of."""
    exists = np.ones(len(profile.nodes), bool)
    if quirks.copies_make_nodes or not profile.records:
        return exists
    doubtful = ~profile.nodes.in_graph
    for records in profile.records:
        doubtful[records.node[~records.copy]] = False
    return ~doubtful


def _placed(
    profile: Profile, runs: Executions, rules: DeviceRules, quirks: Quirks
) -> tuple[Array, Array]:
    """All canonical devices of each node, its first one included; sorted by node."""
    device = runs.device
    first = np.flatnonzero(device != NO_DEVICE)
    if quirks.one_device_per_node:
        return first, device[first]
    seen = rules.canonical[runs.seen_device]
    count = max(len(profile.devices), 1)
    keys = np.concatenate(
        [
            first * count + device[first],
            runs.seen_node[seen].astype(np.int64) * count + runs.seen_device[seen],
        ]
    )
    keys = distinct(keys, len(profile.nodes) * count)
    return keys // count, keys % count


def _distinct(keys: Array, space: int) -> tuple[Array, Array]:
    """Sorted distinct keys and where each key stands among them; by counting when that is small."""
    if space > 8 * len(keys) + 1_000_000:
        found, row = np.unique(keys, return_inverse=True)
        return found, row
    used = np.zeros(space, bool)
    used[keys] = True
    return np.flatnonzero(used), (np.cumsum(used) - 1)[keys]
