"""The graph of a profile in the form that float operations are counted from."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.flops.interpreter import RunShapes
from tfprof.flops.model_graph import ModelGraph, find_placeholders
from tfprof.flops.tensors import Dims, dims_of_sizes
from tfprof.functions.expand import expand
from tfprof.functions.library import parse_library
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
        parsed = parse_library(data)
        if parsed is None:  # `resolve` warns of functions that cannot be read
            continue
        library = parsed.library
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
    return ModelGraph(graph, roots or None, inputs, captures=_captures(profile))


def _captures(profile: Profile) -> dict[str, Dims | None]:
    """The shapes of the variables that a live function captures, by their placeholders."""
    placeholders = pc.equal(profile.nodes.op, "Placeholder")
    rows = pc.and_(placeholders, pc.greater(pc.list_value_length(profile.nodes.shape), 0))
    names = profile.nodes.name.filter(rows).to_pylist()
    shapes = profile.nodes.shape.filter(rows).to_pylist()
    return {name: dims_of_sizes(sizes) for name, sizes in zip(names, shapes, strict=True)}


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
        name: [dims_of_sizes(shape) for shape in shapes]
        for name, shapes in zip(names, column, strict=True)
        if shapes
    }
    recorded: dict[tuple[str, str], list[Dims | None]] = {}
    conflicts: set[tuple[str, str]] = set()
    for inlined in expand(graph).bodies:
        for node in inlined.body.nodes:
            shapes = by_name.get(inlined.prefix + node.name)
            if shapes is None:
                continue
            key = inlined.body.name, node.name
            if recorded.setdefault(key, shapes) != shapes:
                conflicts.add(key)
    return {key: shapes for key, shapes in recorded.items() if key not in conflicts}
