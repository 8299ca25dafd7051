"""What a program holds in memory: XLA's buffer assignment as buffers of instructions."""

from __future__ import annotations

from typing import Any

import pytest

from tfprof.loaders.hlo.buffers import Buffer, argument_bytes, find_buffers
from tfprof.loaders.hlo.module import Module
from tfprof.protos.hlo_pb2 import HloHeapEvent, HloProto

ALLOC, FREE, SHARE = HloHeapEvent.ALLOC, HloHeapEvent.FREE, HloHeapEvent.SHARE_WITH
OPCODES = {"dot": "dot", "add": "add", "loop": "while", "state": "parameter", "out": "fusion"}
IDS = {name: number for number, name in enumerate(OPCODES, 1)}


def _program(*allocations: dict[str, Any], events: list[tuple[int, str]] | None = None) -> HloProto:
    """A program with a logical buffer for each instruction, both of one number."""
    program = HloProto()
    computation = program.hlo_module.computations.add(id=1)
    for name, opcode in OPCODES.items():
        computation.instructions.add(id=IDS[name], name=name, opcode=opcode)
        buffer = program.buffer_assignment.logical_buffers.add(id=IDS[name])
        buffer.defined_at.instruction_id = IDS[name]
    for index, settings in enumerate(allocations):
        assigned = settings.pop("assigned", {})
        allocation = program.buffer_assignment.buffer_allocations.add(index=index, **settings)
        for name, (offset, size) in assigned.items():
            allocation.assigned.add(logical_buffer_id=IDS[name], offset=offset, size=size)
    if events is not None:
        # The index is that of an allocation before they were combined.
        trace = program.buffer_assignment.heap_simulator_traces.add(buffer_allocation_index=99)
        for kind, name in events:
            trace.events.add(kind=kind, buffer_id=IDS[name])
    return program


def _find(program: HloProto, *results: str) -> list[tuple[str, int, bool]]:
    found = find_buffers(Module(program), [IDS[name] for name in results])
    assert all(isinstance(buffer, Buffer) for buffer in found)
    return [(buffer.instruction, buffer.bytes, buffer.is_result) for buffer in found]


def test_temporary_memory_is_what_is_live_when_most_is() -> None:
    assigned = {"dot": (0, 60), "add": (64, 30), "out": (0, 20)}
    events = [(ALLOC, "dot"), (ALLOC, "add"), (FREE, "dot"), (ALLOC, "out"), (FREE, "add")]
    program = _program({"size": 100, "assigned": assigned}, events=[*events, (FREE, "out")])
    assert _find(program) == [("dot", 60, False), ("add", 30, False), ("", 10, False)]


def test_buffers_that_share_memory_count_once_for_what_computes() -> None:
    assigned = {"state": (0, 50), "add": (0, 50), "loop": (0, 50), "dot": (50, 50)}
    events = [(ALLOC, "state"), (SHARE, "add"), (FREE, "state"), (SHARE, "loop"), (ALLOC, "dot")]
    program = _program({"size": 100, "assigned": assigned}, events=events)
    assert _find(program) == [("add", 50, False), ("dot", 50, False)]


def test_memory_that_is_freed_before_it_is_shared_is_live_again() -> None:
    assigned = {"dot": (0, 50), "add": (0, 50), "out": (50, 50)}
    events = [(ALLOC, "dot"), (FREE, "dot"), (SHARE, "add"), (ALLOC, "out")]
    program = _program({"size": 100, "assigned": assigned}, events=events)
    assert _find(program) == [("add", 50, False), ("out", 50, False)]


def test_without_a_trace_memory_is_that_of_the_largest_buffer_in_it() -> None:
    assigned = {"dot": (0, 60), "add": (20, 30), "loop": (64, 10), "out": (60, 40)}
    program = _program({"size": 100, "assigned": assigned})
    assert _find(program) == [("dot", 60, False), ("out", 40, False)]


def test_a_result_belongs_to_the_instruction_that_the_program_returns() -> None:
    assigned = {"dot": (0, 80), "add": (0, 80), "out": (0, 40)}
    program = _program({"size": 80, "maybe_live_out": True, "assigned": assigned})
    assert _find(program, "dot") == [("dot", 80, True)]
    assert _find(program, "out") == [("out", 40, True), ("", 40, True)]


def test_arguments_constants_and_local_variables_are_not_allocated_by_a_run() -> None:
    program = _program(
        {"size": 10, "is_entry_computation_parameter": True, "assigned": {"state": (0, 10)}},
        {"size": 20, "is_constant": True, "assigned": {"add": (0, 20)}},
        {"size": 40, "is_thread_local": True, "assigned": {"dot": (0, 40)}},
    )
    assert _find(program) == []
    assert argument_bytes(Module(program)) == 30


def test_older_programs_name_the_instruction() -> None:
    program = _program({"size": 8, "assigned": {"dot": (0, 8)}})
    for buffer in program.buffer_assignment.logical_buffers:
        buffer.defined_at.instruction_name = list(OPCODES)[buffer.id - 1]
        buffer.defined_at.ClearField("instruction_id")
    assert _find(program) == [("dot", 8, False)]


@pytest.mark.parametrize(
    "program",
    [
        _program({"size": 100}),
        _program(
            {"size": 100, "assigned": {"dot": (0, 60), "add": (1, 60)}},
            events=[(ALLOC, "dot"), (ALLOC, "add")],
        ),
        _program({"size": 100, "assigned": {"dot": (0, -60), "add": (0, 2**62)}}),
    ],
    ids=["no buffers", "more than there is", "impossible sizes"],
)
def test_memory_that_nothing_explains_belongs_to_no_instruction(program: HloProto) -> None:
    assert _find(program) == [("", 100, False)]


def test_sizes_that_no_machine_has_are_left_out() -> None:
    assert _find(_program({"size": 2**62}, {"size": 2**62})) == []
    assert _find(_program({"size": -5})) == []
    program = _program({"size": 2**62, "is_constant": True}, {"size": -5, "is_constant": True})
    assert argument_bytes(Module(program)) == 0
