"""The layers of a model and the nodes of each, from whatever its source says of them."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.flops.call_sites import CallSite
from tfprof.flops.layers.infer_keras_3_layers import has_keras_scopes, infer_keras_3_layers
from tfprof.flops.layers.layer_tree import LayerTree, NamedLayers, SavedLayers, TracedLayers
from tfprof.flops.layers.match_layer_names import match_layer_names
from tfprof.flops.layers.scopes_as_layers import list_scopes_as_layers
from tfprof.flops.layers.variable_reads import VariableReads
from tfprof.flops.model_graph import ModelGraph


def find_layers(
    model: ModelGraph, sites: list[CallSite], counted: set[tuple[int, int]]
) -> LayerTree:
    """The layers of a model; `counted` are the nodes with work: number of the site and position."""
    source = model.read_layers()
    if isinstance(source, TracedLayers):
        return _find_traced(source, sites)
    if isinstance(source, NamedLayers):
        return match_layer_names(sites, source)
    reads = VariableReads(model.handles)
    if source is None and has_keras_scopes(sites, reads, model.variables):
        source = SavedLayers()
    if source is None:
        return list_scopes_as_layers(sites, counted, reads, model.variables)
    return infer_keras_3_layers(sites, reads, model.variables, source)


def _find_traced(source: TracedLayers, sites: Sequence[CallSite]) -> LayerTree:
    """The marked nodes, and the nodes of functions that marked nodes call."""
    nodes: dict[tuple[int, int], int] = {}
    for site in sites:  # callers come first
        outer = nodes.get((site.caller.number, site.position)) if site.caller else None
        body = site.instance.body
        for position in site.instance.order:
            layer = source.nodes.get((body.name, body.nodes[position].name), outer)
            if layer is not None:
                nodes[site.number, position] = layer
    return LayerTree(source.layers, nodes, {})
