"""The name scopes of a model as a tree, and which of them are calls of Keras layers.

Keras 3 enters the scope of a layer twice per call: to build it, which leaves no node, and to call
it. TensorFlow makes each scope unique within its parent, so that a layer `dense` runs in `dense_1`,
called again in `dense_3`, while a layer `dense_1` beside it runs in `dense_1_2`. A scope that an
op or a user opens is entered once: `einsum`, then `einsum_1`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfprof.flops.call_sites import CallSite, NodeLocation
from tfprof.flops.layers.variable_reads import HANDLES

_SUFFIX = re.compile(r"(.+)_([0-9]{1,9})")


@dataclass(eq=False, slots=True)
class Scope:
    """A name scope."""

    name: str
    children: dict[str, Scope] = field(default_factory=dict)
    locations: list[NodeLocation] = field(default_factory=list)
    """The nodes right in it that run."""
    ops: set[str] = field(default_factory=set)
    """Names of all nodes right in it, in lower case as TensorFlow compares them."""

    def subtree(self) -> Iterator[Scope]:
        """The scope itself and all below it."""
        pending = [self]
        while pending:
            scope = pending.pop()
            yield scope
            pending.extend(scope.children.values())

    def all_locations(self) -> list[NodeLocation]:
        """The nodes that run in it and below."""
        return [location for scope in self.subtree() for location in scope.locations]

    def is_layer_call(self, name: str) -> bool:
        """Whether a child was entered twice, the first time without a node."""
        match = _SUFFIX.fullmatch(name)
        if match is None or name.lower() in self.ops:
            return False
        base, number = match[1], int(match[2])
        first = base if number == 1 else f"{base}_{number - 1}"
        return number > 0 and first not in self.children and first.lower() not in self.ops

    def layer_calls(self) -> list[Scope]:
        """The calls of layers in it, also inside of loops, functions and other scopes."""
        found: list[Scope] = []
        pending = [self]
        while pending:
            scope = pending.pop()
            for name, child in scope.children.items():
                (found if scope.is_layer_call(name) else pending).append(child)
        return [scope for scope in found if scope.all_locations()]

    def layer_name(self) -> str:
        """The name of the layer that is called in this scope."""
        match = _SUFFIX.fullmatch(self.name)
        return match[1] if match else self.name


def build_scope_tree(sites: list[CallSite]) -> Scope:
    """The scopes of all nodes; handles of variables are in the scopes of other graphs."""
    root = Scope("")
    for site in sites:
        # Of the main graph only what runs counts: it may hold other functions' variables.
        names_of_dead_nodes = site.caller is not None
        runs = set(site.instance.order)
        for position, node in enumerate(site.instance.body.nodes):
            if node.op in HANDLES or not (position in runs or names_of_dead_nodes):
                continue
            path, _, name = (site.scope + node.name).rpartition("/")
            scope = _find(path, root)
            scope.ops.add(name.lower())
            if position in runs:
                scope.locations.append((site, position))
    return root


def _find(path: str, root: Scope) -> Scope:
    """The scope of a path, made with its parents if it is new."""
    scope = root
    for name in path.removeprefix("/").split("/") if path else ():
        if name not in scope.children:
            scope.children[name] = Scope(name)
        scope = scope.children[name]
    return scope
