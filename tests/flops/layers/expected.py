"""What Keras itself says of the layers of a model."""

from __future__ import annotations

from math import prod
from typing import Any

import keras
from keras import tree

Row = dict[str, Any]

# Layers that do nothing at inference, so that a graph has no node of theirs.
_NOTHING = (
    keras.layers.InputLayer,
    keras.layers.Dropout,
    keras.layers.SpatialDropout2D,
    keras.layers.GaussianNoise,
)


def expected_rows(model: Any) -> list[Row]:
    """The rows of `model.summary(expand_nested=True)`, and what a graph can tell of them."""
    return _rows(model, getattr(model, "_operations", None) or model.layers, None, 1)


def _rows(model: Any, operations: list[Any], parent: Row | None, depth: int) -> list[Row]:
    rows = []
    used = _used_tensors(model)
    for operation in operations:
        weights = getattr(operation, "weights", [])
        inner = getattr(operation, "layers", None) or []
        row = {
            "name": operation.name,
            "type": type(operation).__name__,
            "output": [list(shape) for shape in _outputs(operation, None)],
            "used_output": [list(shape) for shape in _outputs(operation, used)],
            "params": _size(weights),
            "trainable_params": _size(getattr(operation, "trainable_weights", [])),
            "saved_trainable_params": _size([w for w in weights if w.value.trainable]),
            "calls": _calls(model, operation, parent),
            "parent": parent["name"] if parent else None,
            "depth": depth,
            "children": [layer.name for layer in inner],
            "in_graph": _leaves_nodes(operation),
            "operation": not isinstance(operation, keras.layers.Layer),
        }
        rows += [row, *_rows(operation, inner, row, depth + 1)]
    return rows


def _size(weights: list[Any]) -> int:
    return sum(prod(weight.shape) for weight in {id(w): w for w in weights}.values())


def _outputs(operation: Any, used: set[int] | None) -> list[tuple[int | None, ...]]:
    """Flat output shapes, as `summary` finds them; those of used tensors, if any is."""
    if operation._inbound_nodes:
        tensors = tree.flatten(operation._inbound_nodes[-1].output_tensors)
        needed = [tensor for tensor in tensors if used is None or id(tensor) in used]
        return [tuple(tensor.shape) for tensor in needed or tensors]
    if not getattr(operation, "_build_shapes_dict", None):
        return []
    try:
        shapes = operation.compute_output_shape(**operation._build_shapes_dict)
    except NotImplementedError:  # `summary` shows a question mark
        return []
    nested = isinstance(shapes, (list, tuple)) and any(isinstance(s, (list, tuple)) for s in shapes)
    return [tuple(shape) for shape in shapes] if nested else [tuple(shapes)]


def _used_tensors(model: Any) -> set[int] | None:
    """The tensors of a functional model that another operation or the caller is given."""
    operations = getattr(model, "_operations", None)
    if operations is None:
        return None
    nodes = [node for operation in operations for node in operation._inbound_nodes]
    given = [tensor for node in nodes for tensor in node.input_tensors]
    return {id(tensor) for tensor in (*given, *model.outputs)}


def _calls(model: Any, operation: Any, parent: Row | None) -> int | None:
    """How often an operation of a functional or sequential model is called; nobody calls inputs."""
    functional = getattr(model, "_functional", None) or model
    nodes = getattr(functional, "_nodes", None)
    inner = parent is not None and parent["calls"] is None
    if nodes is None or inner or isinstance(operation, keras.layers.InputLayer):
        return None
    keys = [f"{id(operation)}_ib-{index}" for index in range(len(operation._inbound_nodes))]
    return sum(key in nodes for key in keys) * (parent["calls"] if parent else 1)


def _leaves_nodes(operation: Any) -> bool:
    """Whether a graph has nodes in the scope of an operation."""
    if isinstance(operation, _NOTHING):
        return False
    if isinstance(operation, keras.layers.Activation):
        return operation.activation is not keras.activations.linear
    return True
