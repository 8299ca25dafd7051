"""The graph of a profile in the form that float operations are counted from."""

from __future__ import annotations

import numpy as np

from tfprof.definitions.quirks import Quirks
from tfprof.flops.interpreter import RunShapes
from tfprof.flops.model_inputs import ModelGraph, find_placeholders
from tfprof.flops.tensors import Dims
from tfprof.functions.expand import expand
from tfprof.profiles.grouping import group_offsets, list_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import CONTROL, Edges
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.resolve.runtime_shapes import with_runtime_shapes


def model_graph(profile: Profile) -> ModelGraph:
    """The nodes of a loaded profile, its functions and the roots of its signature."""
    graph = _main_graph(profile)
    functions: set[str] = set()
    for data in profile.libraries:
        library = GraphDef.FromString(data).library
        for function in library.function:
            if function.signature.name not in functions:
                functions.add(function.signature.name)
                graph.library.function.add().CopyFrom(function)
        graph.library.gradient.extend(library.gradient)
    names = profile.input_names
    inputs = {
        node: (names.get(node, name), shape)
        for node, (name, shape) in find_placeholders(graph).items()
    }
    present = {node.name for node in graph.node} if profile.roots else set()
    roots = [name for name in profile.roots if name in present]
    return ModelGraph(graph, roots or None, inputs)


def _main_graph(profile: Profile) -> GraphDef:
    graph = GraphDef()
    nodes, attrs = profile.nodes, profile.nodes.attrs
    inputs = _input_names(profile.edges)
    input_offsets = group_offsets(profile.edges.consumer, len(nodes)).tolist()
    keys, values = (attrs.flatten().field(name).to_pylist() for name in ("key", "value"))
    attr_offsets = list_offsets(attrs).tolist()
    names, ops = nodes.name.to_pylist(), nodes.op.to_pylist()
    for i in np.flatnonzero(nodes.in_graph).tolist():
        node_inputs = inputs[input_offsets[i] : input_offsets[i + 1]]
        node = graph.node.add(name=names[i], op=ops[i], input=node_inputs)
        for j in range(attr_offsets[i], attr_offsets[i + 1]):
            node.attr[keys[j]].MergeFromString(values[j])
    return graph


def _input_names(edges: Edges) -> list[str]:
    """Each input as in a NodeDef: `name`, `name:2` or `^name`."""
    names: list[str] = edges.producer.to_pylist()
    for i in np.flatnonzero(edges.output).tolist():
        output = int(edges.output[i])
        names[i] = f"^{names[i]}" if output == CONTROL else f"{names[i]}:{output}"
    return names


def recorded_shapes(profile: Profile, graph: GraphDef, quirks: Quirks) -> RunShapes:
    """The shapes that runs recorded, by function and node where all calls agree."""
    if not profile.records:
        return {}
    shaped, _ = with_runtime_shapes(profile, quirks)
    names, column = shaped.nodes.name.to_pylist(), shaped.nodes.output_shapes.to_pylist()
    by_name = {
        name: [_dims(shape) for shape in shapes]
        for name, shapes in zip(names, column, strict=True)
        if shapes
    }
    recorded: dict[tuple[str, str], list[Dims | None]] = {}
    conflicts: set[tuple[str, str]] = set()
    for frame in expand(graph).frames:
        for node in frame.body.nodes:
            shapes = by_name.get(frame.prefix + node.name)
            if shapes is None:
                continue
            key = frame.body.name, node.name
            if recorded.setdefault(key, shapes) != shapes:
                conflicts.add(key)
    return {key: shapes for key, shapes in recorded.items() if key not in conflicts}


def _dims(shape: list[int]) -> Dims | None:
    """A shape of the column; there [] is an unknown rank, and [1] may also be a scalar."""
    if not shape or shape == [1]:
        return None
    return tuple(size if size >= 0 else None for size in shape)
