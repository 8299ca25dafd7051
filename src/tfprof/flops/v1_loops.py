"""V1 loops: Enter, Merge, Switch, NextIteration and Exit nodes in the graph itself.

The nodes between an Enter and an Exit form a frame, which iterates while its LoopCond is true.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tfprof.flops.polynomial import Count
from tfprof.flops.tensors import Tensor, common
from tfprof.flops.trip_counts import TripCount, origin, scalar, step_of, trip_count
from tfprof.functions.library import FunctionBody, Ref

if TYPE_CHECKING:
    from tfprof.flops.interpreter import Instance

_WITHIN = frozenset({"Identity", "StopGradient", "LoopCond", "Switch", "RefSwitch", "RefIdentity"})
_ENTER = {"Enter", "RefEnter"}
_EXIT = {"Exit", "RefExit"}
NEXT = {"NextIteration", "RefNextIteration"}
_STACKS = {"StackV2", "Stack"}

Frame = tuple[str, ...]
"""Names of the loops around a node, outermost first."""

_Merges = dict[int, tuple[Ref | None, Ref | None]]
"""Merge node of a loop -> its first value, and that of the previous iteration."""


class V1Loops:
    """The loops of one body; each pass over its nodes refines their tensors and trip counts."""

    def __init__(self, body: FunctionBody, order: list[int]) -> None:
        self._body = body
        self.frames = loops_around(body, order)
        self._merges = _find_merges(body, order)
        self._conditions = {
            self.frames[p]: p for p in order if body.nodes[p].op == "LoopCond" and p in self.frames
        }
        self._widened: dict[int, Tensor] = {}
        self._final: dict[int, Count] = {}
        self._stacks: dict[int, Tensor] = {}
        self.trips: dict[Frame, TripCount] = {}

    @staticmethod
    def any_in(body: FunctionBody, order: list[int]) -> bool:
        """Whether there are such loops."""
        return any(body.nodes[position].op in _ENTER for position in order)

    def refine(self, position: int, outputs: list[Tensor]) -> list[Tensor]:
        """A node's outputs by the earlier passes."""
        if position in self._merges and outputs:
            # A loop's variable has its first value in the first iteration only.
            first = self._widened.get(position, replace(outputs[0], value=None))
            return [first, *outputs[1:]]
        if position in self._final and outputs:
            return [replace(outputs[0], value=(self._final[position],)), *outputs[1:]]
        return outputs

    def stack_output(self, position: int, inputs: tuple[Tensor, ...]) -> list[Tensor] | None:
        """The output of a stack op: what is pushed in one loop is popped in another."""
        op = self._body.nodes[position].op
        if op not in ("StackPushV2", "StackPush", "StackPopV2", "StackPop"):
            return None
        handle = origin(self._body, next(iter(self._body.inputs[position]), None), _WITHIN | _ENTER)
        if handle is None or self._body.nodes[handle[0]].op not in _STACKS:
            return None
        if op.startswith("StackPop"):
            return [self._stacks.get(handle[0], Tensor())]
        if len(inputs) > 1:
            known = self._stacks.get(handle[0], inputs[1])
            self._stacks[handle[0]] = common(known, inputs[1])
            return [inputs[1]]
        return None

    def update(self, instance: Instance) -> bool:
        """Compare the state before and after an iteration; whether anything changed."""
        changed = False
        for position, (_, following) in self._merges.items():
            now = instance.outputs[position][0]
            both = common(now, replace(instance.tensor(following), value=None))
            if both != now:
                self._widened[position] = both
                changed = True
        trips = {
            frame: trip_count(_Frame(instance, condition, self._merges))
            for frame, condition in self._conditions.items()
        }
        final = self._final_values(instance, trips)
        changed = changed or trips != self.trips or final != self._final
        self.trips, self._final = trips, final
        return changed

    def _final_values(self, instance: Instance, trips: dict[Frame, TripCount]) -> dict[int, Count]:
        """Values of counters behind their Exit."""
        final: dict[int, Count] = {}
        for position in instance.order:
            if self._body.nodes[position].op not in _EXIT:
                continue
            merge = origin(self._body, (position, 0), _WITHIN | _EXIT)
            if merge is None or merge[0] not in self._merges or merge[0] not in self.frames:
                continue
            frame = self.frames[merge[0]]
            loop = _Frame(instance, self._conditions.get(frame), self._merges)
            count = trips.get(frame, TripCount()).exact
            first, step = loop.first(merge[0]), loop.step(merge[0])
            if count is not None and first is not None and step is not None:
                final[position] = first + count * step
        return final


class _Frame:
    """One frame as a loop; its variables are the positions of Merge nodes."""

    def __init__(self, instance: Instance, condition: int | None, merges: _Merges) -> None:
        self.test = instance
        self._condition, self._merges = condition, merges

    def condition(self) -> Ref | None:
        if self._condition is None:
            return None
        return next(iter(self.test.body.inputs[self._condition]), None)

    def variable(self, body: FunctionBody, ref: Ref | None) -> int | None:
        source = origin(body, ref, _WITHIN)
        if source is None or self._merges.get(source[0], (None, None))[0] is None:
            return None
        return source[0]

    def first(self, variable: int) -> Count | None:
        return scalar(self.test.tensor(self._merges[variable][0]))

    def step(self, variable: int) -> int | None:
        return step_of(self.test, self._merges[variable][1], self, variable)


def _find_merges(body: FunctionBody, order: list[int]) -> _Merges:
    merges: _Merges = {}
    for position in order:
        sources = body.inputs[position]
        if body.nodes[position].op not in ("Merge", "RefMerge") or len(sources) != 2:
            continue
        first, second = sources
        if second is not None and second[0] >= 0 and body.nodes[second[0]].op in NEXT:
            merges[position] = first, next(iter(body.inputs[second[0]]), None)
    return merges


def loops_around(body: FunctionBody, order: list[int]) -> dict[int, Frame]:
    """The loops around each node; a node without any is not listed."""
    frames: dict[int, Frame] = {}
    for position in order:
        node = body.nodes[position]
        around: Frame = ()
        for text in node.input:
            source = body.positions.get(text.partition(":")[0].lstrip("^"), -1)
            frame = frames.get(source, ())
            if source >= 0 and body.nodes[source].op in _EXIT:
                frame = frame[:-1]
            around = max(around, frame, key=len)
        if node.op in _ENTER:
            around = (*around, node.attr["frame_name"].s.decode("utf-8", "replace"))
        if around:
            frames[position] = around
    return frames
