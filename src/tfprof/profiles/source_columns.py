"""What loaders give to a profile: the columns of one GraphDef, RunMetadata or OpLogProto."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.profiles.schema import Array, BoolArray, Stacks


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
    """The entries of an op log; `type_entry` is the entry of each type.

    `stack` is the index of an entry's stack in `stacks`, -1 for none.
    """

    name: pa.Array
    float_ops: Array
    stack: Array
    type_entry: Array
    type: pa.Array
    stacks: Stacks


@dataclass(frozen=True, slots=True)
class RunColumns:
    """The records of a RunMetadata; `device` indexes into `devices`."""

    devices: list[str]
    name: pa.Array
    label: pa.Array
    device: Array
    start: Array
    duration: Array
    total: Array
    peak: Array
    live: Array
    persistent: Array
    temporary: Array
    output_bytes: Array
    in_use: Array
    gpu_allocators: Array
    allocation_record: Array
    allocation_micros: Array
    allocation_bytes: Array
    output_record: Array
    output_slot: Array
    output_size: Array
    output_pointer: Array
    output_has_memory: BoolArray
    output_shape: pa.Array

    def filter(self, mask: BoolArray) -> RunColumns:
        """The records in `mask`, with their allocations and outputs."""
        if mask.all():
            return self
        new_row = np.cumsum(mask, dtype=np.int32) - np.int32(1)
        rows = np.flatnonzero(mask)
        allocations = np.flatnonzero(mask[self.allocation_record])
        outputs = np.flatnonzero(mask[self.output_record])
        columns: dict[str, Any] = {"devices": self.devices}
        for name in (item.name for item in fields(self) if item.name != "devices"):
            values = getattr(self, name)
            if name in ("allocation_record", "output_record"):
                values = new_row[values]
            if name.startswith("allocation_"):
                columns[name] = values.take(allocations)
            elif name.startswith("output_") and name != "output_bytes":
                columns[name] = values.take(outputs)
            else:
                columns[name] = values.take(rows)
        return RunColumns(**columns)
