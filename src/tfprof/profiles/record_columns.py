"""Which records of a RunMetadata count, and as what; and the same for the runs of a ProfileProto.

`Quirks` selects the rules of the original or the corrected ones.
"""

from __future__ import annotations

from functools import cached_property, reduce

import numpy as np

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.devices import DeviceRules, NodeDevices
from tfprof.profiles.lazy_columns import sum_bound, sum_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray, ProfileProtoRuns

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
"""The largest time; the start of a record that has none."""


class RecordRows:
    """The records of one RunMetadata: masks and row numbers of what counts as what.

    `accepted` records belong to their node. Of these, `timed` ones are intervals, and the rows in
    `memory_rows` have memory that counts.
    """

    def __init__(
        self,
        profile: Profile,
        index: int,
        *,
        rules: DeviceRules,
        devices: NodeDevices,
        exists: BoolArray,
        quirks: Quirks,
    ) -> None:
        records = self.records = profile.records[index]
        self.node, self.device = records.node, records.device
        self._host = rules.host[records.device]
        self._step = profile.steps.index(records.step)
        self.warnings: list[str] = []
        self.accepted = np.ones(len(records), bool)
        if not quirks.copies_make_nodes:
            self.accepted &= ~records.copy | profile.nodes.in_graph[records.node]
            self.accepted &= exists[records.node]
        elsewhere = devices.first[records.node] != records.device
        if quirks.one_device_per_node:
            self.accepted &= ~(rules.canonical[records.device] & elsewhere)
        self.started = self.accepted & (records.start > 0)
        self.duration = self._durations(quirks)
        self.accelerator = rules.accelerator[records.device]
        self.timed = self.started & (self.accelerator | rules.counts[records.device])
        has_memory = self.accepted & rules.counts[records.device]
        if quirks.one_device_per_node:
            # A record without a device agrees with a node that has none yet.
            unnamed = np.array([device == "" for device in profile.devices], bool)[records.device]
            unnamed &= np.arange(len(records)) < devices.first_record[index][records.node]
            has_memory = self.accepted & (~elsewhere | unnamed)
        self.memory_rows = np.flatnonzero(has_memory & (records.start > 0))
        self._warn_about_memory(np.flatnonzero(has_memory & (records.start <= 0)), quirks)
        self._secondary = profile.secondary_records[index] if profile.secondary_records else False

    def _durations(self, quirks: Quirks) -> Array:
        recorded = self.records.duration
        duration = np.where(recorded == 0, 1, recorded)
        if quirks.negative_durations:
            return duration
        negative = int((self.started & (duration < 0)).sum())
        if negative:
            self.warnings.append(
                f"{negative} records have a negative duration, counted as 1us each"
            )
        return np.maximum(duration, 1)

    def _warn_about_memory(self, without_start: Array, quirks: Quirks) -> None:
        names = self.records.names
        self.warnings += [
            f"{names[int(row)].as_py()} has no start time, skipping" for row in without_start
        ]
        if quirks.one_device_per_node:
            counts = self.records.gpu_allocators[self.memory_rows]
            self.warnings += [f"found {n} gpu allocator for 1 node" for n in counts[counts > 1]]

    def steps(self, rows: Array) -> Array:
        """The step of each of `rows`, a mask or row numbers."""
        count = int(rows.sum()) if rows.dtype == bool else len(rows)
        return np.full(count, self._step, np.int32)

    @property
    def runs(self) -> BoolArray:
        """Which records count as a run of their node."""
        counts: BoolArray = self.timed & ~self.accelerator & ~np.asarray(self._secondary)
        return counts

    @property
    def start(self) -> Array:
        """When each record started."""
        return np.where(self.started, self.records.start, LATEST)

    @property
    def end(self) -> Array:
        """When each record ended, 0 if it did not start."""
        return np.where(self.started, _add_saturated(self.records.start, self.duration), 0)

    @property
    def run_bound(self) -> float:
        """No node ran more often than this."""
        return len(self.records)

    @property
    def sum_bound(self) -> float:
        """More than any sum of times, bytes or runs; infinite if one of them is negative."""
        records = self.records
        sizes = (records.total, records.peak, records.live, records.output_bytes)
        fixed = (records.persistent, records.temporary, records.duration)
        return sum_bound(*sizes, *fixed) + len(records)

    def sum(self, *columns: str) -> Array:
        """The sum of some columns of the rows with memory."""
        values = [getattr(self.records, column)[self.memory_rows] for column in columns]
        return reduce(_add_saturated, reversed(values))

    def host_bytes(self, column: str) -> Array:
        """The bytes of the rows with memory that are on the host; 0 for the others."""
        return np.where(self._host[self.memory_rows], self.sum(column), 0)

    def accelerator_bytes(self, column: str) -> Array:
        """The bytes of the rows with memory that are not on the host; 0 for the others."""
        return np.where(self._host[self.memory_rows], 0, self.sum(column))

    def _memory_index(self, record: Array) -> Array:
        """The position among the rows with memory of each record, -1 for the others."""
        index = np.full(len(self.records), -1, np.int64)
        index[self.memory_rows] = np.arange(len(self.memory_rows))
        return index[record]

    @property
    def output_memory(self) -> Array:
        """The position among the rows with memory of each output."""
        return self._memory_index(self.records.output_record[self.outputs])

    @cached_property
    def allocations(self) -> Array:
        """The allocations of records with memory."""
        return np.flatnonzero(self._memory_index(self.records.allocation_record) >= 0)

    @cached_property
    def outputs(self) -> Array:
        """The outputs of records with memory."""
        counts = self._memory_index(self.records.output_record) >= 0
        return np.flatnonzero(counts & self.records.output_has_memory)


class SavedRows:
    """The runs of a ProfileProto, which has only the records that count."""

    def __init__(self, saved: ProfileProtoRuns, steps: tuple[int, ...]) -> None:
        self.saved = saved
        self.memory_rows = np.arange(len(saved.memory))
        self._steps = np.array(steps, np.int64)

    def column(self, name: str) -> Array:
        """A column of `Executions`."""
        saved = self.saved
        if name == "has_bytes_in_use":
            return self.column("allocator_bytes_in_use") > 0
        if name in MEMORY_FIELDS:
            return saved.memory[:, MEMORY_FIELDS.index(name)]
        if name in ("record_node", "record_step"):
            return self.column(f"execution_{name[7:]}")[saved.record_execution]
        values: Array = getattr(saved, name)
        return np.searchsorted(self._steps, values) if name.endswith("_step") else values

    @property
    def output_memory(self) -> Array:
        """The row with memory of each output."""
        return self.saved.output_memory

    @property
    def run_bound(self) -> float:
        """No node ran more often than this; infinite if a number is negative."""
        return sum_of(self.saved.execution_runs)

    @property
    def sum_bound(self) -> float:
        """More than any sum of times, bytes or runs; infinite if one of them is negative."""
        saved = self.saved
        return sum_bound(saved.memory.ravel(), saved.interval_duration, saved.execution_runs)


def _add_saturated(left: Array, right: Array) -> Array:
    """Sums that stop at the largest 64-bit number instead of wrapping around."""
    total = left + right
    wrapped = ((left ^ total) & (right ^ total)) < 0
    if not wrapped.any():
        return total
    limits = np.iinfo(np.int64)
    return np.where(wrapped, np.where(left < 0, limits.min, limits.max), total)
