"""A graph with its functions expanded: every node that can run, under its runtime name.

A function called a thousand times is one body and a thousand frames; names and inputs follow
from the frame. What cannot be expanded (recursion, a missing function, too many nodes) stays a
single node, with a note.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tfprof.functions.calls import Call, calls
from tfprof.functions.library import FunctionBody, FunctionLibrary
from tfprof.protos.graph_pb2 import GraphDef

MAX_NODES = 2_000_000
"""More nodes than this are not expanded; the functions beyond stay calls."""

MAX_DEPTH = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One body under one call: the main graph, or a function."""

    body: FunctionBody
    base: int
    prefix: str
    parent: Frame | None = None
    caller: int = -1
    """Position of the calling node in the parent's body."""
    call: Call | None = None
    depth: int = 0
    children: dict[int, list[Frame]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Expanded:
    """All nodes, numbered frame by frame; frame 0 is the main graph."""

    frames: list[Frame]
    notes: list[str]


def expand(graph: GraphDef | FunctionLibrary, *, max_nodes: int = MAX_NODES) -> Expanded:
    """Expand the functions of a graph, breadth first, without recursion."""
    library = graph if isinstance(graph, FunctionLibrary) else FunctionLibrary(graph)
    frames = [Frame(library.main, 0, "")]
    notes: dict[str, None] = {}
    total = len(library.main.nodes)
    for frame in frames:  # grows while it is walked
        for position in frame.body.callers:
            node = frame.body.nodes[position]
            for call in calls(node, library.functions, library.gradients):
                body = library.body(call.function)
                if body is None:
                    notes[f"function {call.function!r} is not in the library"] = None
                elif _active(frame, call.function):
                    notes[f"function {call.function!r} calls itself"] = None
                elif frame.depth == MAX_DEPTH:
                    notes[f"calls nested deeper than {MAX_DEPTH} stay closed"] = None
                elif total + len(body.nodes) > max_nodes:
                    notes[f"more than {max_nodes} nodes: the rest of the calls stays closed"] = None
                else:
                    prefix = call.prefix(frame.prefix + node.name)
                    child = Frame(body, total, prefix, frame, position, call, frame.depth + 1)
                    frame.children.setdefault(position, []).append(child)
                    frames.append(child)
                    total += len(body.nodes)
    return Expanded(frames, list(notes))


def _active(frame: Frame | None, function: str) -> bool:
    while frame is not None:
        if frame.body.name == function:
            return True
        frame = frame.parent
    return False
