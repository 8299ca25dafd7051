"""What loaders give to a profile: the columns of one GraphDef, RunMetadata or OpLogProto."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.profiles.schema import Array, BoolArray, LogEntries, RecordColumns, Stacks

LARGE_BLOCKS_ONLY = "large blocks of oneDNN's allocator only"
"""The allocator of traces of CPUs: of all blocks they have those of 256 KiB and more of oneDNN."""

COMPILED = "XLA's buffer assignment"
"""The allocator of programs that XLA compiled: it places all their buffers when it compiles."""

Change = Callable[[Any], Any]
"""What is done with a column."""


@dataclass(frozen=True, slots=True)
class GraphColumns:
    """The nodes of a graph in the order of the file, duplicates included."""

    name: pa.Array
    op: pa.Array
    attrs: pa.Array
    shape: pa.Array
    output_shapes: pa.Array
    input_node: Array
    input_index: Array
    input_name: pa.Array
    input_output: Array
    library: bytes = b""
    """The serialized GraphDef, if it has functions."""
    roots: tuple[str, ...] = ()
    """The nodes that the graph is run for; without any, all of them."""
    input_names: Mapping[str, str] = field(default_factory=dict)
    """What the signature calls its placeholders."""


@dataclass(frozen=True, slots=True)
class LogColumns:
    """The entries of an op log; `entries.stack` is an index in `stacks`, -1 for none."""

    entries: LogEntries
    stacks: Stacks


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RunColumns(RecordColumns):
    """The records of a RunMetadata; `device` indexes into `devices`.

    `name` and `label` are strings, or dictionaries where a trace has each name many times.
    """

    devices: list[str]
    name: pa.Array
    label: pa.Array

    def filter(self, mask: BoolArray) -> RunColumns:
        """The records in `mask`, with their allocations and outputs."""
        return self if mask.all() else self.take(np.flatnonzero(mask))

    def take(self, rows: Array) -> RunColumns:
        """Some records, with their allocations and outputs in the order of the records."""
        new_row = np.full(len(self.name), -1, np.int32)
        new_row[rows] = np.arange(len(rows), dtype=np.int32)
        allocations, outputs = (
            _rows_of_records(new_row[owner])
            for owner in (self.allocation_record, self.output_record)
        )
        return self._map(
            lambda values: _take(values, rows),
            lambda values: values.take(allocations),
            lambda values: values.take(outputs),
            lambda owner: new_row[owner],
        )

    def slice(self, start: int, stop: int) -> RunColumns:
        """The records from one row to another, without a copy."""
        first, last = np.searchsorted(self.allocation_record, [start, stop]).tolist()
        begin, end = np.searchsorted(self.output_record, [start, stop]).tolist()
        return self._map(
            lambda values: values[start:stop],
            lambda values: values[first:last],
            lambda values: values[begin:end],
            lambda owner: owner - start,
        )

    def _map(
        self, records: Change, allocations: Change, outputs: Change, owners: Change
    ) -> RunColumns:
        """The columns with each group of them changed; `owners` renumbers records."""
        columns: dict[str, Any] = {"devices": self.devices}
        for name in (item.name for item in fields(self) if item.name != "devices"):
            values = getattr(self, name)
            change = records
            if name.startswith("allocation_"):
                change = allocations
            elif name.startswith("output_") and name != "output_bytes":
                change = outputs
            if name.startswith("nanos_") and not len(values):
                columns[name] = values
            elif name in ("allocation_record", "output_record"):
                columns[name] = owners(change(values))
            else:
                columns[name] = change(values)
        return RunColumns(**columns)


def _rows_of_records(record: Array) -> Array:
    """The rows whose record is not -1, in the order of records."""
    rows = np.flatnonzero(record >= 0)
    return rows[np.argsort(record[rows], kind="stable")]


def _take(values: Any, rows: Array) -> Any:
    """Some rows of a column; one whose rows are all the same number in memory stays so."""
    is_constant = isinstance(values, np.ndarray) and values.strides == (0,) and len(rows) > 0
    return np.broadcast_to(values[0], len(rows)) if is_constant else values.take(rows)
