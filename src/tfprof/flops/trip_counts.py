"""Trip counts of loops whose counter and limit the graph shows, whatever the loop is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tfprof.flops.atoms import ceil_div, extreme
from tfprof.flops.polynomial import Count
from tfprof.functions.library import FunctionBody, Ref, argument_index

if TYPE_CHECKING:
    from tfprof.flops.interpreter import Instance
    from tfprof.flops.tensors import Tensor

_PASS_THROUGH = frozenset({"Identity", "StopGradient", "LoopCond"})

# (op, counter on the left) -> (the counter must rise, the limit itself is included)
_COMPARISONS = {
    ("Less", True): (True, False),
    ("LessEqual", True): (True, True),
    ("Greater", False): (True, False),
    ("GreaterEqual", False): (True, True),
    ("Greater", True): (False, False),
    ("GreaterEqual", True): (False, True),
    ("Less", False): (False, False),
    ("LessEqual", False): (False, True),
}


class Loop(Protocol):
    """What has to be known about a loop to find its trip count."""

    @property
    def cond(self) -> Instance:
        """The body in which the condition is evaluated."""
        ...

    def condition(self) -> Ref | None:
        """The tensor that decides about another iteration."""
        ...

    def variable(self, body: FunctionBody, ref: Ref | None) -> int | None:
        """Which variable of the loop a tensor is, if it is one."""
        ...

    def first(self, variable: int) -> Count | None:
        """The value a variable starts with."""
        ...

    def step(self, variable: int) -> int | None:
        """By how much an iteration changes a variable."""
        ...


def origin(
    body: FunctionBody, ref: Ref | None, through: frozenset[str] = _PASS_THROUGH
) -> Ref | None:
    """The tensor that reaches `ref` through ops that pass it on."""
    return body.origin(ref, through)


def scalar(tensor: Tensor) -> Count | None:
    """The value of a tensor of one element."""
    return tensor.value[0] if tensor.value is not None and len(tensor.value) == 1 else None


def step_of(instance: Instance, result: Ref | None, loop: Loop, variable: int) -> int | None:
    """The number that `result` adds to a variable of the loop."""
    body = instance.body
    ref = origin(body, result)
    if ref is None or ref[0] < 0 or body.nodes[ref[0]].op not in ("Add", "AddV2", "Sub"):
        return None
    operands = body.inputs[ref[0]]
    if len(operands) != 2:
        return None
    subtracts = body.nodes[ref[0]].op == "Sub"
    for side in (0, 1):
        amount = scalar(instance.tensor(operands[1 - side]))
        if loop.variable(body, operands[side]) == variable and isinstance(amount, int):
            if subtracts:
                return -amount if side == 0 else None
            return amount
    return None


@dataclass(frozen=True, slots=True)
class TripCount:
    """How often a loop's body runs, as far as the graph shows it."""

    exact: Count | None = None
    upper_bound: Count | None = None


def trip_count(loop: Loop) -> TripCount:
    """How often the body runs.

    The condition must be a comparison of a counter with a limit, or a conjunction of several. If
    only some of these are understood, they give an upper bound.
    """
    cond = loop.cond
    pending = [loop.condition()]
    bound: Count | None = None
    understood = True
    while pending:
        ref = origin(cond.body, pending.pop())
        if ref is None or ref[0] < 0:
            understood = False
            continue
        if cond.body.nodes[ref[0]].op == "LogicalAnd":
            pending.extend(cond.body.inputs[ref[0]])
            continue
        if scalar(cond.tensor(ref)) == 1:
            continue  # always true
        trips = _comparison(loop, ref)
        if trips is None:
            understood = False
        else:
            bound = trips if bound is None else extreme(bound, trips, largest=False)
    return TripCount(bound if understood else None, bound)


def _comparison(loop: Loop, ref: Ref) -> Count | None:
    body = loop.cond.body
    operands = body.inputs[ref[0]]
    if len(operands) != 2:
        return None
    for side in (0, 1):
        rule = _COMPARISONS.get((body.nodes[ref[0]].op, side == 0))
        limit = scalar(loop.cond.tensor(operands[1 - side]))
        variable = loop.variable(body, operands[side])
        if rule is None or variable is None or limit is None:
            continue
        first, step = loop.first(variable), loop.step(variable)
        rising, inclusive = rule
        if first is None or not step or (step > 0) != rising:
            continue
        span = limit - first if rising else first - limit
        trips = ceil_div(span + int(inclusive), abs(step))
        return max(0, trips) if isinstance(trips, int) else trips
    return None


class WhileLoop:
    """A While node: its condition and body are functions of the loop's variables."""

    def __init__(self, cond: Instance, body: Instance, start: tuple[Tensor, ...]) -> None:
        self.cond = cond
        self._body, self._start = body, start

    def condition(self) -> Ref | None:
        """The condition function's result."""
        return next(iter(self.cond.body.results), None)

    def variable(self, body: FunctionBody, ref: Ref | None) -> int | None:
        """An argument: condition and body have the same ones."""
        source = origin(body, ref)
        return None if source is None else argument_index(source)

    def first(self, variable: int) -> Count | None:
        """The value of the node's input."""
        return scalar(self._start[variable]) if variable < len(self._start) else None

    def step(self, variable: int) -> int | None:
        """What the body adds."""
        results = self._body.body.results
        if variable >= len(results):
            return None
        return step_of(self._body, results[variable], self, variable)

    def final_values(self, trips: Count | None) -> dict[int, Count]:
        """Values of counters after the loop."""
        final: dict[int, Count] = {}
        if trips is None:
            return final
        for variable in range(len(self._start)):
            first, step = self.first(variable), self.step(variable)
            if first is not None and step is not None:
                final[variable] = first + trips * step
        return final


def invariants(body: FunctionBody) -> frozenset[int]:
    """Arguments of a loop body that it returns unchanged."""
    sources = enumerate(origin(body, ref) for ref in body.results)
    return frozenset(i for i, ref in sources if ref is not None and argument_index(ref) == i)
