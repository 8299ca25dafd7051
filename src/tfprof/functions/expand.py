"""A graph with its functions expanded: every node that can run, under its runtime name.

A function called a thousand times is one FunctionBody and a thousand InlinedBody; names and inputs
follow from these. What cannot be expanded (recursion, a missing function, many more nodes than the
graph has) stays a single node, with a warning.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field

from tfprof.definitions.limits import (
    BYTES_OF_NODE,
    FEW_LINKS,
    max_inlined_bytes,
    max_inlined_nodes,
)
from tfprof.functions.calls import Call
from tfprof.functions.library import FunctionBody, FunctionLibrary
from tfprof.protos.graph_pb2 import GraphDef, NodeDef

MAX_DEPTH = 1_000
_DEPTH_OF_NODE = 64
"""The nesting that counts as one node: a call is compared with all that it is nested in."""
_LONG_ATTRIBUTE = 1024
"""The bytes beyond which an attribute is not copied for each call of a function."""
_SHAPE_ATTRIBUTES = {"shape", "_output_shapes"}
_USUAL_SIZE = 128
"""The bytes of a node on average that count as one node; larger ones count as several."""


@dataclass(frozen=True, slots=True, eq=False)
class InlinedBody:
    """One body under one call: the main graph, or a function."""

    body: FunctionBody
    base: int
    prefix: str
    parent: InlinedBody | None = None
    caller: int = -1
    """Position of the calling node in the parent's body."""
    call: Call | None = None
    depth: int = 0
    children: dict[int, list[InlinedBody]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExpandedGraph:
    """All nodes, numbered body by body; body 0 is the main graph."""

    bodies: list[InlinedBody]
    warnings: list[str]


def expand(graph: GraphDef | FunctionLibrary, *, max_nodes: int | None = None) -> ExpandedGraph:
    """Expand the functions of a graph, breadth first, without recursion."""
    library = graph if isinstance(graph, FunctionLibrary) else FunctionLibrary(graph)
    bodies = [InlinedBody(library.main, 0, "")]
    warnings: dict[str, None] = {}
    total, name_bytes = len(library.main.nodes), 0
    weight, weights = total, dict[str, int]()
    if max_nodes is None:
        max_nodes = max_inlined_nodes(library.size)
    max_bytes = max_inlined_bytes(library.name_bytes)
    for inlined in bodies:  # grows while it is walked
        active = _active_functions(inlined) if inlined.body.calls else set()
        for position, calls in inlined.body.calls.items():
            node = inlined.body.nodes[position]
            for call in calls:
                body = library.body(call.function)
                if body is not None and body.name not in weights:
                    weights[body.name] = _weight(body)
                if body is None:
                    warnings[f"function {call.function!r} is not in the library"] = None
                elif call.function in active:
                    warnings[f"function {call.function!r} calls itself"] = None
                elif inlined.depth == MAX_DEPTH:
                    warnings[f"calls nested deeper than {MAX_DEPTH} are not expanded"] = None
                elif weight + weights[body.name] > max_nodes:
                    warnings[f"more than {max_nodes} nodes: other calls are not expanded"] = None
                else:
                    prefix = call.prefix(inlined.prefix + node.name)
                    names = body.name_bytes + len(prefix) * (1 + len(body.nodes))
                    if name_bytes + names > max_bytes:
                        warnings["names too long: other calls are not expanded"] = None
                        continue
                    name_bytes += names
                    child = InlinedBody(
                        body, total, prefix, inlined, position, call, inlined.depth + 1
                    )
                    inlined.children.setdefault(position, []).append(child)
                    bodies.append(child)
                    total += len(body.nodes)
                    weight += weights[body.name] + child.depth // _DEPTH_OF_NODE
    return ExpandedGraph(bodies, list(warnings))


def _weight(body: FunctionBody) -> int:
    """As how many nodes a function counts: large ones, and those of many inputs, as several."""
    signature = (body.arguments, body.results, body.control_results)
    links = sum(map(len, (*signature, *body.calls.values())))
    links += sum(len(node.input) for node in body.nodes)
    size = sum(without_long_attributes(node).ByteSize() for node in body.nodes)
    extra = (size - _USUAL_SIZE * len(body.nodes)) // BYTES_OF_NODE
    return max(1, len(body.nodes), links // FEW_LINKS, extra)


def without_long_attributes(node: NodeDef) -> NodeDef:
    """A node as each call has a copy of it: of a long constant only the shape; the body has all."""
    if node.ByteSize() <= _LONG_ATTRIBUTE:
        return node
    long_names = [
        name
        for name, value in node.attr.items()
        if name not in _SHAPE_ATTRIBUTES and len(name) + value.ByteSize() > _LONG_ATTRIBUTE
    ]
    if not long_names:
        return node
    node = copy(node)
    if node.op == "Const" and "value" in long_names and "_output_shapes" not in node.attr:
        shape = node.attr["value"].tensor.tensor_shape
        node.attr["_output_shapes"].list.shape.append(shape)
    for name in long_names:
        del node.attr[name]
    return node


def _active_functions(inlined: InlinedBody | None) -> set[str]:
    """The functions that run where a body does, its own included."""
    names = set()
    while inlined is not None:
        names.add(inlined.body.name)
        inlined = inlined.parent
    return names
