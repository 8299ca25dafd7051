"""Small models and captures whose stacks once took minutes or gigabytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.robustness import hostile_programs
from tfprof.protos.graph_pb2 import GraphDebugInfo, GraphDef
from tfprof.protos.hlo_pb2 import HloProto
from tfprof.protos.saved_model_pb2 import SavedModel

_FUNCTION, _FILE = "f", "a.py"


def debug_info(nodes: Iterable[tuple[str, int]], stacks: Sequence[Sequence[int]]) -> GraphDebugInfo:
    """The stacks, as lines of one file, of nodes (`<node>@<function>`, index of the stack)."""
    info = GraphDebugInfo(files=[_FILE])
    for node, stack in nodes:
        info.name_to_trace_id[node] = stack
    for i, lines in enumerate(stacks):
        info.traces_by_id[i].frame_id.extend(lines)
    for line in {line for lines in stacks for line in lines}:
        info.frames_by_id[line].line = line
        info.frames_by_id[line].func = _FUNCTION
    return info


def write_model(
    folder: Path, nodes: Sequence[tuple[str, int]], stacks: Sequence[Sequence[int]]
) -> None:
    """Write a SavedModel of nodes (name, index of the stack)."""
    model = SavedModel(saved_model_schema_version=1)
    graph = model.meta_graphs.add()
    for name, _ in nodes:
        graph.graph_def.node.add(name=name, op="A")
    (folder / "debug").mkdir()
    (folder / "saved_model.pb").write_bytes(model.SerializeToString())
    info = debug_info([(f"{name}@", stack) for name, stack in nodes], stacks)
    (folder / "debug" / "saved_model_debug_info.pb").write_bytes(info.SerializeToString())


FUNCTION = "__inference_f_1"
"""The function that programs are compiled from."""


def compiled_ops(names: Iterable[str]) -> HloProto:
    """A program compiled from the function, with instructions that come from ops of these names."""
    program = HloProto()
    program.hlo_module.name, program.hlo_module.entry_computation_id = "a_inference_f_1__.1", 1
    main = program.hlo_module.computations.add(id=1, name="main")
    for i, name in enumerate(names):
        added = main.instructions.add(id=i + 1, opcode="add", name=f"a{i}" if i else "a")
        added.metadata.op_name = name
    return program


def graph_of_function(nodes: Iterable[str]) -> GraphDef:
    """A graph that calls the function, which has nodes of these names."""
    graph = GraphDef()
    graph.node.add(name="call", op="PartitionedCall").attr["f"].func.name = FUNCTION
    function = graph.library.function.add()
    function.signature.name = FUNCTION
    for name in nodes:
        function.node_def.add(name=name, op="A")
    return graph


def write_capture(
    folder: Path, graph: GraphDef, program: HloProto, info: GraphDebugInfo | None = None
) -> None:
    """Write a capture of a few runs of a program."""
    trace = folder / "plugins" / "profile" / "run" / "host.xplane.pb"
    trace.parent.mkdir(parents=True)
    trace.write_bytes(hostile_programs.trace_of_runs(program, 3))
    (folder / "capture.json").write_text('{"steps": [0, 1], "notes": []}')
    (folder / "functions.pb").write_bytes(graph.SerializeToString())
    if info is not None:
        (folder / "debug_info.pb").write_bytes(info.SerializeToString())
