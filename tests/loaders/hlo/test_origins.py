"""Instructions that the compiler inserted belong to the op that they were made for."""

from __future__ import annotations

from tfprof.loaders.hlo.module import Module
from tfprof.loaders.hlo.origins import find_origins
from tfprof.protos.hlo_pb2 import HloComputation, HloModule, HloProto

# Number, opcode, operands and name of the op, in the order of execution.
INSTRUCTIONS = [
    (1, "parameter", [], "x"),
    (2, "copy", [1], ""),  # for the matmul that reads it
    (3, "dot", [2], "f/dot"),
    (4, "tanh", [3], "f/tanh"),
    (5, "reduce-window", [4], ""),  # a step of the scatter
    (6, "scatter", [5], "b/scatter"),
    (7, "multiply", [6, 4], "b/mul"),
    (8, "transpose", [4], ""),
    (9, "dot", [8, 7], ""),  # rewritten; the optimizer reads it
    (10, "subtract", [9], "update/sub"),
    (11, "copy", [10], ""),  # nothing reads it
]


def test_neighbours() -> None:
    computation = HloComputation(id=1, root_id=11)
    for number, opcode, operands, name in INSTRUCTIONS:
        item = computation.instructions.add(id=number, opcode=opcode, operand_ids=operands)
        item.metadata.op_name = name
        # Frames are found by the same rules.
        item.metadata.stack_frame_id = number if name and opcode != "parameter" else 0
    module = Module(HloProto(hlo_module=HloModule(entry_computation_id=1)))
    module.proto.hlo_module.computations.append(computation)
    nodes = [item for _, item in module.executed_instructions()]
    origins = find_origins(module, nodes, {node.id: module.producers(node) for node in nodes})
    assert {number: origins[number].op_name for number in (2, 5, 8, 9, 11)} == {
        2: "f/dot",
        5: "b/scatter",
        8: "b/mul",
        9: "b/mul",
        11: "update/sub",
    }
    assert {number: origins[number].frame_id for number in (2, 5, 8, 9, 11)} == {
        2: 3,
        5: 6,
        8: 7,
        9: 7,
        11: 10,
    }
    assert origins[1].op_name == ""
