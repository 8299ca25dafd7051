"""The layers of a Keras 2 model, by its objects and its metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfprof.definitions.limits import max_layers
from tfprof.flops.layers.layer_tree import LayerInfo, NamedLayers, format_shape
from tfprof.flops.variables import child_objects
from tfprof.loaders.saved_model.keras_metadata import Metadata
from tfprof.protos.saved_model_pb2 import SavedObjectGraph

_MODELS = ("_tf_keras_model", "_tf_keras_network", "_tf_keras_sequential")
_MAX_DEPTH = 100
"""Of models within models."""


def read_keras_2_layers(
    objects: SavedObjectGraph, metadata: Metadata, variables: Sequence[int]
) -> NamedLayers | None:
    """The layers of a Keras 2 model; `variables` are its variable objects in order."""
    if not objects.nodes or not _is_model(objects, 0) or 0 not in metadata:
        return None
    positions = {index: position for position, index in enumerate(variables)}
    reader = _Reader(objects, metadata, positions)
    reader.add_layers(0, None, 1)
    return NamedLayers(_text(metadata[0].get("name")), tuple(reader.layers))


class _Reader:
    def __init__(
        self, objects: SavedObjectGraph, metadata: Metadata, positions: Mapping[int, int]
    ) -> None:
        self._objects = objects
        self._metadata = metadata
        self._positions = positions
        self.layers: list[LayerInfo] = []
        self._left = max_layers(len(objects.nodes))

    def add_layers(self, model: int, parent: int | None, depth: int) -> None:
        """Append the layers of a model, each followed by its own."""
        calls = _calls(self._metadata.get(model, {}))
        members = _layers(self._objects, model)
        self._left -= len(members)
        for index in members:
            described = self._metadata.get(index, {})
            name = _text(described.get("name"))
            if not name:
                continue
            self.layers.append(
                LayerInfo(
                    name,
                    _text(described.get("class_name")),
                    parent,
                    self._variables(index),
                    _input_shape(described),
                    calls.get(name, 1),
                )
            )
            if depth < _MAX_DEPTH and self._left > 0 and _is_model(self._objects, index):
                self.add_layers(index, len(self.layers) - 1, depth + 1)

    def _variables(self, index: int) -> tuple[int, ...]:
        """The variables that a layer lists."""
        listed = child_objects(self._objects, index).get("variables")
        members = child_objects(self._objects, listed).values() if listed is not None else ()
        found = dict.fromkeys(self._positions[i] for i in members if i in self._positions)
        return tuple(found)


def _is_model(objects: SavedObjectGraph, index: int) -> bool:
    return objects.nodes[index].user_object.identifier in _MODELS


def _layers(objects: SavedObjectGraph, model: int) -> list[int]:
    """The layers of a model in its order."""
    api = child_objects(objects, model).get("keras_api")
    listed = child_objects(objects, api).get("layers") if api is not None else None
    if listed is not None:
        return list(dict.fromkeys(child_objects(objects, listed).values()))
    numbered = {
        int(name.removeprefix("layer-")): child
        for name, child in child_objects(objects, model).items()
        if name.startswith("layer-") and name.removeprefix("layer-").isdecimal()
    }
    return [numbered[number] for number in sorted(numbered)]


def _calls(model: Mapping[str, Any]) -> dict[str, int]:
    """Layer -> how often a functional model calls it."""
    config = model.get("config")
    layers = config.get("layers") if isinstance(config, dict) else None
    return {
        _text(layer.get("name")): len(layer["inbound_nodes"])
        for layer in (layers if isinstance(layers, list) else ())
        if isinstance(layer, dict)
        and isinstance(layer.get("inbound_nodes"), list)
        and layer["inbound_nodes"]
    }


def _input_shape(layer: Mapping[str, Any]) -> str:
    """The shape of an input layer, which leaves nothing in the graph."""
    config = layer.get("config")
    if layer.get("class_name") != "InputLayer" or not isinstance(config, dict):
        return ""
    shape = config.get("batch_input_shape")
    sizes = shape.get("items") if isinstance(shape, dict) else shape
    if not isinstance(sizes, list):
        return ""
    return format_shape(tuple(size if isinstance(size, int) else None for size in sizes))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
