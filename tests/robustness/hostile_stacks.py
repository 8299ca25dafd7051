"""Small models and captures whose stacks once took minutes or gigabytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tfprof.protos.graph_pb2 import GraphDebugInfo
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
