"""The call sites of functions: each call under its own runtime name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from tfprof.flops.interpreter import Instance, Invocation
from tfprof.flops.polynomial import Count
from tfprof.flops.rules import CountKind
from tfprof.flops.totals import InstanceTotals


@dataclass(frozen=True, slots=True)
class CallSite:
    """One call of an instance."""

    instance: Instance
    prefix: str
    """The prefix of its nodes' names at run time."""
    scope: str
    """The same, without wrapping calls and without repeated names of loops."""
    trips: Count
    number: int = 0
    """Counts the sites."""
    caller: CallSite | None = None
    position: int = 0
    """The node of the caller that calls."""
    first_input: int = 0
    """The input of that node that is the first argument."""


NodeLocation = tuple[CallSite, int]
"""A node: the call site of its function, and its position there."""


def walk_calls(root: Instance, totals: InstanceTotals) -> Iterator[CallSite]:
    """All call sites, outermost first."""
    pending = [CallSite(root, "", "", 1)]
    numbers = count(1)
    while pending:
        site = pending.pop()
        yield site
        bare = not site.scope and not _works(site.instance, totals)
        pending += [
            _inner(site, position, invocation, bare, number=next(numbers))
            for position in reversed(site.instance.order)
            for invocation in totals.counted_calls(site.instance, position)
            if invocation.instance is not None
        ]


def _works(instance: Instance, totals: InstanceTotals) -> bool:
    """Whether a body does any work itself, rather than only call others."""
    counts = (totals.count(instance, position) for position in instance.order)
    return any(count.kind is CountKind.COUNTED for count in counts)


def _inner(
    site: CallSite, position: int, invocation: Invocation, bare: bool, *, number: int
) -> CallSite:
    inner = invocation.instance
    assert inner is not None
    name = site.instance.body.nodes[position].name
    if inner.body.has_scope(name):
        scope = site.scope
    elif bare and invocation.call.kind == "call":
        scope = site.scope + "".join(name.rpartition("/")[:2])
    else:
        scope = f"{site.scope}{name}/"
    times = site.instance.repeats.get(position, 1)
    return CallSite(
        inner,
        prefix=invocation.call.prefix(site.prefix + name),
        scope=scope,
        trips=site.trips * times * invocation.trips,
        number=number,
        caller=site,
        position=position,
        first_input=invocation.call.first_input,
    )
