"""Trip counts of While loops whose counter and limit the graph shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.cost.bodies import Body, Ref, argument
from tfprof.cost.polynomial import Count, ceil_div, extreme

if TYPE_CHECKING:
    from tfprof.cost.interpret import Instance
    from tfprof.cost.tensors import Tensor

__all__ = ["final_values", "invariants", "trip_count"]

_PASS_THROUGH = {"Identity", "StopGradient", "LoopCond"}

# (op, counter on the left) -> (the counter must rise, the limit itself is included)
_TESTS = {
    ("Less", True): (True, False),
    ("LessEqual", True): (True, True),
    ("Greater", False): (True, False),
    ("GreaterEqual", False): (True, True),
    ("Greater", True): (False, False),
    ("GreaterEqual", True): (False, True),
    ("Less", False): (False, False),
    ("LessEqual", False): (False, True),
}


def _origin(body: Body, ref: Ref | None) -> Ref | None:
    """Where a tensor comes from, seen through ops that pass it on."""
    while ref is not None and ref[0] >= 0 and body.nodes[ref[0]].op in _PASS_THROUGH:
        ref = next(iter(body.inputs[ref[0]]), None)
    return ref


def invariants(body: Body) -> frozenset[int]:
    """Arguments of a loop body that it returns unchanged."""
    found = set()
    for index, ref in enumerate(body.results):
        origin = _origin(body, ref)
        if origin is not None and argument(origin) == index:
            found.add(index)
    return frozenset(found)


def _scalar(tensor: Tensor) -> Count | None:
    return tensor.value[0] if tensor.value is not None and len(tensor.value) == 1 else None


def _step(ran: Instance, index: int) -> int | None:
    """By how much the body changes argument `index`, if it adds a number to it."""
    body = ran.body
    ref = _origin(body, body.results[index]) if index < len(body.results) else None
    if ref is None or ref[0] < 0:
        return None
    op = body.nodes[ref[0]].op
    sources = [_origin(body, source) for source in body.inputs[ref[0]]]
    if op not in ("Add", "AddV2", "Sub") or len(sources) != 2:
        return None
    amounts = [_scalar(ran.tensor(source)) for source in sources]
    for counter, amount in ((0, amounts[1]), (1, amounts[0])):
        source = sources[counter]
        if source is not None and argument(source) == index and isinstance(amount, int):
            if op == "Sub":
                return -amount if counter == 0 else None
            return amount
    return None


def trip_count(tested: Instance, ran: Instance, start: tuple[Tensor, ...]) -> Count | None:
    """How often the body runs; None if that depends on data.

    The condition must be a comparison of a counter with a limit, or several of them joined by
    `and`, each of which must be understood.
    """
    body = tested.body
    pending = [body.results[0] if body.results else None]
    trips: Count | None = None
    while pending:
        ref = _origin(body, pending.pop())
        if ref is None or ref[0] < 0:
            return None
        if body.nodes[ref[0]].op == "LogicalAnd":
            pending.extend(body.inputs[ref[0]])
            continue
        if _scalar(tested.tensor(ref)) == 1:
            continue  # always true
        found = _comparison(tested, ref, ran, start)
        if found is None:
            return None
        trips = found if trips is None else extreme(trips, found, largest=False)
    return trips


def _comparison(
    tested: Instance, ref: Ref, ran: Instance, start: tuple[Tensor, ...]
) -> Count | None:
    body = tested.body
    sources = [_origin(body, source) for source in body.inputs[ref[0]]]
    if len(sources) != 2:
        return None
    for side in (0, 1):
        rule = _TESTS.get((body.nodes[ref[0]].op, side == 0))
        counter, limit = sources[side], _scalar(tested.tensor(sources[1 - side]))
        index = None if counter is None else argument(counter)
        if rule is None or index is None or limit is None or index >= len(start):
            continue
        first, step = _scalar(start[index]), _step(ran, index)
        rising, inclusive = rule
        if first is None or not step or (step > 0) != rising:
            continue
        span = limit - first if rising else first - limit
        trips = ceil_div(span + int(inclusive), abs(step))
        return max(0, trips) if isinstance(trips, int) else trips
    return None


def final_values(ran: Instance, start: tuple[Tensor, ...], trips: Count | None) -> dict[int, Count]:
    """Values of counters after the loop."""
    if trips is None:
        return {}
    final: dict[int, Count] = {}
    for index, tensor in enumerate(start):
        first, step = _scalar(tensor), _step(ran, index)
        if first is not None and step is not None:
            final[index] = first + trips * step
    return final
