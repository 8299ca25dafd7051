"""Which records of a RunMetadata count, and as what; and the same for the runs of a ProfileProto.

`Quirks` selects the rules of the original or the corrected ones.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
import pyarrow.compute as pc

from tfprof.definitions.integers import INT64_MAX
from tfprof.definitions.quirks import Quirks
from tfprof.profiles.devices import DeviceRules, NodeDevices
from tfprof.profiles.lazy_columns import sum_bound, sum_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray, ProfileProtoRuns
from tfprof.runtime.lazy import cached_property

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
LATEST = INT64_MAX
"""The largest time; the start of a record that has none."""
_ALL_BITS = 2**64 - 1
_MAX_MICROS = LATEST // 1000
_NANOS_OF = {
    "interval_self_nanos": "interval_duration",
    "interval_start_nanos": "interval_start",
}


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
        self._step = _step_positions(profile)[records.step]
        self._wraps = quirks.int64_overflow
        self._gpu_only = quirks.gpu_allocations_only
        self.warnings: list[str] = []
        self.accepted = np.ones(len(records), bool)
        if not quirks.copies_make_nodes:
            self.accepted &= ~records.copy | profile.nodes.in_graph[records.node]
            self.accepted &= exists[records.node]
        elsewhere = devices.first[records.node] != records.device
        if quirks.one_device_per_node:
            self.accepted &= ~(rules.canonical[records.device] & elsewhere)
        self.started = self.accepted & (records.start > 0)
        self.duration = self._durations(quirks, 0 if profile.exact_durations else 1)
        self.accelerator = rules.accelerator[records.device]
        self.timed = self.started & (self.accelerator | rules.counts[records.device])
        has_memory = self.accepted & rules.counts[records.device]
        if quirks.one_device_per_node:
            # A record without a device agrees with a node that has none yet.
            unnamed = np.array([device == "" for device in profile.devices], bool)[records.device]
            first = devices.first_records(index, len(records))
            unnamed &= np.arange(len(records)) < first[records.node]
            has_memory = self.accepted & (~elsewhere | unnamed)
        self.memory_rows = np.flatnonzero(has_memory & (records.start > 0))
        self._warn_about_memory(has_memory, quirks)
        self._secondary = profile.secondary_records[index] if profile.secondary_records else False

    def _durations(self, quirks: Quirks, shortest: int) -> Array:
        recorded = self.records.duration
        duration = np.where(recorded == 0, shortest, recorded)
        if quirks.negative_durations:
            return duration
        negative = int((self.started & (duration < 0)).sum())
        if negative:
            self.warnings.append(
                f"{negative} records have a negative duration, counted as 1us each"
            )
        return np.maximum(duration, shortest)

    def _warn_about_memory(self, has_memory: BoolArray, quirks: Quirks) -> None:
        """Add the warnings about records with memory, in the order of the records."""
        names, count = self.records.names, self.records.gpu_allocators
        no_start = has_memory & (self.records.start <= 0)
        odd = no_start
        if quirks.several_allocators_reported:
            odd = no_start | (has_memory & (count > 1))
        self.warnings += [
            f"{names[row].as_py()} has no start time, skipping"
            if no_start[row]
            else f"found {count[row]} gpu allocator for 1 node"
            for row in np.flatnonzero(odd).tolist()
        ]

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
        return np.where(self.started, self._add([self.records.start, self.duration]), 0)

    @property
    def has_nanos(self) -> bool:
        """Whether times are known to the nanosecond."""
        return len(self.records.nanos_self) > 0

    @property
    def self_nanos(self) -> Array:
        """The self time of each record in nanoseconds."""
        return self.records.nanos_self if self.has_nanos else to_nanos(self.duration)

    @property
    def start_nanos(self) -> Array:
        """When each record started, in nanoseconds."""
        return self.records.nanos_start if self.has_nanos else to_nanos(self.records.start)

    @property
    def end_nanos(self) -> Array:
        """When each record ended, in nanoseconds."""
        elapsed = self.records.nanos_elapsed if self.has_nanos else to_nanos(self.duration)
        return _add_saturated(self.start_nanos, elapsed)

    @property
    def thread(self) -> Array:
        """The thread of each record, -1 if it is not known."""
        known = self.records.nanos_thread
        return known if len(known) else np.full(len(self.records), -1, np.int32)

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
        return self._add(values[::-1])

    def _add(self, columns: list[Array]) -> Array:
        """The sum of columns in 64 bits: beyond them it wraps around, or stops at the limit."""
        total = reduce(np.add if self._wraps else _add_saturated, columns)
        if total.dtype != object:
            return total
        if self._wraps:
            return (total & _ALL_BITS).astype(np.uint64).view(np.int64)
        return np.clip(total, ~LATEST, LATEST).astype(np.int64)

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
        counts = self._memory_index(self.records.allocation_record) >= 0
        if self._gpu_only:
            names = self.records.allocation_allocator
            is_gpu = pc.match_substring(names.dictionary, "GPU").to_numpy(zero_copy_only=False)
            counts &= np.append(is_gpu, False)[names.indices.to_numpy()]
        return np.flatnonzero(counts)

    @cached_property
    def outputs(self) -> Array:
        """The outputs of records with memory."""
        counts = self._memory_index(self.records.output_record) >= 0
        return np.flatnonzero(counts & self.records.output_has_memory)


def _step_positions(profile: Profile) -> dict[int, int]:
    """Step -> its position among the steps."""
    return profile.memoize(
        _step_positions, lambda: {step: i for i, step in enumerate(profile.steps)}
    )


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
        if name == "interval_end_nanos":
            return to_nanos(_add_saturated(saved.interval_start, saved.interval_duration))
        if name == "interval_thread":
            return np.full(len(saved.interval_node), -1, np.int32)
        if name in _NANOS_OF:
            return to_nanos(getattr(saved, _NANOS_OF[name]))
        if name == "memory_start":
            return self.column("memory_micros")  # which is all that a ProfileProto knows
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


def to_nanos(micros: Array) -> Array:
    """Microseconds as nanoseconds, as far as 64 bits go."""
    return np.clip(micros, -_MAX_MICROS, _MAX_MICROS).astype(np.int64) * 1000


def _add_saturated(left: Array, right: Array) -> Array:
    """Sums that stop at the largest 64-bit number instead of wrapping around."""
    total = left + right
    wrapped = ((left ^ total) & (right ^ total)) < 0
    if not wrapped.any():
        return total
    limits = np.iinfo(np.int64)
    return np.where(wrapped, np.where(left < 0, limits.min, limits.max), total)
