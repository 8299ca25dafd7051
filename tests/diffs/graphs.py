"""Graphs with scopes, to rename: a small network written like the names of TensorFlow."""

from __future__ import annotations

import tfprof
from tests.test_goldens import CPU, graph_of, run_of
from tfprof.protos import graph_pb2

LAYER = {
    "kernel": "VarHandleOp",
    "kernel/Read": "ReadVariableOp",
    "Conv2D": "Conv2D",
    "bias": "VarHandleOp",
    "BiasAdd": "BiasAdd",
    "Relu": "Relu",
}


def layer_names(scope):
    """The nodes of a layer, its gradients and its slots of an optimizer: name -> op type."""
    nodes = {f"{scope}/{name}": op for name, op in LAYER.items()}
    nodes |= {f"gradients/{scope}/{name}_grad/Mul": "Mul" for name in ("Conv2D", "Relu")}
    nodes[f"train/update_{scope.replace('/', '_')}_kernel/Apply"] = "ResourceApplyAdam"
    return nodes


def network(*scopes, extra=()):
    """The nodes of a network of layers: name -> op type."""
    nodes = {"x": "Placeholder"}
    for scope in scopes:
        nodes |= layer_names(scope)
    return {**nodes, **dict(extra)}


def profile_of(nodes, *, micros=len, shapes=None):
    """A profile of nodes, each run once, one after the other."""
    graph = graph_of(*nodes.items())
    for node in graph.node:
        for size in (shapes or {}).get(node.name, ()):
            node.attr["shape"].shape.dim.add(size=size)
    records = [(name, 100 * i + 1, micros(name)) for i, name in enumerate(nodes)]
    return tfprof.load(graph, [run_of(CPU, *records)])


def renamed_names(names, components):
    """Names with some of their components replaced."""
    return ["/".join(components.get(part, part) for part in name.split("/")) for name in names]


def empty_graph():
    """A graph without nodes."""
    return graph_pb2.GraphDef()
