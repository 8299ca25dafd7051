"""Sums of work over a run: per instance once, shared by equal calls, loops multiplied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfprof.flops.interpreter import Instance, Invocation
from tfprof.flops.polynomial import Count, bind, symbols
from tfprof.flops.rules import CountKind, FlopCount, count_node, traffic
from tfprof.flops.rules.formula import NOTHING, Operation
from tfprof.flops.shapes import canonical

_NodeCount = tuple[FlopCount, tuple[Count, Count] | None]
"""A node's own work, and the bytes it reads and writes if they are known."""


@dataclass(slots=True)
class OpTotal:
    """Work of all nodes of one op type."""

    macs: Count = 0
    elementwise: Count = 0
    nodes: int = 0

    def add(self, macs: Count, elementwise: Count, nodes: int) -> None:
        """Add some work."""
        self.macs = self.macs + macs
        self.elementwise = self.elementwise + elementwise
        self.nodes += nodes

    def float_ops(self) -> Count:
        """Two operations per multiply-add, and the rest."""
        return 2 * self.macs + self.elementwise


@dataclass(slots=True)
class Totals:
    """A sum of work, and the record of what it is a sum of."""

    macs: Count = 0
    elementwise: Count = 0
    read: Count = 0
    written: Count = 0
    nodes: Counter[CountKind] = field(default_factory=Counter)
    by_op: dict[str, OpTotal] = field(default_factory=dict)
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(op type, reason) -> nodes."""
    unsized: int = 0
    """Nodes whose bytes are not known."""
    branches: int = 0
    """Nodes whose data decides which branch runs: the most expensive one is counted."""
    problems: dict[str, None] = field(default_factory=dict)

    def float_ops(self) -> Count:
        """Two operations per multiply-add, and the rest."""
        return 2 * self.macs + self.elementwise

    def node(
        self, op: str, count: FlopCount, moved: tuple[Count, Count] | None, times: Count = 1
    ) -> None:
        """Add one node that runs so many times."""
        self.nodes[count.kind] += 1
        work = count.work
        if count.kind is CountKind.UNKNOWN:
            self.unknown[op, count.reason] += 1
        elif count.kind is CountKind.COUNTED:
            macs, elementwise = work.macs * times, work.elementwise * times
            self.macs = self.macs + macs
            self.elementwise = self.elementwise + elementwise
            self.by_op.setdefault(op, OpTotal()).add(macs, elementwise, 1)
        if moved is None:
            self.unsized += 1
        else:
            self.read = self.read + moved[0] * times
            self.written = self.written + moved[1] * times

    def add(self, other: Totals, times: Count) -> None:
        """Add another sum, of something that runs so many times."""
        self.macs = self.macs + other.macs * times
        self.elementwise = self.elementwise + other.elementwise * times
        self.read = self.read + other.read * times
        self.written = self.written + other.written * times
        self.nodes.update(other.nodes)
        for op, total in other.by_op.items():
            mine = self.by_op.setdefault(op, OpTotal())
            mine.add(total.macs * times, total.elementwise * times, total.nodes)
        self.unknown.update(other.unknown)
        self.unsized += other.unsized
        self.branches += other.branches
        self.problems.update(other.problems)


def operation(instance: Instance, position: int) -> Operation:
    """A node as the formulas see it."""
    node = instance.body.nodes[position]
    outputs = instance.outputs.get(position, ())
    return Operation(canonical(node.op), node.attr, instance.inputs(position), outputs=outputs)


class InstanceTotals:
    """Sums per instance, each made once."""

    def __init__(self) -> None:
        self._done: dict[Instance, Totals] = {}
        self._counts: dict[Instance, dict[int, _NodeCount]] = {}

    def count(self, instance: Instance, position: int) -> FlopCount:
        """What is known about one node's own work; a call has none of its own."""
        return self._count(instance, position)[0]

    def _count(self, instance: Instance, position: int) -> _NodeCount:
        known = self._counts.setdefault(instance, {})
        if position not in known:
            known[position] = _count_node(instance, position)
        return known[position]

    def of(self, root: Instance) -> Totals:
        """The sum over an instance and all it calls."""
        pending = [root]
        while pending:
            instance = pending[-1]
            waiting = [child for child in _children(instance) if child not in self._done]
            if waiting and instance not in self._done:
                pending.extend(waiting)
                continue
            pending.pop()
            if instance not in self._done:
                self._done[instance] = self._sum(instance)
        return self._done[root]

    def _sum(self, instance: Instance) -> Totals:
        total = Totals()
        for position in instance.order:
            node = instance.body.nodes[position]
            times = instance.repeats.get(position, 1)
            count, moved = self._count(instance, position)
            total.node(node.op, count, moved, times)
            made = instance.invocations.get(position, ())
            for invocation in made:
                if invocation.problem:
                    total.problems[invocation.problem] = None
            chosen = self.chosen(instance, position)
            total.branches += len(chosen) != len(made)
            for invocation in chosen:
                if invocation.instance is not None:
                    total.add(self._done[invocation.instance], invocation.trips * times)
        return total

    def chosen(self, instance: Instance, position: int) -> list[Invocation]:
        """What a node runs: all it calls, but of several branches the most expensive."""
        made = instance.invocations.get(position, [])
        if len(made) < 2 or made[0].call.kind != "branch":
            return list(made)
        return [max(made, key=self._rank)]

    def _rank(self, invocation: Invocation) -> int:
        """A number to compare branches by: symbols are taken to be large and equal."""
        if invocation.instance is None:
            return 0
        count = self.of(invocation.instance).float_ops()
        number = bind(count, dict.fromkeys(symbols(count), 1000))
        return number if isinstance(number, int) else 0


def _children(instance: Instance) -> Iterator[Instance]:
    for invocations in instance.invocations.values():
        for invocation in invocations:
            if invocation.instance is not None:
                yield invocation.instance


def _count_node(instance: Instance, position: int) -> _NodeCount:
    invocations = instance.invocations.get(position)
    if invocations is None:
        node = operation(instance, position)
        return count_node(node), traffic(node)
    problems = [invocation.problem for invocation in invocations if invocation.problem]
    return FlopCount(CountKind.UNKNOWN, NOTHING, problems[0]) if problems else _CALL, (0, 0)


_CALL = FlopCount(CountKind.ZERO_COST, NOTHING, "a call: its work is that of the function's nodes")
