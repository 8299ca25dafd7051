"""The places where bodies run: each call of a function under its own run-time name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tfprof.costs.interpret import Instance, Invocation
from tfprof.costs.polynomial import Count
from tfprof.costs.rules import Class
from tfprof.costs.tally import Tallies

__all__ = ["Place", "walk"]


@dataclass(frozen=True, slots=True)
class Place:
    """An instance in one place."""

    instance: Instance
    prefix: str
    """What stands before its nodes' names at run time."""
    scope: str
    """The same, without wrapping calls and without repeated names of loops."""
    trips: Count


def walk(root: Instance, tallies: Tallies) -> Iterator[Place]:
    """All places, outermost first."""
    pending = [Place(root, "", "", 1)]
    while pending:
        place = pending.pop()
        yield place
        bare = not place.scope and not _works(place.instance, tallies)
        pending += [
            _inner(place, position, invocation, invocation.instance, bare)
            for position in reversed(place.instance.order)
            for invocation in tallies.chosen(place.instance, position)
            if invocation.instance is not None
        ]


def _works(instance: Instance, tallies: Tallies) -> bool:
    """Whether a body does any work itself, rather than only call others."""
    verdicts = (tallies.verdict(instance, position) for position in instance.order)
    return any(verdict.kind is Class.COUNTED for verdict in verdicts)


def _inner(
    place: Place, position: int, invocation: Invocation, inner: Instance, bare: bool
) -> Place:
    name = place.instance.body.nodes[position].name
    repeats = any(node.name.startswith(f"{name}/") for node in inner.body.nodes)
    if (bare and invocation.call.kind == "call") or repeats:
        scope = place.scope
    else:
        scope = f"{place.scope}{name}/"
    prefix = invocation.call.prefix(place.prefix + name)
    times = place.instance.repeats.get(position, 1)
    return Place(inner, prefix, scope, place.trips * times * invocation.trips)
