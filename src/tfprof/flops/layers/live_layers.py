"""The layers of a live Keras model, and which nodes each of them creates when it is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from tfprof.flops.layers.layer_tree import LayerInfo, TracedLayers, format_shape
from tfprof.protos.graph_pb2 import GraphDef, NodeDef

_MARK = "_tfprof_layer"
"""The attribute of nodes that holds the position of their layer while a model is traced."""

_CALLS = ("call", "quantized_call")


def is_keras_3(model: Any) -> bool:
    """Whether a model is one of Keras 3, whose layers know their path."""
    return hasattr(model, "path") and hasattr(model, "layers")


@dataclass(slots=True)
class LayerRecorder:
    """Layers of a model, and what is learnt of them when the model is called."""

    layers: list[LayerInfo]
    objects: list[Any]
    """The Keras object of each layer."""
    calls: Counter[int]
    outputs: dict[int, str]
    """Layer -> the shape of its last output."""
    stack: list[int]

    def read(self, graph: GraphDef) -> TracedLayers:
        """The layers, and their nodes in a traced graph, which loses its marks."""
        nodes = {}
        for function, node in _nodes(graph):
            if _MARK in node.attr:
                nodes[function, node.name] = node.attr[_MARK].i
                del node.attr[_MARK]
        layers = [
            replace(
                layer,
                calls=self.calls[position] or layer.calls,
                output=layer.output or self.outputs.get(position, "?"),
            )
            for position, layer in enumerate(self.layers)
        ]
        return TracedLayers(tuple(layers), nodes)

    def position(self, layer: Any) -> int:
        """Where a layer is that is called now: it may be a layer of several models."""
        locations = [i for i, known in enumerate(self.objects) if known is layer]
        for caller in reversed(self.stack):
            inside = [i for i in locations if self.layers[i].parent == caller]
            if inside:
                return inside[0]
        return locations[0]


def list_layers(model: Any, weights: Sequence[Any]) -> list[tuple[LayerInfo, Any]]:
    """What `model.summary()` lists, each with its object: models are followed by their layers.

    `weights` are the variables of the model; layers refer to them by position.
    """
    positions = {id(weight): position for position, weight in enumerate(weights)}
    listed: list[tuple[LayerInfo, Any]] = []
    # A functional model lists also operations that are no layers.
    operations = getattr(model, "_operations", None) or model.layers
    _add(model, operations, None, positions, listed)
    return listed


def _add(
    model: Any,
    operations: Sequence[Any],
    parent: int | None,
    positions: Mapping[int, int],
    listed: list[tuple[LayerInfo, Any]],
) -> None:
    for operation in operations:
        weights = getattr(operation, "weights", ())
        calls = getattr(operation, "_inbound_nodes", None) or ()
        info = LayerInfo(
            name=operation.name,
            type=type(operation).__name__,
            parent=parent,
            variables=tuple(positions[id(w)] for w in weights if id(w) in positions),
            output=_format_outputs(calls[-1].outputs) if calls else "",
            calls=_calls(model, operation),
        )
        listed.append((info, operation))
        inner = getattr(operation, "layers", None)
        if inner:
            _add(operation, inner, len(listed) - 1, positions, listed)


def _calls(model: Any, operation: Any) -> int:
    """How often a functional model of Keras 2 calls a layer, and inputs as if they were called."""
    if type(operation).__name__ == "InputLayer":
        return 1
    calls, nodes = getattr(model, "_network_nodes", ()), getattr(operation, "_inbound_nodes", ())
    return sum(f"{operation.name}_ib-{number}" in calls for number in range(len(nodes)))


def _format_outputs(outputs: Any) -> str:
    """The shapes of one or several tensors, in the form of Keras."""
    import tensorflow as tf

    shapes = tf.nest.map_structure(lambda tensor: _format(getattr(tensor, "shape", None)), outputs)
    flat = tf.nest.flatten(shapes)
    return str(flat[0]) if len(flat) == 1 else str(shapes).replace("'", "")


def shapes_of_built_layers(layers: Sequence[Any]) -> dict[int, str]:
    """Layer -> its output shape by the inputs that it was built for, if it tells one shape."""
    found = {}
    for position, layer in enumerate(layers):
        try:
            shape = layer.compute_output_shape(**layer._build_shapes_dict)
        except Exception:  # a method of the user's, which not every layer has
            continue
        if isinstance(shape, tuple) and all(n is None or isinstance(n, int) for n in shape):
            found[position] = format_shape(shape)
    return found


def _format(shape: Any) -> str:
    try:
        return format_shape(None if shape is None else tuple(shape))
    except ValueError:  # TensorFlow's way to say that the rank is unknown
        return "?"


@contextmanager
def record_layers(model: Any, weights: Sequence[Any]) -> Iterator[LayerRecorder]:
    """Within this context, calls of the model's layers mark the nodes that they create."""
    listed = list_layers(model, weights)
    infos, objects = [info for info, _ in listed], [layer for _, layer in listed]
    recorder = LayerRecorder(infos, objects, Counter(), {}, [])
    with ExitStack() as patches:
        for layer in {id(layer): layer for layer in objects}.values():
            for name in _CALLS:
                if callable(getattr(layer, name, None)):
                    patches.enter_context(_patch_method(layer, name, recorder))
        yield recorder


@contextmanager
def _patch_method(layer: Any, name: str, recorder: LayerRecorder) -> Iterator[None]:
    """Let a method of a layer mark nodes; the attribute of the instance hides that of the class."""
    original = vars(layer).get(name)
    # Keras watches attributes of layers, and some layers are locked.
    object.__setattr__(layer, name, _wrap_method(getattr(layer, name), layer, recorder))
    try:
        yield
    finally:
        if original is None:
            object.__delattr__(layer, name)
        else:
            object.__setattr__(layer, name, original)


def _wrap_method(method: Callable[..., Any], layer: Any, recorder: LayerRecorder) -> Any:
    import tensorflow as tf

    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        position = recorder.position(layer)
        mark = tf.compat.v1.AttrValue(i=position)
        recorder.stack.append(position)
        try:
            with tf.compat.v1.get_default_graph()._attr_scope({_MARK: mark}):
                outputs = method(*args, **kwargs)
        finally:
            recorder.stack.pop()
        recorder.calls[position] += 1
        recorder.outputs[position] = _format_outputs(outputs)
        return outputs

    return call


def _nodes(graph: GraphDef) -> Iterator[tuple[str, NodeDef]]:
    """All nodes with the name of their function."""
    for node in graph.node:
        yield "", node
    for function in graph.library.function:
        for node in function.node_def:
            yield function.signature.name, node
