"""V1 loops: Enter, Merge, Switch, NextIteration and Exit nodes in the graph itself.

The nodes between an Enter and an Exit form a frame, which iterates while its LoopCond is true.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tfprof.flops.polynomial import Count
from tfprof.flops.tensors import Tensor, join_tensors
from tfprof.flops.trip_counts import TripCount, origin, scalar, step_of, trip_count
from tfprof.functions.library import FunctionBody, Ref
from tfprof.protos.graph_pb2 import DataType

if TYPE_CHECKING:
    from tfprof.flops.interpreter import Instance

_WITHIN = frozenset({"Identity", "StopGradient", "LoopCond", "Switch", "RefSwitch", "RefIdentity"})
_ENTER = frozenset({"Enter", "RefEnter"})
_EXIT = frozenset({"Exit", "RefExit"})
_PASSING = _WITHIN | _ENTER | _EXIT
NEXT = {"NextIteration", "RefNextIteration"}
_STACKS = {"StackV2", "Stack"}


@dataclass(frozen=True, slots=True, eq=False)
class LoopNest:
    """The loops around a node: the innermost one, and those around it."""

    loop: str
    outer: LoopNest | None
    depth: int


_Merges = dict[int, tuple[Ref | None, Ref | None]]
"""Merge node of a loop -> its first value, and that of the previous iteration."""


class V1Loops:
    """The loops of one body; each pass over a loop refines its tensors and trip count."""

    def __init__(self, body: FunctionBody, order: list[int]) -> None:
        self._body = body
        self.components = _components(body, order)
        """Positions in order, those of a loop together: what they need comes before."""
        self.enclosing = enclosing_loops(body, order)
        self._merges = _find_merges(body, order)
        self._invariants = _find_invariants(body, self._merges)
        self._conditions = {
            self.enclosing[p]: p
            for p in order
            if body.nodes[p].op == "LoopCond" and p in self.enclosing
        }
        self._exits = self._find_exits(order)
        self._widened: dict[int, Tensor] = {}
        self._final: dict[int, Count] = {}
        self._stacks: dict[int, Tensor] = {}
        self.trips: dict[LoopNest, TripCount] = {}

    @staticmethod
    def any_in(body: FunctionBody, order: list[int]) -> bool:
        """Whether there are such loops."""
        return any(body.nodes[position].op in _ENTER for position in order)

    def refine(self, position: int, outputs: list[Tensor]) -> list[Tensor]:
        """A node's outputs by the earlier passes."""
        if position in self._merges and position not in self._invariants and outputs:
            # A loop's variable has its first value in the first iteration only.
            first = self._widened.get(position, replace(outputs[0], value=None))
            return [first, *outputs[1:]]
        if position in self._final and outputs:
            return [replace(outputs[0], value=(self._final[position],)), *outputs[1:]]
        return outputs

    def pass_through(self, position: int, inputs: tuple[Tensor, ...]) -> list[Tensor] | None:
        """The outputs of a node that passes on what a loop does not change, or a stack keeps."""
        if position in self._invariants:
            return [inputs[0], Tensor(DataType.DT_INT32, ())]
        if self._body.nodes[position].op in _EXIT:
            merge = origin(self._body, (position, 0), _WITHIN | _EXIT)
            return [inputs[0]] if merge is not None and merge[0] in self._invariants else None
        return self._stack_output(position, inputs)

    def _stack_output(self, position: int, inputs: tuple[Tensor, ...]) -> list[Tensor] | None:
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
            self._stacks[handle[0]] = join_tensors(known, inputs[1])
            return [inputs[1]]
        return None

    def update(self, instance: Instance, component: list[int]) -> bool:
        """Compare the state before and after a pass over a component; whether anything changed."""
        if len(component) == 1:
            return False
        members = set(component)
        changed = False
        for position in self._merges.keys() & members - self._invariants:
            now = instance.outputs[position][0]
            following = instance.tensor(self._merges[position][1])
            both = join_tensors(now, replace(following, value=None))
            if both != now:
                self._widened[position] = both
                changed = True
        for condition in component:
            loops = self.enclosing.get(condition)
            if loops is not None and self._conditions.get(loops) == condition:
                trips = trip_count(_V1Loop(instance, condition, self._merges))
                changed |= trips != self.trips.get(loops)
                self.trips[loops] = trips
        for position in self._exits.keys() & members:
            changed |= self._set_final_value(instance, position)
        return changed

    def _find_exits(self, order: list[int]) -> dict[int, list[int]]:
        """Merge node -> the Exit nodes of its variable."""
        exits: dict[int, list[int]] = {}
        for position in order:
            if self._body.nodes[position].op in _EXIT:
                merge = origin(self._body, (position, 0), _WITHIN | _EXIT)
                if merge is not None and merge[0] in self._merges and merge[0] in self.enclosing:
                    exits.setdefault(merge[0], []).append(position)
        return exits

    def _set_final_value(self, instance: Instance, merge: int) -> bool:
        """Set the value that a counter has behind its Exit; whether it is another one."""
        loops = self.enclosing[merge]
        loop = _V1Loop(instance, self._conditions.get(loops), self._merges)
        count = self.trips.get(loops, TripCount()).exact
        first, step = loop.first(merge), loop.step(merge)
        if count is None or first is None or step is None:
            return False
        value = first + count * step
        changed = any(self._final.get(position) != value for position in self._exits[merge])
        self._final.update(dict.fromkeys(self._exits[merge], value))
        return changed


class _V1Loop:
    """One loop; its variables are the positions of Merge nodes."""

    def __init__(self, instance: Instance, condition: int | None, merges: _Merges) -> None:
        self.cond = instance
        self._condition, self._merges = condition, merges

    def condition(self) -> Ref | None:
        if self._condition is None:
            return None
        return next(iter(self.cond.body.inputs[self._condition]), None)

    def variable(self, body: FunctionBody, ref: Ref | None) -> int | None:
        source = origin(body, ref, _WITHIN)
        if source is None or self._merges.get(source[0], (None, None))[0] is None:
            return None
        return source[0]

    def first(self, variable: int) -> Count | None:
        return scalar(self.cond.tensor(self._merges[variable][0]))

    def step(self, variable: int) -> int | None:
        return step_of(self.cond, self._merges[variable][1], self, variable)


def _components(body: FunctionBody, order: list[int]) -> list[list[int]]:
    """The strongly connected components of a body, each after those that it needs (Tarjan)."""
    rank = {position: index for index, position in enumerate(order)}
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_nodes: list[int] = []
    is_open: set[int] = set()
    components: list[list[int]] = []
    for root in order:
        stack = [] if root in number else [(root, iter(body.producers(root)))]
        while stack:
            position, producers = stack[-1]
            if position not in number:
                number[position] = lowest[position] = len(number)
                open_nodes.append(position)
                is_open.add(position)
            for producer in producers:
                if producer not in rank:
                    continue
                if producer not in number:
                    stack.append((producer, iter(body.producers(producer))))
                    break
                if producer in is_open:
                    lowest[position] = min(lowest[position], number[producer])
            else:
                stack.pop()
                if stack:
                    parent = stack[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[position])
                if lowest[position] == number[position]:
                    members = [open_nodes.pop()]
                    while members[-1] != position:
                        members.append(open_nodes.pop())
                    is_open.difference_update(members)
                    components.append(sorted(members, key=rank.__getitem__))
    return components


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


def _find_invariants(body: FunctionBody, merges: _Merges) -> set[int]:
    """Variables that each iteration passes on unchanged, also through loops inside."""
    before: dict[int, Ref | None] = {}  # an invariant -> where its first value comes from
    size = -1
    while len(before) > size:
        size = len(before)
        for position in reversed(merges):  # inner loops first
            if position in before:
                continue
            first, following = merges[position]
            source = _follow(before, origin(body, following, _PASSING))
            if source is not None and source[0] == position:
                before[position] = origin(body, first, _PASSING)
    return set(before)


def _follow(before: dict[int, Ref | None], source: Ref | None) -> Ref | None:
    """Where a tensor comes from that invariants pass on; long paths are shortened."""
    path: list[int] = []
    while source is not None and source[0] in before:
        path.append(source[0])
        source = before[source[0]]
        before[path[-1]] = None  # a cycle ends here
    before.update(dict.fromkeys(path, source))
    return source


def enclosing_loops(body: FunctionBody, order: list[int]) -> dict[int, LoopNest]:
    """The loops around each node; a node without any is not listed."""
    enclosing: dict[int, LoopNest | None] = {}
    nests: dict[tuple[str, LoopNest | None], LoopNest] = {}
    for position in order:
        node = body.nodes[position]
        nest: LoopNest | None = None
        for text in node.input:
            source = body.positions.get(text.partition(":")[0].lstrip("^"), -1)
            around = enclosing.get(source)
            if around is not None and body.nodes[source].op in _EXIT:
                around = around.outer
            if around is not None and (nest is None or around.depth > nest.depth):
                nest = around
        if node.op in _ENTER:
            loop = node.attr["frame_name"].s.decode("utf-8", "replace")
            depth = nest.depth + 1 if nest else 1
            nest = nests.setdefault((loop, nest), LoopNest(loop, nest, depth))
        enclosing[position] = nest
    return {position: nest for position, nest in enclosing.items() if nest is not None}
