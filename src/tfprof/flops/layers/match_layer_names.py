"""The nodes of layers whose names are known: a Keras 2 layer runs in the scope of its name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tfprof.flops.call_sites import CallSite
from tfprof.flops.layers.layer_tree import LayerCalls, LayerTree, NamedLayers
from tfprof.flops.layers.scope_tree import Scope, build_scope_tree


def match_layer_names(sites: list[CallSite], named: NamedLayers) -> LayerTree:
    """The layers, each with the nodes in scopes of its name within those of its model."""
    root = build_scope_tree(sites)
    scopes: dict[int | None, list[Scope]] = {None: _model_scopes(root, named.model) or [root]}
    nodes: dict[tuple[int, int], int] = {}
    calls: dict[int, LayerCalls] = {}
    names: dict[int | None, set[str]] = {}
    for layer in named.layers:
        names.setdefault(layer.parent, set()).add(layer.name)
    layers = list(named.layers)
    inner: dict[int | None, dict[str, list[Scope]]] = {}
    for index, layer in enumerate(layers):  # models come before their layers
        if layer.parent not in inner:
            inner[layer.parent] = _layer_scopes(scopes[layer.parent], names[layer.parent])
        scopes[index] = inner[layer.parent].get(layer.name, [])
        locations = [location for scope in scopes[index] for location in scope.all_locations()]
        nodes.update({(site.number, position): index for site, position in locations})
        count = max(layer.calls, len(scopes[index]))
        layers[index] = replace(layer, calls=count)
        if locations:
            calls[index] = LayerCalls(locations, count)
    return LayerTree(tuple(layers), nodes, calls)


def _model_scopes(root: Scope, model: str) -> list[Scope]:
    """The scopes of the model itself."""
    return [child for name, child in root.children.items() if model in (name, child.layer_name())]


def _layer_scopes(outer: Iterable[Scope], names: set[str]) -> dict[str, list[Scope]]:
    """The scopes of layers, also inside of loops, functions and other scopes of their model.

    Before TensorFlow 2.5 a second call of `dense` is in `dense_1`, unless that is another layer.
    """
    found: dict[str, list[Scope]] = {}
    pending = list(outer)
    while pending:
        scope = pending.pop()
        for name, child in scope.children.items():
            called = name if name in names else child.layer_name()
            if called in names:
                found.setdefault(called, []).append(child)
            else:
                pending.append(child)
    return found
