"""A graph with its functions expanded: every node that can run, under its runtime name.

A function called a thousand times is one FunctionBody and a thousand InlinedBody; names and inputs
follow from these. What cannot be expanded (recursion, a missing function, many more nodes than the
graph has) stays a single node, with a warning.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tfprof.definitions.limits import max_inlined_bytes, max_inlined_nodes
from tfprof.functions.calls import Call, list_calls
from tfprof.functions.library import FunctionBody, FunctionLibrary
from tfprof.protos.graph_pb2 import GraphDef

MAX_DEPTH = 1_000
_FEW = 16
"""The most inputs, results and branches of a node on average that count as one node."""


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
        for position in inlined.body.callers:
            node = inlined.body.nodes[position]
            for call in list_calls(node, library.functions, library.gradients):
                body = library.body(call.function)
                if body is not None and body.name not in weights:
                    weights[body.name] = _weight(body, library)
                if body is None:
                    warnings[f"function {call.function!r} is not in the library"] = None
                elif _is_active(inlined, call.function):
                    warnings[f"function {call.function!r} calls itself"] = None
                elif inlined.depth == MAX_DEPTH:
                    warnings[f"calls nested deeper than {MAX_DEPTH} are not expanded"] = None
                elif weight + weights[body.name] > max_nodes:
                    warnings[f"more than {max_nodes} nodes: other calls are not expanded"] = None
                elif name_bytes > max_bytes:
                    warnings["names too long: other calls are not expanded"] = None
                else:
                    prefix = call.prefix(inlined.prefix + node.name)
                    name_bytes += body.name_bytes + len(prefix) * len(body.nodes)
                    child = InlinedBody(
                        body, total, prefix, inlined, position, call, inlined.depth + 1
                    )
                    inlined.children.setdefault(position, []).append(child)
                    bodies.append(child)
                    total += len(body.nodes)
                    weight += weights[body.name]
    return ExpandedGraph(bodies, list(warnings))


def _weight(body: FunctionBody, library: FunctionLibrary) -> int:
    """As how many nodes a function counts: those of many inputs, results or branches as several."""
    links = len(body.results) + sum(len(node.input) for node in body.nodes)
    for position in body.callers:
        links += len(list(list_calls(body.nodes[position], library.functions, library.gradients)))
    return max(len(body.nodes), links // _FEW)


def _is_active(inlined: InlinedBody | None, function: str) -> bool:
    while inlined is not None:
        if inlined.body.name == function:
            return True
        inlined = inlined.parent
    return False
