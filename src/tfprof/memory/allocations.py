"""The blocks of memory that steps allocated, from the allocation records of all devices.

A record lists its allocations and releases, a release as a negative size. A block is an allocation
with the release of the same size that follows it. A *pool* is the memory of one allocator on one
device.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from tfprof.definitions.limits import MAX_COMPARED_ALLOCATORS
from tfprof.flops.hlo.compiled_nodes import compiled_nodes
from tfprof.profiles.executions import Executions
from tfprof.profiles.grouping import argsort_within, distinct_rows
from tfprof.profiles.profile import Profile
from tfprof.profiles.record_columns import LATEST, RecordRows, SavedRows
from tfprof.profiles.schema import NO_DEVICE, Array, BoolArray

_LARGE = 2.0**62
_ROUNDED = 256
"""Allocators round sizes up to a multiple of this at most."""
_ROUNDED_SHARE = 1 / 16
"""Two allocators that differ by more than this share have allocations of their own."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The memory of one allocator on one device; a saved profile has no name of the allocator."""

    device: str
    allocator: str

    def __str__(self) -> str:
        return f"{self.device} ({self.allocator})" if self.allocator else self.device


@dataclass(frozen=True, slots=True, eq=False)
class AllocationEvents:
    """Allocations and releases, a row each; `record` numbers the records of all runs."""

    record: Array
    node: Array
    step: Array
    pool: Array
    micros: Array
    bytes: Array
    record_end: Array

    def filter(self, mask: BoolArray) -> AllocationEvents:
        """The events in `mask`."""
        return AllocationEvents(*(getattr(self, name)[mask] for name in self.__slots__))


@dataclass(frozen=True, slots=True, eq=False)
class MemoryBlocks:
    """Blocks of memory, a row each. One that the step does not release ends at `LATEST`.

    `temporary` blocks are released before their op ends, those of a compiled program at the end of
    its run. `record` is that of `AllocationEvents`.
    """

    pools: tuple[Pool, ...]
    record: Array
    node: Array
    step: Array
    pool: Array
    size: Array
    start: Array
    end: Array
    temporary: BoolArray
    saved_records: int = 0
    """How many of the first records are of saved profiles, not of a RunMetadata."""
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.node)


def find_blocks(profile: Profile, executions: Executions) -> MemoryBlocks:
    """The blocks that the steps of a resolved profile allocated."""
    pools, events, saved_records = _collect(profile, executions)
    warnings: list[str] = []
    events = _without_impossible(pools, events, warnings)
    events = _without_wrappers(pools, events, warnings)
    blocks, unmatched = _pair(pools, events, compiled_nodes(profile))
    for pool, count in zip(*np.unique(unmatched, return_counts=True), strict=True):
        warnings.append(
            f"{pools[pool]}: {count} releases of memory that no record allocated are left out"
        )
    return replace(blocks, saved_records=saved_records, warnings=tuple(warnings))


def _collect(profile: Profile, executions: Executions) -> tuple[list[Pool], AllocationEvents, int]:
    """The pools, all their events, and how many records are of saved profiles."""
    none = np.zeros(0, np.int64)
    allocators: dict[str, int] = {}
    parts, devices, codes = [_no_events()], [none], [none]
    first = saved_records = 0
    for number, (device, allocator, events, records) in enumerate(_parts(executions)):
        names, indices = allocator
        numbers = [allocators.setdefault(name, len(allocators)) for name in names]
        devices.append(device)
        codes.append(np.array([*numbers, 0], np.int64)[indices])
        parts.append(replace(events, record=events.record + first))
        first += records
        saved_records += records if number < len(executions.saved_rows) else 0
    device, code = np.concatenate(devices), np.concatenate(codes)
    pool, first_row = distinct_rows([device, code])
    columns = {
        name: np.concatenate([getattr(p, name) for p in parts])
        for name in AllocationEvents.__slots__
    }
    device_names, allocator_names = [*profile.devices, ""], list(allocators)
    listed = [Pool(device_names[device[row]], allocator_names[code[row]]) for row in first_row]
    return listed, AllocationEvents(**{**columns, "pool": pool}), saved_records


_Part = tuple[Array, tuple[list[str], Array], AllocationEvents, int]


def _parts(executions: Executions) -> Iterator[_Part]:
    """Device, allocator and events of each saved profile and RunMetadata; how many records.

    The allocators are the distinct names, and the index of each event's.
    """
    for saved in executions.saved_rows:
        yield _saved_events(executions, saved)
    for rows in executions.record_rows:
        yield _recorded_events(rows)


def _recorded_events(rows: RecordRows) -> _Part:
    records, chosen = rows.records, rows.allocations
    record = records.allocation_record[chosen].astype(np.int64)
    end = records.start + rows.duration
    events = AllocationEvents(
        record,
        rows.node[record].astype(np.int64),
        rows.steps(record).astype(np.int64),
        record,
        records.allocation_micros[chosen],
        records.allocation_bytes[chosen],
        end[record],
    )
    names = records.allocation_allocator
    allocator = names.dictionary.to_pylist(), names.indices.to_numpy()[chosen]
    return records.device[record].astype(np.int64), allocator, events, len(records)


def _saved_events(executions: Executions, rows: SavedRows) -> _Part:
    """The events of a ProfileProto, whose records of one node and step are one."""
    node = rows.column("allocation_node").astype(np.int64)
    step = rows.column("allocation_step").astype(np.int64)
    record, first = distinct_rows([node, step])
    ends = np.zeros(len(first), np.int64)
    execution = {
        key: int(end)
        for *key_parts, end in zip(
            rows.column("execution_node").tolist(),
            rows.column("execution_step").tolist(),
            rows.column("execution_end").tolist(),
            strict=True,
        )
        for key in [tuple(key_parts)]
    }
    for number, row in enumerate(first.tolist()):
        ends[number] = execution.get((int(node[row]), int(step[row])), 0)
    micros, size = rows.column("allocation_micros"), rows.column("allocation_bytes")
    events = AllocationEvents(record, node, step, record, micros, size, ends[record])
    device = np.where(node >= 0, executions.device[node], NO_DEVICE).astype(np.int64)
    return device, ([""], np.zeros(len(node), np.int64)), events, len(first)


def _no_events() -> AllocationEvents:
    return AllocationEvents(*(np.zeros(0, np.int64) for _ in AllocationEvents.__slots__))


def _without_impossible(
    pools: list[Pool], events: AllocationEvents, warnings: list[str]
) -> AllocationEvents:
    """The events without those of pools whose sizes no machine has and 64 bits cannot add."""
    total = np.bincount(events.pool, np.abs(events.bytes.astype(float)), len(pools))
    impossible = total >= _LARGE
    warnings.extend(
        f"{pools[pool]}: the recorded sizes are too large to be added; its memory is not shown"
        for pool in np.flatnonzero(impossible).tolist()
    )
    return events.filter(~impossible[events.pool]) if impossible.any() else events


def _without_wrappers(
    pools: list[Pool], events: AllocationEvents, warnings: list[str]
) -> AllocationEvents:
    """The events without those that an allocator recorded again for the allocator it wraps.

    The one that asks for more, which rounds sizes up, counts.
    """
    rows_of = _rows_by_pool(events, len(pools))
    by_device: dict[str, list[int]] = {}
    for i, pool in enumerate(pools):
        by_device.setdefault(pool.device, []).append(i)
    is_counted = np.ones(len(pools), bool)
    for device, numbers in by_device.items():
        if len(numbers) > MAX_COMPARED_ALLOCATORS:
            warnings.append(
                f"{device}: of {len(numbers)} allocators, those that record the allocations of "
                "another are not known; all of them count"
            )
            continue
        for i, j in combinations(numbers, 2):
            rows, others = rows_of[i], rows_of[j]
            if not (is_counted[i] and is_counted[j] and _are_alike(events, rows, others)):
                continue
            first, second = (np.abs(events.bytes[part]).sum() for part in (rows, others))
            counted, dropped = (j, i) if second > first else (i, j)
            warnings.append(
                f"{device}: '{pools[dropped].allocator}' and '{pools[counted].allocator}' "
                "recorded the same allocations; they count once"
            )
            is_counted[dropped] = False
    return events if is_counted.all() else events.filter(is_counted[events.pool])


def _rows_by_pool(events: AllocationEvents, pools: int) -> list[Array]:
    order = np.argsort(events.pool, kind="stable")
    return np.split(order, np.searchsorted(events.pool[order], np.arange(1, pools)))


def _are_alike(events: AllocationEvents, rows: Array, others: Array) -> bool:
    """Whether two allocators have the same events in each record, but for rounded sizes."""
    if not len(rows) or len(rows) != len(others):
        return False
    first, second = events.bytes[rows], events.bytes[others]
    is_same = (events.record[rows] == events.record[others]) & ((first > 0) == (second > 0))
    difference = np.abs(first - second)
    is_small = int(difference.sum()) <= _ROUNDED_SHARE * int(np.abs(first).sum())
    return is_small and bool((is_same & (difference < _ROUNDED)).all())


def _pair(
    pools: list[Pool], events: AllocationEvents, is_compiled: BoolArray
) -> tuple[MemoryBlocks, Array]:
    """The blocks, and the pools of the releases that belong to none.

    `is_compiled` says which nodes are instructions of compiled programs.
    """
    events = events.filter(events.bytes != 0)
    size = np.abs(events.bytes)
    group, _ = distinct_rows([events.record, events.pool, size])
    # Of events at the same time, a block is allocated before it is released.
    order = np.lexsort((events.bytes < 0, events.micros, group))
    is_allocation = events.bytes[order] > 0
    unmatched = _unmatched_releases(group[order], is_allocation)
    allocations = order[is_allocation]
    releases = order[~is_allocation & ~unmatched]
    end = np.full(len(allocations), LATEST, np.int64)
    # The n-th release of a group is of its n-th allocation.
    first = np.searchsorted(group[allocations], group[releases])
    rank = np.arange(len(releases)) - np.searchsorted(group[releases], group[releases])
    end[first + rank] = events.micros[releases]
    by_time = argsort_within(events.step[allocations], events.micros[allocations])
    rows, end = allocations[by_time], end[by_time]
    blocks = MemoryBlocks(
        tuple(pools),
        events.record[rows],
        events.node[rows],
        events.step[rows],
        events.pool[rows],
        size[rows],
        events.micros[rows],
        end,
        (end <= events.record_end[rows]) | (is_compiled[events.node[rows]] & (end < LATEST)),
    )
    return blocks, events.pool[order[unmatched]]


def _unmatched_releases(group: Array, is_allocation: BoolArray) -> BoolArray:
    """Which events, sorted by group and time, release more than their group has allocated."""
    change = np.where(is_allocation, 1, -1)
    running = np.cumsum(change)
    is_first = np.diff(group, prepend=-1) != 0
    live = running - (running - change)[is_first][np.cumsum(is_first) - 1]
    unmatched = np.zeros(len(group), bool)
    for wrong in np.unique(group[live < 0]).tolist():
        first, last = np.searchsorted(group, [wrong, wrong + 1]).tolist()
        count = 0
        for row in range(first, last):
            unmatched[row] = not is_allocation[row] and count == 0
            count += 0 if unmatched[row] else int(change[row])
    return unmatched
