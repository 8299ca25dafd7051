"""The places where bodies run: each call of a function under its own run-time name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tfprof.flops.interpreter import Instance, Invocation
from tfprof.flops.polynomial import Count
from tfprof.flops.rules import Class
from tfprof.flops.totals import InstanceTotals

__all__ = ["CallSite", "walk_calls"]


@dataclass(frozen=True, slots=True)
class CallSite:
    """An instance in one place."""

    instance: Instance
    prefix: str
    """What stands before its nodes' names at run time."""
    scope: str
    """The same, without wrapping calls and without repeated names of loops."""
    trips: Count


def walk_calls(root: Instance, tallies: InstanceTotals) -> Iterator[CallSite]:
    """All places, outermost first."""
    pending = [CallSite(root, "", "", 1)]
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


def _works(instance: Instance, tallies: InstanceTotals) -> bool:
    """Whether a body does any work itself, rather than only call others."""
    verdicts = (tallies.verdict(instance, position) for position in instance.order)
    return any(verdict.kind is Class.COUNTED for verdict in verdicts)


def _inner(
    place: CallSite, position: int, invocation: Invocation, inner: Instance, bare: bool
) -> CallSite:
    name = place.instance.body.nodes[position].name
    repeats = any(node.name.startswith(f"{name}/") for node in inner.body.nodes)
    if (bare and invocation.call.kind == "call") or repeats:
        scope = place.scope
    else:
        scope = f"{place.scope}{name}/"
    prefix = invocation.call.prefix(place.prefix + name)
    times = place.instance.repeats.get(position, 1)
    return CallSite(inner, prefix, scope, place.trips * times * invocation.trips)
