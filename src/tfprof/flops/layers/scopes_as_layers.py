"""Name scopes as the layers of a graph that says nothing of layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from tfprof.flops.call_sites import CallSite, NodeLocation
from tfprof.flops.layers.layer_tree import LayerCalls, LayerInfo, LayerTree
from tfprof.flops.layers.scope_tree import Scope, build_scope_tree
from tfprof.flops.layers.variable_reads import VariableReads
from tfprof.flops.variables import Variable


def list_scopes_as_layers(
    sites: list[CallSite],
    counted: set[tuple[int, int]],
    reads: VariableReads,
    variables: Sequence[Variable],
) -> LayerTree:
    """The scopes right below the one that all `counted` nodes share, with work or variables.

    A variable belongs to the scope that has its name, or else to the first one that reads it.
    """
    scope = _shared_scope(build_scope_tree(sites), counted)
    # What is below an op's own name is part of the op.
    layers = {n: child for n, child in scope.children.items() if n.lower() not in scope.ops}
    scopes = {name: child.all_locations() for name, child in layers.items()}
    owners = _owners(variables, scopes, reads)
    names = [
        name
        for name, locations in scopes.items()
        if owners.get(name)
        or any((site.number, position) in counted for site, position in locations)
    ]
    names.sort(key=lambda name: _last(scopes[name]))
    names += [name for name in owners if name not in scopes]
    nodes = {
        (site.number, position): index
        for index, name in enumerate(names)
        for site, position in scopes.get(name, ())
    }
    infos = [LayerInfo(name, variables=tuple(owners.get(name, ()))) for name in names]
    calls = {i: LayerCalls(scopes[name]) for i, name in enumerate(names) if scopes.get(name)}
    return LayerTree(tuple(infos), nodes, calls)


def _shared_scope(root: Scope, counted: set[tuple[int, int]]) -> Scope:
    """The scope that all counted nodes are in and whose scopes are worth a row each."""
    working: dict[int, list[Scope]] = {}
    """The scopes in a scope that have counted nodes in them or below, for those that have any."""
    for scope in reversed([*root.subtree()]):
        inner = [child for child in scope.children.values() if id(child) in working]
        if inner or _has_counted_node(scope, counted):
            working[id(scope)] = inner
    scope = root
    while True:
        outer = working.get(id(scope), [])
        if len(outer) != 1 or _has_counted_node(scope, counted):
            return scope
        inner = working[id(outer[0])]
        if len(inner) < 2 and (not inner or _has_counted_node(outer[0], counted)):
            return scope
        scope = outer[0]


def _has_counted_node(scope: Scope, counted: set[tuple[int, int]]) -> bool:
    """Whether a counted node is right in a scope."""
    return any((site.number, position) in counted for site, position in scope.locations)


def _owners(
    variables: Sequence[Variable], scopes: dict[str, list[NodeLocation]], reads: VariableReads
) -> dict[str, list[int]]:
    """Scope -> its variables; also names of scopes that are not there, if the variables say so."""
    readers: dict[int, str] = {}
    for name, locations in scopes.items():
        for location in locations:
            for variable in reads.of_node(*location):
                readers.setdefault(variable, name)
    paths = [variable.name.split("/")[:-1] for variable in variables]
    prefix = len(_common_prefix(path[:-1] for path in paths if path))
    owners: dict[str, list[int]] = {}
    for position, path in enumerate(paths):
        if variables[position].role != "parameter":
            continue
        named = next((part for part in path if part in scopes), None)
        owner = named or readers.get(position) or (path[prefix] if path else None)
        if owner is not None:
            owners.setdefault(owner, []).append(position)
    return owners


def _common_prefix(paths: Iterable[list[str]]) -> list[str]:
    columns = zip(*paths, strict=False)
    return [column[0] for column in takewhile(lambda column: len(set(column)) == 1, columns)]


def _last(locations: Sequence[NodeLocation]) -> tuple[int, int]:
    """Layers are in the order of their last nodes: their variables may be created long before."""
    return max(((-site.number, position) for site, position in locations), default=(0, 0))
