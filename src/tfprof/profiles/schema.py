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

__all__ = [
    "ATTRS",
    "MISSING",
    "NO_DEVICE",
    "SHAPE",
    "SHAPES",
    "Array",
    "BoolArray",
    "Calls",
    "Edges",
    "LogEntries",
    "Nodes",
    "ProfileProtoRuns",
    "Records",
    "Stacks",
    "before_first",
    "contains",
    "distinct",
    "group_offsets",
    "list_offsets",
    "numbers",
    "present",
    "slice_strings",
    "strings",
    "utf8_bytes",
    "value_offsets",
]

Array = npt.NDArray[Any]
BoolArray = npt.NDArray[np.bool_]

ATTRS = pa.list_(pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())]))
SHAPE = pa.list_(pa.int64())
SHAPES = pa.list_(SHAPE)
NO_DEVICE = -1
MISSING = "^missing"
"""What a saved profile calls a producer that the graph does not have; no node has such a name."""


def strings(values: Any = ()) -> pa.Array:
    """A column of strings."""
    return pa.array(values, pa.string())


def list_offsets(lists: pa.Array) -> Array:
    """Where each list starts, and where the last one ends, in the flattened elements."""
    found = lists.offsets.to_numpy().astype(np.int64)
    return found - found[0]


def group_offsets(owner: Array, count: int) -> Array:
    """Where the rows of each of `count` owners start if sorted, and where the last one's end."""
    found = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(owner, minlength=count), out=found[1:])
    return found


def distinct(keys: Array, space: int) -> Array:
    """Sorted distinct keys, all below `space`; by marking them unless that is mostly gaps."""
    if space > 64 * len(keys) + 1_000_000:
        return np.unique(keys)
    used = np.zeros(space, bool)
    used[keys] = True
    return np.flatnonzero(used)


def value_offsets(texts: pa.Array) -> Array:
    """Where each text starts, and where the last one ends, in the bytes of a column."""
    found: Array = np.frombuffer(texts.buffers()[1], np.int32)
    return found[texts.offset : texts.offset + len(texts) + 1]


def slice_strings(texts: pa.Array, begin: Array, end: Array) -> pa.Array:
    """What stands between places in the bytes of a column; each begins where the last ended.

    Places count from the first text.
    """
    if not len(begin):
        return texts.slice(0, 0)
    bounds = np.empty(2 * len(begin) + 1, np.int32)
    bounds[0:-1:2], bounds[1:-1:2], bounds[-1] = begin, end, end[-1]
    bounds += value_offsets(texts)[0]
    parts = pa.Array.from_buffers(
        texts.type, 2 * len(begin), [None, pa.py_buffer(bounds), texts.buffers()[2]]
    )
    return parts.take(pa.array(np.arange(0, 2 * len(begin), 2)))


def utf8_bytes(texts: pa.Array) -> Array:
    """The bytes of all texts of a column, one after the other."""
    at = value_offsets(texts)
    found: Array = np.frombuffer(texts.buffers()[2] or b"", np.uint8)[at[0] : at[-1]]
    return found


def contains(texts: pa.Array, word: str) -> BoolArray:
    """Which texts contain a word, best one with a rare last letter."""
    found = np.zeros(len(texts), bool)
    data, wanted = utf8_bytes(texts), word.encode()
    if len(data) < len(wanted):
        return found
    begin = np.flatnonzero(data[len(wanted) - 1 :] == wanted[-1])
    for place, letter in enumerate(wanted[:-1]):
        begin = begin[data[begin + place] == letter]
    at = value_offsets(texts) - value_offsets(texts)[0]
    row = np.searchsorted(at, begin, side="right") - 1
    found[row[begin + len(wanted) <= at[row + 1]]] = True
    return found


def before_first(texts: pa.Array, mark: str) -> pa.Array:
    """Each text up to the first of a mark, a single letter."""
    at = value_offsets(texts) - value_offsets(texts)[0]
    places = np.flatnonzero(utf8_bytes(texts) == ord(mark))
    if not len(places):
        return texts
    following = np.searchsorted(places, at[:-1])
    end = np.append(places, at[-1])[following]
    return slice_strings(texts, at[:-1], np.minimum(end, at[1:]))


def numbers(column: pa.Array) -> Array:
    """A column of numbers; 0 where the enclosing message is absent."""
    return (column.fill_null(0) if column.null_count else column).to_numpy(zero_copy_only=False)


def present(messages: pa.Array) -> BoolArray:
    """Which rows have a sub-message."""
    found: BoolArray = messages.is_valid().to_numpy(zero_copy_only=False)
    return found


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Nodes:
    """What is known of every node but its runs."""

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
            strings(),
            strings(),
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
    """Inputs of nodes: the `index`-th of `consumer` is `output` of the node called `producer`."""

    consumer: Array
    index: Array
    producer: pa.Array
    output: Array

    @classmethod
    def empty(cls) -> Edges:
        """No edges."""
        none = np.zeros(0, np.int32)
        return cls(none, none, strings(), none)

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

    `device` is an index into the profile's devices. The byte columns are sums over a record's
    allocators and outputs; `in_use` is the largest of its GPU allocators'. `label_*` has a row for
    each node whose record says what ran: `<node> = <op>(<inputs>)`.
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
    """What op logs say of names that no node has; they may be of nodes inside functions.

    `stack` is an index into all stacks of the profile, -1 for none. `type_entry` says whose the
    types are.
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
        return cls(strings(), none, none, none, strings())

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
    """Where nodes of functions run: frame 0 is the graph itself, the others are one call each.

    `frame` is that of every node, `caller` the node that calls each frame, `parent` its frame; the
    parent of a frame comes before it. `edges` lead from calls to the nodes that give their results.
    """

    call_site: Array
    caller: Array
    parent: Array
    edges: Edges


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ProfileProtoRuns:
    """The runs of a saved profile: what was made of its records when it was written.

    `span_*` has a row per node and step, `time_*` per interval, `seen_*` per device of a span,
    `memory` per scheduling (columns as in ExecMemory), `allocation_*` and `output_*` as recorded.
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
