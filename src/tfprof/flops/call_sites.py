"""The call sites of functions: each call under its own runtime name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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


def walk_calls(root: Instance, totals: InstanceTotals) -> Iterator[CallSite]:
    """All call sites, outermost first."""
    pending = [CallSite(root, "", "", 1)]
    while pending:
        site = pending.pop()
        yield site
        bare = not site.scope and not _works(site.instance, totals)
        pending += [
            _inner(site, position, invocation, invocation.instance, bare)
            for position in reversed(site.instance.order)
            for invocation in totals.counted_calls(site.instance, position)
            if invocation.instance is not None
        ]


def _works(instance: Instance, totals: InstanceTotals) -> bool:
    """Whether a body does any work itself, rather than only call others."""
    counts = (totals.count(instance, position) for position in instance.order)
    return any(count.kind is CountKind.COUNTED for count in counts)


def _inner(
    site: CallSite, position: int, invocation: Invocation, inner: Instance, bare: bool
) -> CallSite:
    name = site.instance.body.nodes[position].name
    repeats = any(node.name.startswith(f"{name}/") for node in inner.body.nodes)
    if (bare and invocation.call.kind == "call") or repeats:
        scope = site.scope
    else:
        scope = f"{site.scope}{name}/"
    prefix = invocation.call.prefix(site.prefix + name)
    times = site.instance.repeats.get(position, 1)
    return CallSite(inner, prefix, scope, site.trips * times * invocation.trips)
