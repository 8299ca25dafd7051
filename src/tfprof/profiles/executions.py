"""Executions, intervals, placements and memory of nodes, from the records of a profile.

A *record* is one NodeExecStats of a RunMetadata, kept as it was written. Here records become
*executions* (all of one node in one step), *intervals* (the time of one record on one device) and
*placements* (the devices of a node), by the rules of the original or the corrected ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.devices import DeviceRules, device_rules, node_devices
from tfprof.profiles.grouping import distinct, distinct_index
from tfprof.profiles.profile import Profile
from tfprof.profiles.record_columns import BYTE_FIELDS, LATEST, MEMORY_FIELDS, RecordRows, SavedRows
from tfprof.profiles.schema import NO_DEVICE, Array, BoolArray, Calls, RecordColumns
from tfprof.runtime.lazy import cached_property

__all__ = ["BYTE_FIELDS", "MEMORY_FIELDS", "Executions", "executions_of"]


class _Column:
    """A column of `Executions`, computed when it is first read, as `cached_property` does.

    Its rows are those of the saved profiles, then those of every RunMetadata. `from_records` makes
    the latter; saved profiles have a column of the same name, or of the name `saved`.
    """

    def __init__(
        self, dtype: Any, from_records: Callable[[RecordRows], Array], saved: str = ""
    ) -> None:
        self.dtype, self.from_records, self.name = dtype, from_records, saved

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, executions: Executions, owner: type) -> Array:
        column = self.collect(executions)
        executions.__dict__[self.name] = column
        return column

    def collect(self, executions: Executions) -> Array:
        """The column, not kept."""
        parts = [part.column(self.name) for part in executions.saved_rows]
        parts += map(self.from_records, executions.record_rows)
        # Parts may have different dtypes, and there may be none.
        empty = np.zeros(0, self.dtype)
        return np.concatenate([empty, *(part.astype(self.dtype, copy=False) for part in parts)])


_int32, _int64 = partial(_Column, np.int32), partial(_Column, np.int64)

# One row for each accepted record, from which executions are made.
_NODE = _int64(lambda rows: rows.node[rows.accepted], "execution_node")
_STEP = _int64(lambda rows: rows.steps(rows.accepted), "execution_step")
_RUNS = _int64(lambda rows: rows.runs[rows.accepted], "execution_runs")
_START = _int64(lambda rows: rows.start[rows.accepted], "execution_start")
_END = _int64(lambda rows: rows.end[rows.accepted], "execution_end")


class AcceptedRecords(NamedTuple):
    """The records that belong to their node, a row each; `runs` is how often each counts."""

    node: Array
    step: Array
    runs: Array
    start: Array
    end: Array


class Executions:
    """Executions, intervals, placements and memory of all nodes and steps.

    `…_step` columns are positions in `Profile.steps`. `exists` is a mask of the nodes in the model,
    `device` is the first device of each node. Columns whose names share a prefix have the same
    rows; those of `MEMORY_FIELDS` belong to `memory_*`.
    """

    interval_node = _int32(lambda rows: rows.node[rows.timed])
    interval_step = _int32(lambda rows: rows.steps(rows.timed))
    interval_device = _int32(lambda rows: rows.device[rows.timed])
    interval_start = _int64(lambda rows: rows.records.start[rows.timed])
    interval_duration = _int64(lambda rows: rows.duration[rows.timed])
    interval_self_nanos = _int64(lambda rows: rows.self_nanos[rows.timed])
    interval_start_nanos = _int64(lambda rows: rows.start_nanos[rows.timed])
    interval_end_nanos = _int64(lambda rows: rows.end_nanos[rows.timed])
    interval_accelerator = _Column(bool, lambda rows: rows.accelerator[rows.timed])
    interval_thread = _int32(lambda rows: rows.thread[rows.timed])

    # Of a saved profile, each device of an execution counts as a record.
    record_node = _int32(lambda rows: rows.node[rows.accepted])
    record_step = _int32(lambda rows: rows.steps(rows.accepted))
    record_device = _int32(lambda rows: rows.device[rows.accepted])

    memory_node = _int32(lambda rows: rows.node[rows.memory_rows])
    memory_step = _int32(lambda rows: rows.steps(rows.memory_rows))
    memory_start = _int64(lambda rows: rows.sum("start"))
    memory_micros = _int64(lambda rows: rows.sum("start", "duration"))
    host_temp_bytes = _int64(lambda rows: rows.host_bytes("temporary"))
    host_persistent_bytes = _int64(lambda rows: rows.host_bytes("persistent"))
    accelerator_temp_bytes = _int64(lambda rows: rows.accelerator_bytes("temporary"))
    accelerator_persistent_bytes = _int64(lambda rows: rows.accelerator_bytes("persistent"))
    requested_bytes = _int64(lambda rows: rows.sum("total", "persistent", "temporary"))
    peak_bytes = _int64(lambda rows: rows.sum("peak", "persistent", "temporary"))
    residual_bytes = _int64(lambda rows: rows.sum("live", "persistent"))
    output_bytes = _int64(lambda rows: rows.sum("output_bytes"))
    allocator_bytes_in_use = _int64(lambda rows: rows.sum("in_use"))
    has_bytes_in_use = _Column(bool, lambda rows: rows.sum("gpu_allocators") > 0)

    allocation_node = _int32(
        lambda rows: rows.node[rows.records.allocation_record[rows.allocations]]
    )
    allocation_step = _int32(lambda rows: rows.steps(rows.allocations))
    allocation_micros = _int64(lambda rows: rows.records.allocation_micros[rows.allocations])
    allocation_bytes = _int64(lambda rows: rows.records.allocation_bytes[rows.allocations])

    output_slot = _int32(lambda rows: rows.records.output_slot[rows.outputs])
    output_size = _int64(lambda rows: rows.records.output_size[rows.outputs])
    output_pointer = _Column(np.uint64, lambda rows: rows.records.output_pointer[rows.outputs])

    def __init__(self, profile: Profile, quirks: Quirks) -> None:
        """Decide which records count; the columns are made later."""
        rules = device_rules(profile.devices, quirks)
        self.exists = _existing_nodes(profile, quirks)
        devices = node_devices(profile, rules, self.exists)
        self.device = devices.first
        self.saved_rows = [SavedRows(saved, profile.steps) for saved in profile.saved]
        self.record_rows = [
            RecordRows(
                profile, index, rules=rules, devices=devices, exists=self.exists, quirks=quirks
            )
            for index in range(len(profile.records))
        ]
        self._steps, self._nodes = max(len(profile.steps), 1), len(profile.nodes)
        self.placement_node, self.placement_device = _placements(profile, self, rules, quirks)
        warnings = [text for part in self.record_rows for text in part.warnings]
        # Placements are sorted by node.
        if not quirks.one_device_per_node and not np.diff(self.placement_node).all():
            warnings.append(
                "some nodes ran on more than one device; each device's records are counted"
            )
        self.warnings = tuple(warnings)

    @property
    def _parts(self) -> list[SavedRows | RecordRows]:
        return [*self.saved_rows, *self.record_rows]

    @property
    def has_nanos(self) -> bool:
        """Whether some times are known to the nanosecond."""
        return any(part.has_nanos for part in self.record_rows)

    @cached_property
    def sum_bound(self) -> float:
        """More than any sum of times, bytes or runs; infinite if one of them is negative."""
        return float(sum(part.sum_bound for part in self._parts))

    @cached_property
    def run_bound(self) -> float:
        """No node ran more often than this; infinite if a number is negative."""
        return float(sum(part.run_bound for part in self._parts))

    @cached_property
    def _groups(self) -> tuple[Array, Array]:
        """The distinct keys (node x step) of executions, and the execution of each record."""
        keys = _NODE.collect(self) * self._steps + _STEP.collect(self)
        return distinct_index(keys, self._nodes * self._steps)

    @cached_property
    def execution_node(self) -> Array:
        """The node of each execution; nodes ascend, and steps within them."""
        return self._groups[0] // self._steps

    @cached_property
    def execution_step(self) -> Array:
        """The step of each execution."""
        return self._groups[0] % self._steps

    @cached_property
    def execution_runs(self) -> Array:
        """How often the node ran in the step."""
        return self._reduce(np.add, _RUNS, 0)

    @cached_property
    def execution_start(self) -> Array:
        """The earliest start; 0 if no record has one."""
        start = self._reduce(np.minimum, _START, LATEST)
        return np.where(start == LATEST, 0, start)

    @cached_property
    def execution_end(self) -> Array:
        """The latest end."""
        return self._reduce(np.maximum, _END, 0)

    def accepted_records(self) -> AcceptedRecords:
        """The records from which executions are made."""
        columns = (_NODE, _STEP, _RUNS, _START, _END)
        return AcceptedRecords(*(column.collect(self) for column in columns))

    def _reduce(self, function: np.ufunc, column: _Column, initial: int) -> Array:
        keys, row = self._groups
        values = np.full(len(keys), initial, np.int64)
        function.at(values, row, column.collect(self))
        return values

    @cached_property
    def output_memory(self) -> Array:
        """The row of `memory_*` that each output belongs to."""
        columns, first = [np.zeros(0, np.int64)], 0
        for part in self._parts:
            columns.append(part.output_memory + first)
            first += len(part.memory_rows)
        return np.concatenate(columns)


def executions_of(profile: Profile, quirks: Quirks) -> Executions:
    """The executions of a profile, computed once."""
    return profile.memoize((executions_of, quirks), lambda: Executions(profile, quirks))


def counts_of_steps(profile: Profile, quirks: Quirks) -> dict[str, int]:
    """How many steps, nodes and executions a profile has, as limits of outputs ask for them."""
    executions = len(executions_of(profile, quirks).execution_node)
    return {"steps": len(profile.steps), "nodes": len(profile.nodes), "executions": executions}


def record_warnings(profile: Profile, quirks: Quirks, first: int = 0) -> tuple[str, ...]:
    """What the original says of the records of the runs from number `first` on.

    By default it is among the messages of each report.
    """
    runs = profile.records[first:]
    if not quirks.records_reported_once or not any(map(has_odd_records, runs)):
        return ()
    rows = executions_of(profile, quirks).record_rows[first:]
    return tuple(text for part in rows for text in part.warnings)


def has_odd_records(records: RecordColumns) -> bool:
    """Whether the original says something of the records of a run."""
    return bool(((records.start <= 0) | (records.gpu_allocators > 1)).any())


def executed_counts(calls: Calls | None, ran: BoolArray, runs: Array) -> Array:
    """The runs of each node; one without records ran as often as the call it belongs to.

    An optimizer may have merged it into another node of a loop's body, which ran in each
    iteration. A node outside of all calls ran once, one in a branch that was not taken never.
    """
    if calls is None or not ran.any():
        return np.where(ran, runs, 1)
    site_runs = np.zeros(len(calls.caller), runs.dtype)
    np.maximum.at(site_runs, calls.call_site[ran], runs[ran])
    has_run = np.zeros(len(ran) + 1, bool)
    has_run[calls.caller[site_runs > 0]] = True
    site_runs[0] = 1
    for site in np.flatnonzero(site_runs == 0).tolist():  # a parent comes before its children
        # Another function of the same caller ran instead, such as the other branch.
        skipped = has_run[calls.caller[site]]
        site_runs[site] = 0 if skipped else site_runs[calls.parent[site]]
    return np.where(ran, runs, site_runs[calls.call_site])


def _existing_nodes(profile: Profile, quirks: Quirks) -> BoolArray:
    """Which nodes are in the model: all but those that only have records of memory copies."""
    exists = np.ones(len(profile.nodes), bool)
    if quirks.copies_make_nodes or not profile.records:
        return exists
    only_copies = ~profile.nodes.in_graph
    for records in profile.records:
        only_copies[records.node[~records.copy]] = False
    return ~only_copies


def _placements(
    profile: Profile, executions: Executions, rules: DeviceRules, quirks: Quirks
) -> tuple[Array, Array]:
    """All canonical devices of each node, the first included; sorted by node."""
    device = executions.device
    first = np.flatnonzero(device != NO_DEVICE)
    if quirks.one_device_per_node:
        return first, device[first]
    node, used = executions.record_node, executions.record_device
    canonical = rules.canonical[used]
    count = max(len(profile.devices), 1)
    keys = np.concatenate(
        [first * count + device[first], node[canonical].astype(np.int64) * count + used[canonical]]
    )
    keys = distinct(keys, len(profile.nodes) * count)
    return keys // count, keys % count
