"""A graph with its functions expanded: every node that can run, under its run-time name.

A function called a thousand times is one body and a thousand frames; names and inputs are made on
request. What cannot be expanded (recursion, a missing function, too many nodes) stays a single
node, and `notes` say so.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfprof.functions.calls import Call, calls
from tfprof.functions.library import (
    FunctionBody,
    FunctionLibrary,
    Ref,
    argument,
)
from tfprof.protos.graph_pb2 import GraphDef, NodeDef

__all__ = ["MAX_DEPTH", "MAX_NODES", "Expanded", "ExpandedNode", "Frame", "expand"]

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

    def path(self) -> tuple[str, ...]:
        """Run-time names of the calling nodes, outermost first."""
        names = []
        frame = self
        while frame.parent is not None:
            names.append(frame.parent.prefix + frame.parent.body.nodes[frame.caller].name)
            frame = frame.parent
        return tuple(reversed(names))

    def loops(self) -> tuple[str, ...]:
        """Run-time names of the While nodes this frame runs in; their trip counts multiply."""
        names = []
        frame = self
        while frame.parent is not None:
            if frame.call is not None and frame.call.kind in ("body", "cond"):
                names.append(frame.parent.prefix + frame.parent.body.nodes[frame.caller].name)
            frame = frame.parent
        return tuple(reversed(names))


@dataclass(frozen=True, slots=True)
class ExpandedNode:
    """One node in one frame."""

    index: int
    frame: Frame
    node: NodeDef

    @property
    def name(self) -> str:
        """The run-time name, without TensorFlow's counters."""
        return self.frame.prefix + self.node.name


@dataclass(frozen=True, slots=True)
class Expanded:
    """All nodes, numbered frame by frame; frame 0 is the main graph."""

    frames: list[Frame]
    notes: list[str]

    def __len__(self) -> int:
        last = self.frames[-1]
        return last.base + len(last.body.nodes)

    def __iter__(self) -> Iterator[ExpandedNode]:
        for frame in self.frames:
            for position, node in enumerate(frame.body.nodes):
                yield ExpandedNode(frame.base + position, frame, node)

    def __getitem__(self, index: int) -> ExpandedNode:
        frame = self._frame(index)
        return ExpandedNode(index, frame, frame.body.nodes[index - frame.base])

    def inputs(self, index: int) -> tuple[tuple[int, int] | None, ...]:
        """(node, output) that each data input comes from, seen through calls.

        Arguments of a loop's functions come from the While node, which holds the loop's state;
        results of If and Case come from the node, as either branch may give them.
        """
        frame = self._frame(index)
        return tuple(_trace(frame, ref) for ref in frame.body.inputs[index - frame.base])

    def _frame(self, index: int) -> Frame:
        return self.frames[bisect_right(self.frames, index, key=lambda frame: frame.base) - 1]


def _trace(frame: Frame, ref: Ref | None) -> tuple[int, int] | None:
    while ref is not None:
        index = argument(ref)
        if index is not None:
            call, parent = frame.call, frame.parent
            if call is None or parent is None:
                return None
            if call.kind in ("body", "cond"):
                return parent.base + frame.caller, index
            given = parent.body.inputs[frame.caller]
            position = call.first_input + index
            frame, ref = parent, given[position] if position < len(given) else None
            continue
        inside = frame.children.get(ref[0], ())
        if len(inside) != 1 or inside[0].call is None or inside[0].call.kind != "call":
            return frame.base + ref[0], ref[1]
        frame = inside[0]
        ref = frame.body.results[ref[1]] if ref[1] < len(frame.body.results) else None
    return None


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
