"""The layers of a Keras 3 model whose graph has only name scopes and variables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tfprof.flops.call_sites import CallSite, NodeLocation
from tfprof.flops.layers.functional_operations import GLUE, find_operations
from tfprof.flops.layers.functional_order import CallGraph, is_chain, read_calls, sort_layers
from tfprof.flops.layers.layer_tree import LayerCalls, LayerInfo, LayerTree, SavedLayers
from tfprof.flops.layers.scope_tree import Scope, build_scope_tree
from tfprof.flops.layers.variable_reads import VariableReads
from tfprof.flops.variables import Variable
from tfprof.functions.library import Ref
from tfprof.runtime.lazy import cached_property

_MASKS = frozenset(("NotEqual", "Any"))
_SEQUENTIAL = re.compile(r"sequential(_[0-9]+)?")
"""The name that Keras gives a sequential model, which lists its layers alone."""
_FUNCTIONAL = re.compile(r"functional(_[0-9]+)?")
_MAX_DEPTH = 100
"""Of models within models; deeper ones are shown as layers."""


@dataclass(eq=False, slots=True)
class _Layer:
    """A layer under construction."""

    name: str
    scopes: list[Scope]
    """Where it is called, in order."""
    reads: set[int]
    """The variables that its nodes read."""
    variables: set[int] = field(default_factory=set)
    """The variables that are its own; another layer may read them too."""
    layers: list[_Layer] = field(default_factory=list)


def infer_keras_3_layers(
    sites: list[CallSite], reads: VariableReads, variables: Sequence[Variable], saved: SavedLayers
) -> LayerTree:
    """The layers of a model by the scopes that their calls left in its graph."""
    return _Finder(build_scope_tree(sites), reads, variables, saved).tree()


def has_keras_scopes(
    sites: list[CallSite], reads: VariableReads, variables: Sequence[Variable]
) -> bool:
    """Whether variables are mostly read in scopes that calls of their layers leave.

    Then a variable `dense/kernel` is read in `dense_1`, otherwise in `dense`.
    """
    owners = [variable.name.split("/")[-2:-1] for variable in variables]
    votes = 0
    scopes, layers = Counter({"": -1}), Counter[str]()
    """The scopes and the layers that the present scope is in, and how often; the root is none."""
    pending: list[tuple[Scope, str | None, bool]] = [(build_scope_tree(sites), None, True)]
    while pending:
        scope, layer, is_entered = pending.pop()
        change = 1 if is_entered else -1
        scopes[scope.name] += change
        if layer is not None:
            layers[layer] += change
        if not is_entered:
            continue
        pending.append((scope, layer, False))
        for location in scope.locations:
            for variable in reads.of_node(*location):
                votes += sum((layers[name] > 0) - (scopes[name] > 0) for name in owners[variable])
        for name, child in scope.children.items():
            called = child.layer_name() if scope.is_layer_call(name) else None
            pending.append((child, called, True))
    return votes > 0


class _Finder:
    """Finds the layers of one model."""

    def __init__(
        self, root: Scope, reads: VariableReads, variables: Sequence[Variable], saved: SavedLayers
    ) -> None:
        self._reads = reads
        self._paths = [variable.name.split("/")[:-1] for variable in variables]
        self._rank = {variable: rank for rank, variable in enumerate(saved.ordered)}
        self._model = self._model_scope(root)
        read = self._read_in(self._model)
        self._models = None if saved.models is None else {model & read for model in saved.models}
        self._functional = saved.functional

    def tree(self) -> LayerTree:
        """The layers in the order of Keras."""
        layers = self._layers([self._model])
        self._assign_variables(layers, range(len(self._paths)))
        layers = sorted(
            [*layers, *self._operations(layers)], key=lambda layer: self._order(layer.scopes[0])
        )
        return self._flatten(self._arrange(layers, self._results()))

    def _model_scope(self, root: Scope) -> Scope:
        """The scope whose layers are listed: that of the model, if it was called as a whole."""
        calls = root.layer_calls()
        if len(calls) == 1 and (calls[0].layer_calls() or not self._read_in(calls[0])):
            return calls[0]
        return root

    def _layers(self, scopes: Iterable[Scope], depth: int = 1) -> list[_Layer]:
        """The layers that are called in scopes, in the order of their first calls."""
        found: list[_Layer] = []
        first: dict[tuple[str, int], int] = {}
        """The first layer of a name that reads a variable, or none (-1)."""
        calls = [call for scope in scopes for call in scope.layer_calls()]
        for scope in sorted(calls, key=self._order):
            name, reads = scope.layer_name(), self._read_in(scope)
            keys = [(name, variable) for variable in reads or {-1}]
            index = min((first[key] for key in keys if key in first), default=len(found))
            if index == len(found):
                found.append(_Layer(name, [], set()))
            found[index].scopes.append(scope)
            found[index].reads |= reads
            first.update({key: min(index, first.get(key, index)) for key in keys})
        for layer in found:
            if depth < _MAX_DEPTH and self._is_model(layer):
                layer.layers = self._layers(layer.scopes, depth + 1)
        return found

    def _operations(self, layers: list[_Layer]) -> list[_Layer]:
        """What a functional model lists besides its layers; those of nested models are not."""
        if not self._functional or self._caller is None:
            return []
        operations = list(find_operations(self._model, self._caller))
        if self._is_sequential(layers, operations):
            return []
        return [_Layer(scope.name, [scope], set()) for scope in operations]

    def _is_sequential(self, layers: list[_Layer], operations: list[Scope]) -> bool:
        """Whether an export is of a sequential model, which does not list the masks it computes.

        Under a name that a user chose, a model is one if it could be: a chain of layers and masks.
        """
        name = self._model.layer_name()
        if self._models is not None or _FUNCTIONAL.fullmatch(name):
            return False
        return _SEQUENTIAL.fullmatch(name) is not None or (
            all(_op_types(operation) <= GLUE | _MASKS for operation in operations)
            and is_chain(self._call_graph(layers, self._results()), len(layers))
        )

    def _is_model(self, layer: _Layer) -> bool:
        """Whether it is a nested model, whose layers are listed, and not a layer made of layers.

        Where the file does not say, a model is what only calls layers, more than the one that a
        wrapper calls, or what has layers that were built before it: their variables do not have
        its name. What calls all of them several times is `TimeDistributed`, once for each step.
        """
        inner = [call for scope in layer.scopes for call in scope.layer_calls()]
        if not inner:
            return False
        if self._models is not None and layer.reads:
            return frozenset(layer.reads) in self._models
        counts = Counter(call.layer_name() for call in layer.scopes[0].layer_calls())
        if min(counts.values(), default=0) > 1:
            return False
        inside = {id(scope) for call in inner for scope in call.subtree()}
        own = (
            site.instance.body.nodes[position].op
            for outer in layer.scopes
            for scope in outer.subtree()
            if id(scope) not in inside
            for site, position in scope.locations
        )
        several = len({call.layer_name() for call in inner}) > 1
        return (several and all(op in GLUE or op in _MASKS for op in own)) or any(
            call.layer_name() in self._paths[variable] and layer.name not in self._paths[variable]
            for call in inner
            for variable in self._read_in(call)
        )

    def _assign_variables(self, layers: list[_Layer], variables: Iterable[int]) -> None:
        """Give each variable to the layer that reads it, or else has its name."""
        readers: dict[int, list[_Layer]] = {}
        first: dict[str, int] = {}
        for index, layer in enumerate(layers):
            first.setdefault(layer.name, index)
            for variable in layer.reads:
                readers.setdefault(variable, []).append(layer)
        for variable in variables:
            path = set(self._paths[variable])
            found = readers.get(variable, [])
            if found:
                next((layer for layer in found if layer.name in path), found[0]).variables.add(
                    variable
                )
            elif named := [first[name] for name in path if name in first]:
                layers[min(named)].variables.add(variable)
        for layer in layers:
            self._assign_variables(layer.layers, sorted(layer.variables))

    def _arrange(self, layers: list[_Layer], outputs: Sequence[Ref | None]) -> list[_Layer]:
        """Layers in the order in which the model lists them.

        That of functional models, or that of calls, whichever agrees with the list of variables.
        Otherwise a layer without variables stays behind the one that it was called after.
        """
        for layer in layers:
            if layer.layers:
                layer.layers = self._arrange(layer.layers, self._outputs(layer.scopes[0]))
        for order in (self._functional_order(layers, outputs), layers):
            ranks = [rank for layer in order if (rank := self._rank_of(layer)) is not None]
            if len(order) == len(layers) and ranks == sorted(ranks):
                return order
        groups: list[tuple[int, list[_Layer]]] = [(-1, [])]
        for layer in layers:
            rank = self._rank_of(layer)
            if rank is None:
                groups[-1][1].append(layer)
            else:
                groups.append((rank, [layer]))
        return [layer for _, group in sorted(groups, key=lambda group: group[0]) for layer in group]

    def _rank_of(self, layer: _Layer) -> int | None:
        """The place of a layer's first variable in the model's list."""
        return min((self._rank[v] for v in layer.variables if v in self._rank), default=None)

    def _functional_order(
        self, layers: list[_Layer], outputs: Sequence[Ref | None]
    ) -> list[_Layer]:
        """The order of a functional model that calls the layers as they are called here."""
        graph = self._call_graph(layers, outputs)
        return [layers[layer] for layer in sort_layers(graph) if 0 <= layer < len(layers)]

    def _call_graph(self, layers: list[_Layer], outputs: Sequence[Ref | None]) -> CallGraph:
        """The calls that outputs need; a layer is its position, other operations are negative."""
        if self._caller is None:
            return CallGraph({}, {}, ())
        calls = [(i, self._members(s)) for i, layer in enumerate(layers) for s in layer.scopes]
        graph = read_calls(self._caller, [members for _, members in calls], outputs)
        owners = {call: calls[call][0] if call < len(calls) else -1 - call for call in graph.layer}
        runs = sorted(range(len(calls)), key=lambda call: min(calls[call][1], default=-1))
        return replace(graph, layer=owners, runs=runs)

    def _results(self) -> Sequence[Ref | None]:
        """The tensors that the model gives."""
        results = self._caller.instance.body.results if self._caller else ()
        return results or self._outputs(self._model)

    def _members(self, scope: Scope) -> set[int]:
        """The nodes of a scope in the function that calls the layers."""
        return {position for site, position in scope.all_locations() if site is self._caller}

    def _outputs(self, scope: Scope) -> list[Ref]:
        """The tensors that leave a scope."""
        if self._caller is None:
            return []
        members = self._members(scope)
        return sorted(
            {
                ref
                for position in members
                for user, ref in self._uses.get(position, ())
                if user not in members
            }
        )

    @cached_property
    def _uses(self) -> dict[int, list[tuple[int, Ref]]]:
        """The users of each node in the function that calls the layers, and what they use."""
        uses: dict[int, list[tuple[int, Ref]]] = {}
        if self._caller is not None:
            inputs = self._caller.instance.body.inputs
            for user in self._caller.instance.order:
                for ref in inputs[user]:
                    if ref is not None:
                        uses.setdefault(ref[0], []).append((user, ref))
        return uses

    def _flatten(self, layers: list[_Layer]) -> LayerTree:
        infos: list[LayerInfo] = []
        nodes: dict[tuple[int, int], int] = {}
        calls: dict[int, LayerCalls] = {}
        pending: list[tuple[int | None, _Layer]] = [(None, layer) for layer in reversed(layers)]
        while pending:
            parent, layer = pending.pop()
            index = len(infos)
            variables = tuple(sorted(layer.variables))
            infos.append(LayerInfo(layer.name, "", parent, variables, calls=len(layer.scopes)))
            for scope in layer.scopes:
                calls[index] = LayerCalls(scope.all_locations())
                nodes.update(
                    {(site.number, position): index for site, position in calls[index].locations}
                )
            pending += [(index, inner) for inner in reversed(layer.layers)]
        return LayerTree(tuple(infos), nodes, calls)

    def _read_in(self, scope: Scope) -> set[int]:
        """The variables that nodes of a scope read."""
        return {v for location in scope.all_locations() for v in self._reads.of_node(*location)}

    def _order(self, scope: Scope) -> tuple[int, int, int]:
        """When the first node of a scope was created."""
        return min(self._creation_order(location) for location in scope.all_locations())

    def _creation_order(self, location: NodeLocation) -> tuple[int, int, int]:
        """A node's position in the function that calls the layers, then in its own."""
        site, position = location
        outer, outer_position = site, position
        while outer is not self._caller and outer.caller is not None:
            outer, outer_position = outer.caller, outer.position
        return outer_position, site.number, position

    @cached_property
    def _caller(self) -> CallSite | None:
        """The outermost call site that has nodes of the model."""
        sites = {site.number: site for site, _ in self._model.all_locations()}.values()
        return min(sites, key=_depth, default=None)


def _depth(site: CallSite) -> int:
    depth = 0
    while site.caller is not None:
        site, depth = site.caller, depth + 1
    return depth


def _op_types(scope: Scope) -> set[str]:
    return {site.instance.body.nodes[position].op for site, position in scope.all_locations()}
