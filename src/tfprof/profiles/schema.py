"""The tables of a profile and their columns.

A row of `Nodes` is a node of the model, in the order of arrival; its row number is the node's id.
The other tables refer to nodes by id. `docs/schema.md` describes every column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Array = npt.NDArray[Any]
BoolArray = npt.NDArray[np.bool_]

ATTRS = pa.list_(pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())]))
SHAPE = pa.list_(pa.int64())
SHAPES = pa.list_(SHAPE)
NO_DEVICE = -1
CONTROL = -1
"""The output that a control input takes: none."""

MISSING = "^missing"
"""The name in saved profiles of a producer that the graph does not have; no node has it."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Nodes:
    """The nodes of a model, without their records."""

    name: pa.Array
    op: pa.Array
    in_graph: BoolArray
    attrs: pa.Array
    shape: pa.Array
    output_shapes: pa.Array
    float_ops: Array
    stack: Array
    saved_device: Array

    def __len__(self) -> int:
        return len(self.name)

    @classmethod
    def empty(cls) -> Nodes:
        """No nodes."""
        return cls(
            pa.array([], pa.string()),
            pa.array([], pa.string()),
            np.zeros(0, bool),
            pa.array([], ATTRS),
            pa.array([], SHAPE),
            pa.array([], SHAPES),
            np.zeros(0, np.int64),
            np.zeros(0, np.int64),
            np.zeros(0, np.int32),
        )

    def followed_by(self, other: Nodes) -> Nodes:
        """These nodes and then others."""
        if not len(self):
            return other
        return Nodes(
            pa.concat_arrays([self.name, other.name]),
            pa.concat_arrays([self.op, other.op]),
            np.concatenate([self.in_graph, other.in_graph]),
            pa.concat_arrays([self.attrs, other.attrs]),
            pa.concat_arrays([self.shape, other.shape]),
            pa.concat_arrays([self.output_shapes, other.output_shapes]),
            np.concatenate([self.float_ops, other.float_ops]),
            np.concatenate([self.stack, other.stack]),
            np.concatenate([self.saved_device, other.saved_device]),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Edges:
    """Inputs of nodes: input `index` of `consumer` is `output` of the node named `producer`.

    The output of a control input is `CONTROL`.
    """

    consumer: Array
    index: Array
    producer: pa.Array
    output: Array

    @classmethod
    def empty(cls) -> Edges:
        """No edges."""
        none = np.zeros(0, np.int32)
        return cls(none, none, pa.array([], pa.string()), none)

    def followed_by(self, other: Edges) -> Edges:
        """These edges and then others."""
        if not len(self.consumer):
            return other
        return Edges(
            np.concatenate([self.consumer, other.consumer]),
            np.concatenate([self.index, other.index]),
            pa.concat_arrays([self.producer, other.producer]),
            np.concatenate([self.output, other.output]),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Records:
    """The records of one RunMetadata, one row each, as they were written.

    `device` is an index in the profile's devices. The byte columns are sums over a record's
    allocators and outputs; `in_use` is the maximum of its GPU allocators. `label_*` has a row for
    each node whose record has a label, which names the op that ran: `<node> = <op>(<inputs>)`.
    """

    step: int
    node: Array
    device: Array
    start: Array
    duration: Array
    copy: BoolArray
    total: Array
    peak: Array
    live: Array
    persistent: Array
    temporary: Array
    output_bytes: Array
    in_use: Array
    gpu_allocators: Array
    names: pa.Array
    allocation_record: Array
    allocation_micros: Array
    allocation_bytes: Array
    output_record: Array
    output_slot: Array
    output_size: Array
    output_pointer: Array
    output_has_memory: BoolArray
    output_shape: pa.Array
    label_node: Array
    label_text: pa.Array

    def __len__(self) -> int:
        return len(self.node)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LogEntries:
    """Entries of op logs for names that no node has; nodes of functions may have them.

    `stack` is an index in all stacks of the profile, -1 for none. `type_entry` is the entry of
    each type.
    """

    name: pa.Array
    float_ops: Array
    stack: Array
    type_entry: Array
    type: pa.Array

    @classmethod
    def empty(cls) -> LogEntries:
        """No entries."""
        none = np.zeros(0, np.int64)
        return cls(pa.array([], pa.string()), none, none, none, pa.array([], pa.string()))

    def followed_by(self, other: LogEntries) -> LogEntries:
        """These entries and then others."""
        return LogEntries(
            pa.concat_arrays([self.name, other.name]),
            np.concatenate([self.float_ops, other.float_ops]),
            np.concatenate([self.stack, other.stack]),
            np.concatenate([self.type_entry, other.type_entry + len(self.name)]),
            pa.concat_arrays([self.type, other.type]),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Calls:
    """The calls that nodes of functions belong to: site 0 is the graph, the others are a call each.

    `call_site` is the site of every node, `caller` the node that makes the call of each site, and
    `parent` the caller's site, which comes before it. `edges` lead from callers to the nodes that
    produce their results.
    """

    call_site: Array
    caller: Array
    parent: Array
    edges: Edges


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ProfileProtoRuns:
    """The runs of a ProfileProto, in the tables of `Executions`.

    `execution_*` has a row for each node and step, `interval_*` for each interval, `record_*` for
    each device of an execution, `memory` for each ExecMemory, with its fields as columns.
    """

    execution_node: Array
    execution_step: Array
    execution_runs: Array
    execution_start: Array
    execution_end: Array
    interval_node: Array
    interval_step: Array
    interval_device: Array
    interval_start: Array
    interval_duration: Array
    interval_accelerator: BoolArray
    record_execution: Array
    record_device: Array
    memory_node: Array
    memory_step: Array
    memory: Array
    allocation_node: Array
    allocation_step: Array
    allocation_micros: Array
    allocation_bytes: Array
    output_memory: Array
    output_slot: Array
    output_size: Array
    output_pointer: Array


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stacks:
    """The creation stacks of one op log, outermost frame first.

    Stack `i` has the frames from `start[i]` to `start[i + 1]`. The `_id` columns are keys of
    `strings`; older logs have the text itself in the frames, which is in `texts` then.
    """

    start: Array
    line: Array
    function_line: Array
    file_id: Array
    function_id: Array
    text_id: Array
    strings: dict[int, str]
    texts: tuple[pa.Array, pa.Array, pa.Array] | None

    def __len__(self) -> int:
        return len(self.start) - 1
