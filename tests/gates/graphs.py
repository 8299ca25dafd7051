"""Graphs and traced steps with numbers that are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import tfprof
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.run_metadata_pb2 import RunMetadata

Layers = Mapping[str, tuple[int, int]]
"""Scope -> the shape of its weights."""


def dense_graph(layers: Layers, batch: int = 4) -> GraphDef:
    """A chain of matrix products, each in a scope with its weights."""
    graph = GraphDef()
    first = next(iter(layers.values()))[0]
    _add(graph, "x", "Placeholder", [], (batch, first))
    previous = "x"
    for scope, (rows, columns) in layers.items():
        _add(graph, f"{scope}/kernel", "VarHandleOp", [], (rows, columns))
        _add(graph, f"{scope}/read", "ReadVariableOp", [f"{scope}/kernel"], (rows, columns))
        inputs = [previous, f"{scope}/read"]
        previous = f"{scope}/MatMul"
        _add(graph, previous, "MatMul", inputs, (batch, columns))
    return graph


def _add(graph: GraphDef, name: str, op: str, inputs: Sequence[str], shape: Sequence[int]) -> None:
    node = graph.node.add(name=name, op=op, input=inputs)
    node.attr["T" if op == "MatMul" else "dtype"].type = 1
    targets = [node.attr["_output_shapes"].list.shape.add()]
    if op in ("Placeholder", "VarHandleOp"):
        targets.append(node.attr["shape"].shape)
    for target in targets:
        for size in shape:
            target.dim.add(size=size)


def traced(
    graph: GraphDef, steps: Sequence[Mapping[str, int]], peaks: Sequence[int] = ()
) -> tfprof.Profile:
    """A profile whose steps took so many microseconds in each node."""
    runs = []
    for index, micros in enumerate(steps):
        run = RunMetadata()
        device = run.step_stats.dev_stats.add(device="/job:localhost/replica:0/task:0/cpu:0")
        start = 1_000_000
        for name, duration in micros.items():
            stats = device.node_stats.add(node_name=name, all_start_micros=start)
            stats.op_end_rel_micros = stats.all_end_rel_micros = duration
            if index < len(peaks):
                memory = stats.memory.add(allocator_name="cpu")
                memory.allocation_records.add(alloc_micros=start, alloc_bytes=peaks[index])
                memory.allocation_records.add(
                    alloc_micros=start + duration, alloc_bytes=-peaks[index]
                )
            start += duration
        runs.append(run)
    return tfprof.load(graph=graph, run_meta=runs)
