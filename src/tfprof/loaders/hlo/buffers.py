"""What a compiled program holds in memory, from XLA's buffer assignment.

XLA places all buffers of a program when it compiles. A run reserves each allocation as a whole, and
buffers that are live at different times share it. What an allocation holds are the buffers that are
live when most of it is in use; where the program does not say when, the largest of those that share
memory.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
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

    @cache
    def name_of(instruction: int) -> str:
        item = module.instructions.get(instruction)
        return item.name if item else ""

    def rank(buffer: int) -> int:
        """How much the instruction of a buffer says: it computes, runs others, or names a value."""
        item = module.instructions.get(instruction_of.get(buffer, 0))
        if item is None or is_plumbing(item):
            return 0
        return 1 if is_caller(item) else 2

    buffers: list[Buffer] = []
    slices_of = [_slices(allocation) for allocation in allocated]
    peaks = _find_peaks(slices_of, assignment.heap_simulator_traces, rank)
    for allocation, slices, peak in zip(allocated, slices_of, peaks, strict=True):
        live = {} if allocation.maybe_live_out else peak
        live = live or _largest_buffers(slices, kept, rank)
        if sum(live.values()) > allocation.size:
            live = {}
        for buffer, size in live.items():
            name = name_of(instruction_of.get(buffer, 0))
            buffers.append(Buffer(name, size, allocation.maybe_live_out))
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


def _slices(allocation: HloBufferAllocation) -> _Slices:
    return {
        item.logical_buffer_id: _Slice(item.offset, item.size)
        for item in allocation.assigned
        if item.size > 0
    }


def _largest_buffers(
    slices: _Slices, kept: Collection[int], rank: Callable[[int], int]
) -> dict[int, int]:
    """The buffers that a program keeps, and then the largest of those that do not overlap them."""
    ranked = sorted(slices, key=lambda b: (b in kept, slices[b].size, rank(b), b))
    chosen: list[_Slice] = []
    """Sorted by offset; they do not overlap."""
    sizes: dict[int, int] = {}
    for buffer in reversed(ranked):
        part = slices[buffer]
        index = bisect_left(chosen, part)
        is_free = index == 0 or sum(chosen[index - 1]) <= part.offset
        if is_free and (index == len(chosen) or sum(part) <= chosen[index].offset):
            chosen.insert(index, part)
            sizes[buffer] = part.size
    return sizes


def _find_peaks(
    slices_of: Sequence[_Slices], traces: Iterable[HloHeapTrace], rank: Callable[[int], int]
) -> list[dict[int, int]]:
    """The buffers of each allocation that are live when most of it is in use, with their bytes."""
    # XLA places a buffer in one allocation only.
    owner = {buffer: i for i, slices in enumerate(slices_of) for buffer in slices}
    peaks: list[dict[int, int]] = [{} for _ in slices_of]
    # The allocations of several traces are combined, side by side.
    for trace in traces:
        for index, peak in _peaks_of_trace(trace, slices_of, owner, rank):
            peaks[index].update(peak)
    return peaks


def _peaks_of_trace(
    trace: HloHeapTrace,
    slices_of: Sequence[_Slices],
    owner: Mapping[int, int],
    rank: Callable[[int], int],
) -> Iterator[tuple[int, dict[int, int]]]:
    """The allocations of a heap trace, and the buffers that are live at the peak of each.

    The first pass over the events finds when that is, the second one what is live then.
    """
    events = [(event.kind == HloHeapEvent.FREE, event.buffer_id) for event in trace.events]
    peak_of: dict[int, int] = {}
    for is_peak in (False, True):
        heaps: dict[int, _Heap] = {}
        risen: set[int] = set()
        ends: dict[int, list[int]] = {}
        for index, time in peak_of.items():
            ends.setdefault(time, []).append(index)
        for time, (is_free, buffer) in enumerate((*events, (True, _END))):
            if is_peak:
                yield from ((index, heaps[index].live()) for index in ends.get(time, ()))
            elif is_free:
                for index in risen:
                    heaps[index].highest, peak_of[index] = heaps[index].total, time
                risen.clear()
            if buffer not in owner:
                continue
            index = owner[buffer]
            if index not in heaps:
                heaps[index] = _Heap(slices_of[index], rank)
            heaps[index].apply(buffer, is_free=is_free)
            has_risen = heaps[index].total > heaps[index].highest
            (risen.add if has_risen else risen.discard)(index)


class _Heap:
    """The buffers of an allocation that are live at a time.

    Buffers that share a slice are one: the last one of those with the highest rank.
    """

    def __init__(self, slices: _Slices, rank: Callable[[int], int]) -> None:
        self._slices, self._rank = slices, rank
        self._users: dict[_Slice, Counter[int]] = {}
        self._holder: dict[_Slice, int] = {}
        self.total = self.highest = 0

    def apply(self, buffer: int, *, is_free: bool) -> None:
        """Free a buffer, or else allocate it or let it share its slice."""
        part = self._slices[buffer]
        users, holder = self._users.setdefault(part, Counter()), self._holder
        if is_free:
            users[buffer] -= 1
            if users[buffer] <= 0:
                del users[buffer]
            if not users and part in holder:
                self.total -= part.size
                del holder[part]
            return
        self.total += part.size if part not in holder else 0
        users[buffer] += 1
        if part not in holder or self._rank(buffer) >= self._rank(holder[part]):
            holder[part] = buffer

    def live(self) -> dict[int, int]:
        """The buffers that hold slices, with their bytes."""
        return {buffer: part.size for part, buffer in self._holder.items()}
