"""What a compiled program holds in memory, from XLA's buffer assignment.

XLA places all buffers of a program when it compiles. A run reserves each allocation as a whole, and
buffers that are live at different times share it. What an allocation holds are the buffers that are
live when most of it is in use; where the program does not say when, the largest of those that share
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tfprof.loaders.hlo.module import MAX_BYTES, Module, is_caller, is_plumbing
from tfprof.protos.hlo_pb2 import (
    HloBufferAllocation,
    HloBufferAssignment,
    HloHeapEvent,
    HloHeapTrace,
)


class _Slice(NamedTuple):
    """A part of an allocation."""

    offset: int
    size: int


_END = -1
"""A buffer that no allocation has."""

_Slices = Mapping[int, _Slice]
"""Logical buffer -> where it lies in an allocation."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """Memory that a run allocates for the result of an instruction.

    `instruction` is a name, "" for what no instruction explains: gaps, and tables of addresses.
    A result of the program stays after the run, all other memory is temporary.
    """

    instruction: str
    bytes: int
    is_result: bool


def find_buffers(module: Module, results: Collection[int]) -> list[Buffer]:
    """What a run of a program allocates; `results` are the instructions that make its results."""
    assignment = module.proto.buffer_assignment
    allocated = [item for item in assignment.buffer_allocations if _is_allocated_by_run(item)]
    if sum(item.size for item in allocated) > MAX_BYTES:
        return []
    instruction_of = _instructions(module, assignment)
    kept = {buffer for buffer, number in instruction_of.items() if number in results}

    def rank(buffer: int) -> int:
        """How much the instruction of a buffer says: it computes, runs others, or names a value."""
        item = module.instructions.get(instruction_of.get(buffer, 0))
        if item is None or is_plumbing(item):
            return 0
        return 1 if is_caller(item) else 2

    buffers: list[Buffer] = []
    for allocation in allocated:
        live = _live_buffers(allocation, assignment.heap_simulator_traces, kept, rank)
        if sum(live.values()) > allocation.size:
            live = {}
        for buffer, size in live.items():
            item = module.instructions.get(instruction_of.get(buffer, 0))
            buffers.append(Buffer(item.name if item else "", size, allocation.maybe_live_out))
        rest = allocation.size - sum(live.values())
        buffers.append(Buffer("", rest, allocation.maybe_live_out))
    return [buffer for buffer in buffers if buffer.bytes]


def argument_bytes(module: Module) -> int:
    """The memory of the arguments of a program and of its constants, which runs do not allocate."""
    allocations = module.proto.buffer_assignment.buffer_allocations
    size = sum(
        max(item.size, 0)
        for item in allocations
        if item.is_entry_computation_parameter or item.is_constant
    )
    return size if size <= MAX_BYTES else 0


def _is_allocated_by_run(allocation: HloBufferAllocation) -> bool:
    """Whether a run of the program allocates it: no argument, constant, or local variable."""
    return allocation.size > 0 and not (
        allocation.is_thread_local
        or allocation.is_entry_computation_parameter
        or allocation.is_constant
    )


def _instructions(module: Module, assignment: HloBufferAssignment) -> dict[int, int]:
    """Logical buffer -> the instruction that defines it."""
    by_name = {item.name: number for number, item in module.instructions.items()}
    return {
        buffer.id: buffer.defined_at.instruction_id
        or by_name.get(buffer.defined_at.instruction_name, 0)
        for buffer in assignment.logical_buffers
    }


def _live_buffers(
    allocation: HloBufferAllocation,
    traces: Iterable[HloHeapTrace],
    kept: Collection[int],
    rank: Callable[[int], int],
) -> dict[int, int]:
    """The buffers of an allocation that are live when most of it is in use, with their bytes."""
    slices = {
        item.logical_buffer_id: _Slice(item.offset, item.size)
        for item in allocation.assigned
        if item.size > 0
    }
    if allocation.maybe_live_out:
        return _largest_buffers(slices, kept, rank)
    # The allocations of several traces are combined, side by side.
    live: dict[int, int] = {}
    for trace in traces:
        live.update(_peak_of_trace(trace, slices, rank))
    return live or _largest_buffers(slices, kept, rank)


def _largest_buffers(
    slices: _Slices, kept: Collection[int], rank: Callable[[int], int]
) -> dict[int, int]:
    """The buffers that a program keeps, and then the largest of those that do not overlap them."""
    ranked = sorted(slices, key=lambda b: (b in kept, slices[b].size, rank(b), b))
    chosen: list[_Slice] = []
    sizes: dict[int, int] = {}
    for buffer in reversed(ranked):
        first, size = slices[buffer]
        if all(first + size <= other.offset or sum(other) <= first for other in chosen):
            chosen.append(slices[buffer])
            sizes[buffer] = size
    return sizes


def _peak_of_trace(
    trace: HloHeapTrace, slices: _Slices, rank: Callable[[int], int]
) -> dict[int, int]:
    """The buffers of an allocation that are live at the peak of a heap trace.

    Buffers that share a slice are one: the last one of those with the highest rank.
    """
    users: dict[_Slice, list[int]] = {}
    holder: dict[_Slice, int] = {}
    total = highest = 0
    peak: dict[int, int] = {}
    for event in (*trace.events, HloHeapEvent(kind=HloHeapEvent.FREE, buffer_id=_END)):
        if event.kind == HloHeapEvent.FREE and total > highest:
            highest, peak = total, {buffer: part.size for part, buffer in holder.items()}
        buffer, part = event.buffer_id, slices.get(event.buffer_id)
        if part is None:
            continue
        live = users.setdefault(part, [])
        if event.kind == HloHeapEvent.FREE:
            if buffer in live:
                live.remove(buffer)
            if not live and part in holder:
                total -= part.size
                del holder[part]
            continue
        total += part.size if part not in holder else 0
        live.append(buffer)
        if part not in holder or rank(buffer) >= rank(holder[part]):
            holder[part] = buffer
    return peak
