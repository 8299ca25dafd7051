"""Blocks of memory as tensors: the node and op that made them, shape, type and line of code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from tfprof.definitions.quirks import REPAIRED
from tfprof.errors import OptionError
from tfprof.flops.shapes import canonical
from tfprof.flops.shapes.dtypes import output_type
from tfprof.flops.tensors import TYPE_SIZES
from tfprof.memory.compiled_buffers import compiled_output, is_instruction
from tfprof.memory.live_memory import LiveMemory
from tfprof.memory.peaks import PEAK, step_memory
from tfprof.profiles.executions import executions_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, Records
from tfprof.profiles.user_code import describe_user_line
from tfprof.protos.graph_pb2 import AttrValue, DataType, TensorShapeProto
from tfprof.resolve import resolve

_NAMES = {"half": "float16", "float": "float32", "double": "float64"}
Role = Literal["output", "temporary", "kept"]


@dataclass(frozen=True, slots=True)
class LiveTensor:
    """A block that is live at a moment.

    `role` is "output" of a node, "temporary" if it is released before the node ends, or "kept" for
    what a node keeps beside its outputs. `shape` and `dtype` are known of outputs. The results of
    a compiled program are outputs, and all else that it computes is temporary.
    """

    node: str
    op: str
    bytes: int
    role: Role
    output: int | None
    shape: tuple[int, ...] | None
    dtype: str
    source: str
    """The line of user code that created the node."""
    live_micros: int | None
    """From its allocation to its release; None if the step does not release it."""
    is_compiled: bool = False
    """Whether a compiled program holds it."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        shape = None if self.shape is None else list(self.shape)
        return {**asdict(self), "shape": shape}


def find_live_tensors(
    profile: Profile, *, step: int = -1, at: int = PEAK, top: int | None = None
) -> list[LiveTensor]:
    """The tensors of the pool that holds the most at a moment of a step."""
    if step >= 0 and step not in profile.steps:
        known = ", ".join(map(str, profile.steps)) or "none"
        raise OptionError(f"step: there is no step {step}; known steps are {known}")
    resolved = resolve(profile, REPAIRED)
    memory = step_memory(resolved, REPAIRED)
    recorded = [peak for peak in memory.peaks(step, at) if peak.memory is not None]
    if not recorded:
        raise OptionError(memory.nothing_recorded)
    peak = max(recorded, key=lambda peak: peak.bytes)
    assert peak.memory is not None
    return live_tensors(resolved, peak.memory, peak.clock_micros, top)


def live_tensors(
    profile: Profile, memory: LiveMemory, micros: int, top: int | None = None
) -> list[LiveTensor]:
    """The blocks that are live at a time, or the largest of them, the largest first."""
    rows, blocks = memory.rows_at(micros), memory.blocks
    order = np.lexsort((rows, -blocks.size[rows]))[:top]
    outputs = _Outputs(profile, memory)
    return [_tensor(profile, memory, row, outputs) for row in rows[order].tolist()]


def _tensor(profile: Profile, memory: LiveMemory, row: int, outputs: _Outputs) -> LiveTensor:
    blocks = memory.blocks
    node, size = int(blocks.node[row]), int(blocks.size[row])
    op = profile.nodes.op[node].as_py()
    end = int(blocks.end[row])
    is_compiled = is_instruction(profile, node)
    if is_compiled:
        slot, shape, dtype = compiled_output(profile, node, size) or (None, None, "")
        is_output = True
    else:
        output = None if blocks.temporary[row] else outputs.take(row)
        slot, shape = output or (None, None)
        is_output = output is not None
        dtype = _dtype(profile, node, op, slot, size, shape) if slot is not None else ""
    role: Role = "temporary" if blocks.temporary[row] else "output" if is_output else "kept"
    return LiveTensor(
        profile.nodes.name[node].as_py(),
        op,
        size,
        role,
        slot,
        shape,
        dtype,
        describe_user_line(profile, node),
        end - int(blocks.start[row]) if end <= int(memory.time[-1]) else None,
        is_compiled,
    )


class _Outputs:
    """The recorded outputs, each of which is one block."""

    def __init__(self, profile: Profile, memory: LiveMemory) -> None:
        self._profile, self._memory = profile, memory
        self._used: defaultdict[tuple[int, int], int] = defaultdict(int)

    @cached_property
    def _first_records(self) -> Array:
        """The number of the first record of each RunMetadata, after those of saved profiles."""
        saved = self._memory.blocks.saved_records
        return saved + np.cumsum([0, *(len(run) for run in self._profile.records)])

    @cached_property
    def _saved(self) -> dict[tuple[int, int, int], list[int]]:
        """Node, step and bytes -> the outputs of a saved profile, which has no shapes."""
        executions = executions_of(self._profile, REPAIRED)
        slots: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
        owner = executions.output_memory
        keys = executions.memory_node[owner], executions.memory_step[owner], executions.output_size
        columns = (column.tolist() for column in (*keys, executions.output_slot))
        for node, step, size, slot in zip(*columns, strict=True):
            slots[node, step, size].append(slot)
        return slots

    def take(self, row: int) -> tuple[int, tuple[int, ...] | None] | None:
        """The next output that has the size of a block, of the record that allocated it."""
        blocks = self._memory.blocks
        record, size = int(blocks.record[row]), int(blocks.size[row])
        if record < blocks.saved_records:
            slots = self._saved.get((int(blocks.node[row]), self._memory.step, size))
            return (slots.pop(0), None) if slots else None
        return self._take_recorded(record, size)

    def _take_recorded(self, record: int, size: int) -> tuple[int, tuple[int, ...] | None] | None:
        part = int(np.searchsorted(self._first_records, record, side="right")) - 1
        if not 0 <= part < len(self._profile.records):
            return None
        run = self._profile.records[part]
        first, last = np.searchsorted(
            run.output_record,
            [record - self._first_records[part], record - self._first_records[part] + 1],
        )
        rows = (first + np.flatnonzero(run.output_size[first:last] == size)).tolist()
        number = self._used[record, size]
        if number >= len(rows):
            return None
        self._used[record, size] += 1
        return int(run.output_slot[rows[number]]), _shape(run, rows[number])


def _shape(run: Records, row: int) -> tuple[int, ...] | None:
    data = run.output_shape[row].as_py()
    if data is None:
        return None
    shape = TensorShapeProto.FromString(data)
    return None if shape.unknown_rank else tuple(dim.size for dim in shape.dim)


def _dtype(
    profile: Profile, node: int, op: str, slot: int, size: int, shape: tuple[int, ...] | None
) -> str:
    """The type of an output by the graph, if it agrees with the size; of several none."""
    attrs: Mapping[str, AttrValue] = {
        entry["key"]: AttrValue.FromString(entry["value"])
        for entry in profile.nodes.attrs[node].as_py()
    }
    kind = output_type(canonical(op), attrs, slot)
    elements = int(np.prod(shape, dtype=object)) if shape is not None else None
    item = TYPE_SIZES.get(kind)
    if not item or (elements is not None and elements * item > size):
        return ""
    name = DataType.Name(kind).removeprefix("DT_").lower()
    return _NAMES.get(name, name)
