"""The tables of a profile and their columns.

A row of `Nodes` is a node of the model, in the order of arrival; its row number is the node's id.
The other tables refer to nodes by id. `docs/schema.md` describes every column.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

if TYPE_CHECKING:
    from typing_extensions import Self

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


_NO_STRINGS = partial(pa.array, [], pa.string())
_NO_INT32 = partial(np.zeros, 0, np.int32)
_NO_INT64 = partial(np.zeros, 0, np.int64)


class _Table:
    """A dataclass of columns; without arguments, a table without rows."""

    __slots__ = ()

    @classmethod
    def empty(cls) -> Self:
        """No rows."""
        return cls()

    def columns(self) -> list[Any]:
        """The columns in the order of the fields."""
        return [getattr(self, item.name) for item in fields(self)]  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.columns()[0])

    def concat(self, other: Self) -> Self:
        """These rows and then others."""
        if not len(self):
            return other
        pairs = zip(self.columns(), other.columns(), strict=True)
        return type(self)(*(_concat(*pair) for pair in pairs))


def _concat(first: Any, second: Any) -> Any:
    if isinstance(first, np.ndarray):
        return np.concatenate([first, second])
    columns = [first, second]
    if first.type != second.type:  # one is a dictionary
        columns = [
            part if pa.types.is_dictionary(part.type) else part.dictionary_encode()
            for part in columns
        ]
    return pa.concat_arrays(columns)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Nodes(_Table):
    """The nodes of a model, without their records."""

    name: pa.Array = field(default_factory=_NO_STRINGS)
    op: pa.Array = field(default_factory=_NO_STRINGS)
    in_graph: BoolArray = field(default_factory=lambda: np.zeros(0, bool))
    attrs: pa.Array = field(default_factory=partial(pa.array, [], ATTRS))
    shape: pa.Array = field(default_factory=partial(pa.array, [], SHAPE))
    output_shapes: pa.Array = field(default_factory=partial(pa.array, [], SHAPES))
    float_ops: Array = field(default_factory=_NO_INT64)
    stack: Array = field(default_factory=_NO_INT64)
    saved_device: Array = field(default_factory=_NO_INT32)

    def filter(self, mask: BoolArray) -> Nodes:
        """The nodes in `mask`."""
        count = int(mask.sum())
        if mask[:count].all():
            # They are the first ones, so a slice without a copy will do.
            return Nodes(*(column[:count] for column in self.columns()))
        rows = np.flatnonzero(mask)
        return Nodes(*(column.take(rows) for column in self.columns()))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Edges(_Table):
    """Inputs of nodes: input `index` of `consumer` is `output` of the node named `producer`.

    The output of a control input is `CONTROL`. With functions inlined, `producer` is a dictionary:
    there may be many more edges than names.
    """

    consumer: Array = field(default_factory=_NO_INT32)
    index: Array = field(default_factory=_NO_INT32)
    producer: pa.Array = field(default_factory=_NO_STRINGS)
    output: Array = field(default_factory=_NO_INT32)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RecordColumns:
    """The records of one RunMetadata, one row each, as they were written.

    `device` is an index in a list of devices. The byte columns are sums over a record's allocators
    and outputs, of any size if 64 bits may not hold them; `in_use` is the maximum of its GPU
    allocators. `allocation_*` has a row for each allocation and release of any allocator.
    `duration` is self time, in microseconds. A trace that is more exact has nanoseconds in
    `nanos_*`, which are empty otherwise: the start, the time until the end, of that the self time,
    without what ran inside, and the thread, an index in those of the trace.
    """

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
    allocation_allocator: pa.Array
    output_record: Array
    output_slot: Array
    output_size: Array
    output_pointer: Array
    output_has_memory: BoolArray
    output_shape: pa.Array
    nanos_start: Array = field(default_factory=_NO_INT64)
    nanos_elapsed: Array = field(default_factory=_NO_INT64)
    nanos_self: Array = field(default_factory=_NO_INT64)
    nanos_thread: Array = field(default_factory=_NO_INT32)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Records(RecordColumns):
    """The records of one RunMetadata in a profile, with their nodes and the profile's devices.

    `label_*` has a row for each node whose record has a label, which names the op that ran:
    `<node> = <op>(<inputs>)`.
    """

    step: int
    node: Array
    copy: BoolArray
    names: pa.Array
    label_node: Array
    label_text: pa.Array

    def __len__(self) -> int:
        return len(self.node)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LogEntries(_Table):
    """Entries of op logs.

    `stack` is an index in all stacks of the profile, -1 for none. `type_entry` is the entry of
    each type.
    """

    name: pa.Array = field(default_factory=_NO_STRINGS)
    float_ops: Array = field(default_factory=_NO_INT64)
    stack: Array = field(default_factory=_NO_INT64)
    type_entry: Array = field(default_factory=_NO_INT64)
    type: pa.Array = field(default_factory=_NO_STRINGS)

    def concat(self, other: LogEntries) -> LogEntries:
        """These entries and then others."""
        shifted = replace(other, type_entry=other.type_entry + len(self))
        return _Table.concat(self, shifted)

    def filter(self, mask: BoolArray) -> LogEntries:
        """The entries in `mask`, with their types."""
        has_type = mask[self.type_entry]
        return LogEntries(
            self.name.filter(pa.array(mask)),
            self.float_ops[mask],
            self.stack[mask],
            (np.cumsum(mask) - 1)[self.type_entry[has_type]],
            self.type.filter(pa.array(has_type)),
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
