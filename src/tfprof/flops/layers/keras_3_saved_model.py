"""What the object graph of a SavedModel says of variables and layers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from tfprof.definitions.limits import max_layers
from tfprof.flops.layers.layer_tree import SavedLayers
from tfprof.flops.variables import Variable, child_objects, is_keras_3, listed_objects
from tfprof.protos.saved_model_pb2 import MetaGraphDef, SavedObjectGraph

_EXPORT = {"variables", "trainable_variables", "non_trainable_variables"}
"""The lists of a Keras 3 model that `model.export` saved."""

_UNNAMED = re.compile(r"args_[0-9_]+")
"""How TensorFlow calls arguments without a name."""

_NOT_OWNED = {"optimizer", "signatures", "_inbound_nodes", "_outbound_nodes"}


def variable_handles(meta: MetaGraphDef, variables: Mapping[int, Variable]) -> dict[str, int]:
    """Node of the main graph -> position of the variable that it is the handle of.

    `variables` are those of the model by object. The functions of the object graph say which
    objects they are given; names of nodes differ from those of variables if these are not unique.
    """
    positions = {index: position for position, index in enumerate(variables)}
    by_name = {variable.name: position for position, variable in enumerate(variables.values())}
    handles = dict(by_name)
    functions = meta.object_graph_def.concrete_functions
    for node in meta.graph_def.node:
        function = node.attr["f"].func.name if "f" in node.attr else ""
        if function not in functions:
            continue
        captured = functions[function].bound_inputs
        inputs = [text for text in node.input if not text.startswith("^")][-len(captured) :]
        for text, index in zip(inputs, captured, strict=False):
            position = positions.get(index)
            if position is None:
                position = by_name.get(_variable_name(meta.object_graph_def, index))
            if position is not None:
                handles[text.partition(":")[0]] = position
    return handles


def _variable_name(objects: SavedObjectGraph, index: int) -> str:
    return objects.nodes[index].variable.name if 0 <= index < len(objects.nodes) else ""


def read_keras_3_layers(meta: MetaGraphDef, variables: Collection[int]) -> SavedLayers | None:
    """What a Keras 3 model saved of its layers; `variables` are its variable objects in order."""
    objects = meta.object_graph_def
    if not objects.nodes:
        return None
    root = child_objects(objects, 0)
    if root.keys() >= _EXPORT:
        functional = not _has_unnamed_inputs(meta)
        return SavedLayers(ordered=tuple(range(len(variables))), functional=functional)
    if not is_keras_3(objects):
        return None
    positions = {index: position for position, index in enumerate(variables)}
    owned = _Owned(objects)
    models = [
        frozenset(positions[i] for i in owned.below(index) if i in positions)
        for index in _models(objects)
    ]
    ordered = dict.fromkeys(
        positions[i] for layer in _layers(objects) for i in owned.below(layer) if i in positions
    )
    functional = listed_objects(objects, "_operations") is not None
    if owned.left <= 0:  # the models are then found as in a file that does not say which they are
        return SavedLayers(functional=functional)
    return SavedLayers(tuple(ordered), frozenset(models), functional)


def _has_unnamed_inputs(meta: MetaGraphDef) -> bool:
    """Whether an exported model is a subclass: only inputs of functional models have names."""
    names = (name for each in meta.signature_def.values() for name in each.inputs)
    return any(_UNNAMED.fullmatch(name) for name in names)


def _models(objects: SavedObjectGraph) -> Iterator[int]:
    """The nested models; a model in a layer is none, as in `TimeDistributed(model)`."""
    outer = {0, child_objects(objects, 0).get("_functional")}
    pending, visited = [0], set[int]()
    while pending:
        index = pending.pop()
        if index in visited:
            continue
        visited.add(index)
        children = child_objects(objects, index)
        is_model = "_default_save_signature" in children
        if is_model and index not in outer:
            yield index
        if is_model or "_inbound_nodes" not in children:
            pending += [child for name, child in children.items() if name not in _NOT_OWNED]


def _layers(objects: SavedObjectGraph) -> list[int]:
    """The layers of the model in its own order, as far as it keeps one."""
    for name in ("_operations", "_layers"):
        layers = listed_objects(objects, name)
        if layers is not None:
            return layers
    children = dict.fromkeys(child_objects(objects, 0).values())
    return [index for index in children if "_inbound_nodes" in child_objects(objects, index)]


class _Owned:
    """What objects own; `left` objects may still be visited."""

    def __init__(self, objects: SavedObjectGraph) -> None:
        self._children = [
            [
                child
                for name, child in reversed(child_objects(objects, index).items())
                if name not in _NOT_OWNED
            ]
            for index in range(len(objects.nodes))
        ]
        self.left = max_layers(sum(map(len, self._children)))

    def below(self, index: int) -> list[int]:
        """An object and what it owns, depth first."""
        pending, found = [index], dict[int, None]()
        while pending and self.left > 0:
            index = pending.pop()
            if index not in found:
                found[index] = None
                pending += self._children[index]
                self.left -= 1 + len(self._children[index])
        return list(found)
