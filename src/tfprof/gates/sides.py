"""The two sides of a gate: their profiles, and which node of one is which of the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tfprof.definitions.quirks import REPAIRED
from tfprof.diffs.scope_matches import match_scopes
from tfprof.gates.node_numbers import nodes_below
from tfprof.gates.verdict import ResponsibleRow
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.profiles.user_code import describe_user_line
from tfprof.resolve import resolve
from tfprof.runtime.lazy import cached_property

if TYPE_CHECKING:
    from tfprof.flops.layers.layer_rows import Layer

_ROWS = 3
"""How many rows are named as responsible."""


@dataclass(frozen=True)
class Side:
    """The profiles of one side, one for each process; numbers of the graph are of the first."""

    label: str
    profiles: tuple[Profile, ...]
    layers: Callable[[], Sequence[Layer]] | None = None
    """Reads the layers, if it is a model."""

    @cached_property
    def layer_by_name(self) -> dict[str, Layer]:
        """Its layers; none if it is no model."""
        layers = self.layers() if self.layers else ()
        return {layer.name: layer for layer in reversed(layers)}  # the first of a name

    @cached_property
    def resolved(self) -> Profile:
        """The first profile, with its functions inlined."""
        return resolve(self.profiles[0], REPAIRED)


@dataclass(frozen=True)
class Sides:
    """Base and head; a gate whose limits are all absolute may have no base.

    A pair was captured in turn: `pair` says with how many steps, and how busy the machine was.
    """

    base: Side | None
    head: Side
    pair: Mapping[str, float | None] | None = None

    @cached_property
    def base_node(self) -> Array:
        """The node of the base for each node of the head, -1 for none."""
        count = len(self.head.resolved.nodes)
        found = np.full(count, -1, np.int64)
        if self.base is not None:
            partner, _ = self._matches
            rows = np.flatnonzero(partner >= 0)
            found[partner[rows]] = rows
        return found

    @cached_property
    def _matches(self) -> tuple[Array, BoolArray]:
        assert self.base is not None
        matches = match_scopes(self.base.resolved, self.head.resolved, REPAIRED)
        partner, guessed = matches.partner_nodes()
        missing = len(self.base.resolved.nodes) - len(partner)
        return np.append(partner, np.full(missing, -1)), np.append(guessed, np.zeros(missing, bool))

    def in_scope(self, scope: str) -> tuple[BoolArray, BoolArray]:
        """Which nodes of base and head are in a scope; one that was renamed is the same scope."""
        head = nodes_below(self.head.resolved, scope) if scope else self._all(self.head)
        if self.base is None:
            return np.zeros(0, bool), head
        if not scope:
            return self._all(self.base), head
        base = nodes_below(self.base.resolved, scope)
        partner, _ = self._matches
        if not head.any():
            head[partner[base & (partner >= 0)]] = True
        else:
            is_matched = partner >= 0
            base = np.where(is_matched, head[partner], base)
        return base, head

    def _all(self, side: Side) -> BoolArray:
        return np.ones(len(side.resolved.nodes), bool)

    def responsible(
        self, base: Array | None, head: Array, mask: BoolArray
    ) -> tuple[ResponsibleRow, ...]:
        """The nodes of the head in `mask` that grew most; the largest if there is no base."""
        before = self._before(base)
        delta = np.where(mask, head - before, 0)
        order = np.argsort(-delta, kind="stable")[:_ROWS]
        return tuple(self._row(int(i), base, before, head) for i in order if delta[i] > 0)

    def _before(self, base: Array | None) -> Array:
        found = self.base_node
        if base is None:
            return np.zeros(len(found), np.int64)
        numbers: Array = np.append(base, 0)[found]
        return numbers

    def _row(self, node: int, base: Array | None, before: Array, head: Array) -> ResponsibleRow:
        profile = self.head.resolved
        match = ""
        if base is not None:
            partner = int(self.base_node[node])
            match = "added" if partner < 0 else ("renamed" if self._matches[1][partner] else "name")
        return ResponsibleRow(
            profile.nodes.name[node].as_py(),
            None if base is None else _plain(before[node]),
            _plain(head[node]),
            match,
            describe_user_line(profile, node),
        )


def _plain(value: object) -> float:
    number = value.item() if isinstance(value, np.generic) else value
    assert isinstance(number, (int, float))
    return number
