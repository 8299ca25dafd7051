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
from tfprof.protos.graph_pb2 import GraphDef, NodeDef, TensorProto

MAX_DEPTH = 1_000
_DEPTH_OF_NODE = 64
"""The nesting that counts as one node: a call is compared with all that it is nested in."""
_LONG_TENSOR = 1024
"""The bytes beyond which the value of a tensor is not copied for each call of a function."""
_NO_CONTENT = b"\0"
_USUAL_SIZE = 320
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
    if max_nodes is None:
        max_nodes = max_inlined_nodes(library.size)
    bodies = [InlinedBody(library.main, 0, "")]
    total = len(library.main.nodes)
    budget = _Budget(max_nodes - total, max_nodes, max_inlined_bytes(library.name_bytes))
    warnings: dict[str, None] = {}
    for inlined in bodies:  # grows while it is walked
        active = _active_functions(inlined) if inlined.body.calls else set()
        for position, calls in inlined.body.calls.items():
            caller = inlined.prefix + inlined.body.nodes[position].name
            for call in calls:
                body = library.body(call.function)
                if body is None:
                    refusal = f"function {call.function!r} is not in the library"
                elif call.function in active:
                    refusal = f"function {call.function!r} calls itself"
                elif inlined.depth == MAX_DEPTH:
                    refusal = f"calls nested deeper than {MAX_DEPTH} are not expanded"
                else:
                    refusal = budget.spend(body, call.prefix_length(caller), inlined.depth + 1)
                if body is None or refusal:
                    warnings[refusal] = None
                    continue
                prefix = call.prefix(caller)
                child = InlinedBody(body, total, prefix, inlined, position, call, inlined.depth + 1)
                inlined.children.setdefault(position, []).append(child)
                bodies.append(child)
                total += len(body.nodes)
    return ExpandedGraph(bodies, list(warnings))


@dataclass(slots=True)
class _Budget:
    """How many more nodes may be inlined, of `max_nodes`, and how many more bytes of names."""

    nodes: int
    max_nodes: int
    name_bytes: int
    _weights: dict[str, int] = field(default_factory=dict)

    def spend(self, body: FunctionBody, prefix: int, depth: int) -> str:
        """Inline a function under a prefix of some length, or say why that is too much."""
        if body.name not in self._weights:
            self._weights[body.name] = _weight(body)
        weight = self._weights[body.name]
        if weight > self.nodes:
            return (
                f"calls that need more than {self.max_nodes} nodes are not expanded; large nodes "
                "count as several"
            )
        names = body.name_bytes + prefix * (1 + len(body.nodes))
        if names > self.name_bytes:
            return "names too long: other calls are not expanded"
        self.nodes -= weight + depth // _DEPTH_OF_NODE
        self.name_bytes -= names
        return ""


def _weight(body: FunctionBody) -> int:
    """As how many nodes a function counts: large ones, and those of many inputs, as several."""
    signature = (body.arguments, body.results, body.control_results)
    links = sum(map(len, (*signature, *body.calls.values())))
    links += sum(len(node.input) for node in body.nodes)
    size = sum(without_long_tensors(node).ByteSize() for node in body.nodes)
    extra = (size - _USUAL_SIZE * len(body.nodes)) // BYTES_OF_NODE
    return max(1, len(body.nodes), links // FEW_LINKS, extra)


def without_long_tensors(node: NodeDef) -> NodeDef:
    """A node as each call has a copy of it: of a long constant the type and shape, not the value.

    The body has all. What is left of the content cannot be read as a value.
    """
    if node.ByteSize() <= _LONG_TENSOR:
        return node
    long = [name for name, value in node.attr.items() if value.tensor.ByteSize() > _LONG_TENSOR]
    if not long:
        return node
    node = copy(node)
    for name in long:
        tensor = node.attr[name].tensor
        node.attr[name].tensor.CopyFrom(
            TensorProto(
                dtype=tensor.dtype, tensor_shape=tensor.tensor_shape, tensor_content=_NO_CONTENT
            )
        )
    return node


def _active_functions(inlined: InlinedBody | None) -> set[str]:
    """The functions that run where a body does, its own included."""
    names = set()
    while inlined is not None:
        names.add(inlined.body.name)
        inlined = inlined.parent
    return names
