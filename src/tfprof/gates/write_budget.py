"""A budget from a profile: what it has now is the most that is allowed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from tfprof.errors import OptionError
from tfprof.gates.budget import KEYS, SCOPE
from tfprof.gates.node_numbers import node_numbers, nodes_below
from tfprof.gates.sides import Side
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array

_SCOPES = 8
_MEASURED = {"time": "+2%", "memory": "+5%"}


def write_budget(side: Side, bind: Mapping[str, int]) -> str:
    """The text of a budget file with the numbers of a side."""
    return "\n".join(_lines(side, bind)) + "\n"


def _lines(side: Side, bind: Mapping[str, int]) -> Iterator[str]:
    profile = side.resolved
    yield "# The most that is allowed: a number, or such as '+5%', which is relative to BASE."
    if bind:
        yield "\n[bind]"
        yield from (f"{_quote_key(name)} = {size}" for name, size in bind.items())
    yield "\n[budget]"
    static = [key.name for key in KEYS.values() if key.is_static]
    numbers = {}
    for name in static:
        try:
            numbers[name] = node_numbers(profile, name, bind)
        except OptionError as error:
            yield f"# {name}: {error}"
            continue
        yield f"{name} = {int(sum(numbers[name].tolist()))}"
    if side.profiles[0].steps:
        yield from (f"{name} = {json.dumps(limit)}" for name, limit in _MEASURED.items())
    for scope in _scopes(profile, numbers):
        mask = nodes_below(profile, scope)
        yield f"\n[budget.{SCOPE}.{_quote_key(scope)}]"
        for name in ("params", "float_ops"):
            total = int(sum(numbers[name][mask].tolist()))
            if total:
                yield f"{name} = {total}"


def _scopes(profile: Profile, numbers: Mapping[str, Array]) -> list[str]:
    """The scopes at the first level at which there are several, those with most work first."""
    names = profile.nodes.name.to_pylist()
    work = (numbers["params"] + numbers["float_ops"]).tolist()
    weights: dict[str, int] = {}
    for depth in (1, 2, 3):
        deeper: dict[str, int] = {}
        for name, weight in zip(names, work, strict=True):
            parts = name.split("/")
            if weight and len(parts) > depth:
                scope = "/".join(parts[:depth])
                deeper[scope] = deeper.get(scope, 0) + weight
        weights = deeper or weights
        if len(deeper) != 1:
            break
    return sorted(weights, key=lambda scope: (-weights[scope], scope))[:_SCOPES]


def _quote_key(name: str) -> str:
    """A key that may have any characters."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")
