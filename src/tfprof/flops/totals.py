"""Sums of work over a run: per instance once, shared by equal calls, loops multiplied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfprof.flops.interpreter import Instance, Invocation
from tfprof.flops.polynomial import Count, CountSum, bind, symbols
from tfprof.flops.rules import CountKind, FlopCount, count_node, traffic
from tfprof.flops.rules.formula import NOTHING, Operation, Work
from tfprof.flops.shapes import canonical

_NodeCount = tuple[FlopCount, tuple[Count, Count] | None]
"""A node's self work, and the bytes it reads and writes if they are known."""


@dataclass(slots=True)
class WorkSum:
    """A sum of work that is added to."""

    macs: CountSum = field(default_factory=CountSum)
    elementwise: CountSum = field(default_factory=CountSum)

    def add(self, work: Work) -> None:
        """Add work."""
        self.macs.add(work.macs)
        self.elementwise.add(work.elementwise)

    def value(self) -> Work:
        """The sum."""
        return Work(self.macs.value(), self.elementwise.value())


@dataclass(slots=True)
class Totals:
    """A sum of work, and what was counted for it."""

    read: CountSum = field(default_factory=CountSum)
    written: CountSum = field(default_factory=CountSum)
    nodes: Counter[CountKind] = field(default_factory=Counter)
    by_op: dict[str, WorkSum] = field(default_factory=dict)
    counted: Counter[str] = field(default_factory=Counter)
    """Op type -> nodes whose work is in `by_op`."""
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(op type, reason) -> nodes."""
    unsized: int = 0
    """Nodes whose bytes are not known."""
    branches: int = 0
    """Nodes whose data decides which branch runs: the most expensive one is counted."""
    problems: dict[str, None] = field(default_factory=dict)
    name_bytes: int = 0
    """The length of the names of all nodes, with those of the calls that they are in."""

    def work(self) -> Work:
        """The work of all op types."""
        total = WorkSum()
        for work in self.by_op.values():
            total.add(work.value())
        return total.value()

    def add_node(
        self, op: str, count: FlopCount, moved: tuple[Count, Count] | None, times: Count
    ) -> None:
        """Add one node that runs so many times."""
        self.nodes[count.kind] += 1
        if count.kind is CountKind.UNKNOWN:
            self.unknown[op, count.reason] += 1
        elif count.kind is CountKind.COUNTED:
            self._add_work(op, count.work * times, 1)
        if moved is None:
            self.unsized += 1
        else:
            self.read.add(moved[0] * times)
            self.written.add(moved[1] * times)

    def add(self, other: Totals, times: Count) -> None:
        """Add another sum, of something that runs so many times."""
        self.read.add(other.read.value() * times)
        self.written.add(other.written.value() * times)
        self.nodes.update(other.nodes)
        for op, work in other.by_op.items():
            self._add_work(op, work.value() * times, other.counted[op])
        self.unknown.update(other.unknown)
        self.unsized += other.unsized
        self.branches += other.branches
        self.problems.update(other.problems)

    def _add_work(self, op: str, work: Work, nodes: int) -> None:
        self.by_op.setdefault(op, WorkSum()).add(work)
        self.counted[op] += nodes


def operation(instance: Instance, position: int) -> Operation:
    """A node as the formulas see it."""
    node = instance.body.nodes[position]
    outputs = instance.outputs.get(position, ())
    return Operation(canonical(node.op), node.attr, instance.inputs(position), outputs=outputs)


class InstanceTotals:
    """Sums per instance, each computed once."""

    def __init__(self) -> None:
        self._done: dict[Instance, Totals] = {}
        self._counts: dict[Instance, dict[int, _NodeCount]] = {}

    def count(self, instance: Instance, position: int) -> FlopCount:
        """The self work of one node; a call has none."""
        return self._count(instance, position)[0]

    def _count(self, instance: Instance, position: int) -> _NodeCount:
        known = self._counts.setdefault(instance, {})
        if position not in known:
            known[position] = _count_node(instance, position)
        return known[position]

    def total(self, root: Instance) -> Totals:
        """The sum over an instance and all it calls."""
        pending = [root]
        while pending:
            instance = pending[-1]
            if instance in self._done:
                pending.pop()
                continue
            missing = {child: None for child in _children(instance) if child not in self._done}
            if missing:
                pending.extend(missing)
                continue
            self._done[instance] = self._sum(instance)
        return self._done[root]

    def _sum(self, instance: Instance) -> Totals:
        total = Totals()
        for position in instance.order:
            node = instance.body.nodes[position]
            times = instance.repeats.get(position, 1)
            count, moved = self._count(instance, position)
            total.add_node(node.op, count, moved, times)
            total.name_bytes += len(node.name)
            invocations = instance.invocations.get(position)
            if not invocations:
                continue
            total.problems.update({i.problem: None for i in invocations if i.problem})
            chosen = self.counted_calls(instance, position)
            total.branches += len(chosen) != len(invocations)
            for invocation in chosen:
                if invocation.instance is not None:
                    inner = self._done[invocation.instance]
                    total.add(inner, invocation.trips * times)
                    prefix = len(invocation.call.prefix(node.name))
                    total.name_bytes += inner.name_bytes + prefix * inner.nodes.total()
        return total

    def counted_calls(self, instance: Instance, position: int) -> list[Invocation]:
        """The calls of a node that count: all, but of several branches the most expensive."""
        invocations = instance.invocations.get(position, [])
        if len(invocations) < 2 or invocations[0].call.kind != "branch":
            return invocations
        distinct: dict[Instance | None, Invocation] = {}
        for invocation in invocations:
            distinct.setdefault(invocation.instance, invocation)
        return [max(distinct.values(), key=self._rank)]

    def call_work(self, instance: Instance, position: int) -> Work:
        """The work of all that a call runs, in one execution of the call."""
        total = WorkSum()
        for invocation in self.counted_calls(instance, position):
            if invocation.instance is not None:
                total.add(self.total(invocation.instance).work() * invocation.trips)
        return total.value()

    def _rank(self, invocation: Invocation) -> int:
        """A number to compare branches by: symbols are taken to be large and equal."""
        if invocation.instance is None:
            return 0
        count = self.total(invocation.instance).work().float_ops()
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
