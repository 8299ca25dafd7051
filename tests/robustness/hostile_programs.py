"""Small compiled programs whose analysis once took minutes or gigabytes, and traces of them."""

from __future__ import annotations

from pathlib import Path

from tfprof.protos.hlo_pb2 import HloComputation, HloHeapEvent, HloProto
from tfprof.protos.xplane_pb2 import XSpace

_TRACE = Path(__file__).parents[1] / "data" / "jax" / "train.xplane.pb"


def trace_of(program: HloProto) -> bytes:
    """A trace that has this program in place of its own."""
    space = XSpace.FromString(_TRACE.read_bytes())
    for plane in space.planes:
        for event in plane.event_metadata.values():
            for stat in event.stats:
                if stat.bytes_value:
                    stat.bytes_value = program.SerializeToString()
    return space.SerializeToString()


def _program() -> tuple[HloProto, HloComputation]:
    program = HloProto()
    program.hlo_module.name, program.hlo_module.entry_computation_id = "jit_step", 1
    return program, program.hlo_module.computations.add(id=1, name="main")


def long_stacks(count: int = 4000) -> HloProto:
    """Instructions whose stacks are each one frame longer than that of the one before."""
    program, main = _program()
    index = program.hlo_module.stack_frame_index
    index.file_names.append("a.py")
    index.function_names.append("f")
    for i in range(count):
        index.file_locations.add(file_name_id=1, function_name_id=1, line=i)
        index.stack_frames.add(file_location_id=i + 1, parent_frame_id=i)
        main.instructions.add(id=i + 1, opcode="add", name=f"a{i}").metadata.stack_frame_id = i + 1
    return program


def shared_fusion(count: int = 4000) -> HloProto:
    """Fusions that all call one computation."""
    program, main = _program()
    fused = program.hlo_module.computations.add(id=2)
    for i in range(count):
        fused.instructions.add(id=i + 1, opcode="add", name=f"a{i}")
        settings = {"id": count + i + 1, "opcode": "fusion", "name": f"f{i}"}
        main.instructions.add(called_computation_ids=[2], **settings)
    return program


def shared_tuple(count: int = 4000) -> HloProto:
    """Instructions that all read all elements of one tuple."""
    program, main = _program()
    for i in range(count):
        main.instructions.add(id=i + 2, opcode="add", name=f"a{i}")
        settings = {"id": count + i + 2, "opcode": "negate", "name": f"n{i}"}
        main.instructions.add(operand_ids=[1], **settings)
    operands = range(2, count + 2)
    main.instructions.add(id=1, opcode="tuple", name="all", operand_ids=operands)
    return program


_LONG_NAME = "b" * 40_000


def long_op_in_shared_fusion(count: int = 2000) -> HloProto:
    """Fusions that all call a computation of one op of a long name."""
    program, main = _program()
    fused = program.hlo_module.computations.add(id=2)
    fused.instructions.add(id=1, opcode="add", name="a").metadata.op_name = _LONG_NAME
    for i in range(count):
        settings = {"id": i + 2, "opcode": "fusion", "name": f"f{i}"}
        main.instructions.add(called_computation_ids=[2], **settings)
    return program


def many_ops_in_shared_fusion(count: int = 4000) -> HloProto:
    """Fusions that all call a computation of one instruction that was made of many ops."""
    program = long_op_in_shared_fusion(count)
    fused = program.hlo_module.computations[1].instructions[0]
    fused.metadata.op_name = "b" + ";" * len(_LONG_NAME)
    return program


def long_library_call_in_shared_fusion(count: int = 2000) -> HloProto:
    """Fusions that all call a computation of one library call of a long configuration."""
    program = long_op_in_shared_fusion(count)
    fused = program.hlo_module.computations[1].instructions[0]
    fused.opcode, fused.backend_config = "custom-call", fused.metadata.op_name.encode()
    fused.ClearField("metadata")
    return program


def long_module_name(count: int = 2000) -> HloProto:
    """Instructions of a module of a long name."""
    program, main = _program()
    program.hlo_module.name = _LONG_NAME
    for i in range(count):
        main.instructions.add(id=i + 1, opcode="add", name=f"a{i}")
    return program


def long_op_of_readers(count: int = 2000) -> HloProto:
    """Instructions without a name that all read an op of a long name."""
    program, main = _program()
    main.instructions.add(id=1, opcode="add", name="a").metadata.op_name = _LONG_NAME
    for i in range(count):
        main.instructions.add(id=i + 2, opcode="negate", name=f"n{i}", operand_ids=[1])
    return program


def long_instruction_of_readers(count: int = 2000) -> HloProto:
    """Instructions that all read an instruction of a long name."""
    program, main = _program()
    main.instructions.add(id=1, opcode="add", name=_LONG_NAME)
    for i in range(count):
        main.instructions.add(id=i + 2, opcode="negate", name=f"n{i}", operand_ids=[1])
    return program


def many_allocations(count: int = 6000) -> HloProto:
    """A heap trace of as many allocations as it has events."""
    program, _ = _program()
    assignment = program.buffer_assignment
    trace = assignment.heap_simulator_traces.add()
    for i in range(count):
        allocation = assignment.buffer_allocations.add(size=1)
        allocation.assigned.add(logical_buffer_id=i, size=1)
        trace.events.add(kind=HloHeapEvent.ALLOC, buffer_id=i)
    return program


def rising_peaks(count: int = 10_000) -> HloProto:
    """A heap that has its peak again and again."""
    program, _ = _program()
    assignment = program.buffer_assignment
    allocation = assignment.buffer_allocations.add(size=3 * count)
    trace = assignment.heap_simulator_traces.add()
    for i in range(2 * count):
        allocation.assigned.add(logical_buffer_id=i, offset=i, size=1)
        trace.events.add(kind=HloHeapEvent.ALLOC, buffer_id=i)
        if i % 2:
            trace.events.add(kind=HloHeapEvent.FREE, buffer_id=i)
    return program


def many_slices(count: int = 20_000) -> HloProto:
    """An allocation of many buffers side by side."""
    program, _ = _program()
    allocation = program.buffer_assignment.buffer_allocations.add(size=count)
    for i in range(count):
        allocation.assigned.add(logical_buffer_id=i, offset=i, size=1)
    return program


def nameless_chain(opcode: str, count: int = 8000) -> HloProto:
    """Instructions without names that each read the one before."""
    program, main = _program()
    for i in range(1, count):
        main.instructions.add(id=i + 1, opcode=opcode, name=f"a{i}", operand_ids=[i])
    return program


def shared_condition(count: int = 8000) -> HloProto:
    """Loops that all have one condition, a large fusion."""
    program, main = _program()
    condition = program.hlo_module.computations.add(id=2, root_id=1)
    condition.instructions.add(id=1, opcode="fusion", name="f", called_computation_ids=[3])
    fused = program.hlo_module.computations.add(id=3)
    for i in range(count):
        fused.instructions.add(id=i + 2, opcode="add", name=f"a{i}")
        settings = {"id": count + i + 2, "opcode": "while", "name": f"w{i}"}
        main.instructions.add(called_computation_ids=[2, 2], **settings)
    return program


def long_name(count: int = 8000) -> HloProto:
    """A name that looks like that of a function at many places."""
    program, main = _program()
    program.hlo_module.name = f"a_inference_f{'__XlaMustCompile_' * count}!"
    main.instructions.add(id=1, opcode="add", name="a")
    return program


def many_dimensions(count: int = 20_000) -> HloProto:
    """A product of more elements than a float can count."""
    program, main = _program()
    large = main.instructions.add(id=1, opcode="add", name="a")
    large.shape.element_type = 11
    large.shape.dimensions.extend([2**62] * count)
    dot = main.instructions.add(id=2, opcode="dot", name="d", operand_ids=[1])
    dot.dot_dimension_numbers.lhs_contracting_dimensions.extend([0] * count)
    return program


def large_product(count: int = 20) -> HloProto:
    """More float operations than a float can count."""
    return many_dimensions(count)


def nested_configuration(depth: int = 50_000) -> HloProto:
    """A call of a library whose configuration is nested deeply."""
    program, main = _program()
    settings = {"opcode": "custom-call", "name": "c", "custom_call_target": "gemm"}
    call = main.instructions.add(id=2, operand_ids=[1], backend_config=b'{"a":' * depth, **settings)
    call.shape.element_type = 11
    main.instructions.add(id=1, opcode="add", name="a")
    return program


def trace_of_runs(program: HloProto, runs: int) -> bytes:
    """A trace of many short runs of a program, whose first instruction is `a`."""
    space = XSpace()
    host, metadata = space.planes.add(name="/host:CPU"), space.planes.add(name="/host:metadata")
    for number, name in enumerate(("hlo_op", "program_id", "run_id"), 1):
        host.stat_metadata[number].name = name
    host.event_metadata[1].name = "a"
    metadata.stat_metadata[1].name = "Hlo Proto"
    event = metadata.event_metadata[1]
    event.id, event.name = 1, "jit_step(1)"
    event.stats.add(metadata_id=1, bytes_value=program.SerializeToString())
    line = host.lines.add(name="line")
    for run in range(1, runs + 1):
        event = line.events.add(metadata_id=1, offset_ps=1000 * run, duration_ps=500)
        event.stats.add(metadata_id=1, str_value="a")
        event.stats.add(metadata_id=2, uint64_value=1)
        event.stats.add(metadata_id=3, int64_value=run)
    return space.SerializeToString()


def many_results(count: int = 3000) -> HloProto:
    """A program with many results."""
    program, main = _program()
    main.instructions.add(id=1, opcode="add", name="a")
    for _ in range(count):
        program.buffer_assignment.buffer_allocations.add(size=8, maybe_live_out=True)
    return program
