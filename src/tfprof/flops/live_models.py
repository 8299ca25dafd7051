"""Keras models, functions and graphs of a running TensorFlow program."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tfprof.errors import LoadError, OptionError
from tfprof.flops.layers.layer_tree import NamedLayers
from tfprof.flops.layers.live_layers import (
    is_keras_3,
    list_layers,
    record_layers,
    shapes_of_built_layers,
)
from tfprof.flops.model_graph import ModelGraph, from_graph
from tfprof.flops.optimizer_slots import with_slots
from tfprof.flops.variables import SEED, Variable
from tfprof.protos.graph_pb2 import GraphDef


def read_live_model(source: Any) -> ModelGraph | None:
    """A live model, function or graph; nothing of other objects."""
    if hasattr(source, "as_graph_def"):
        return _from_live_graph(source)
    if hasattr(source, "graph") and hasattr(source.graph, "as_graph_def"):
        return _with_weights(_from_live_graph(source.graph), source, source.graph)
    if hasattr(source, "count_params") and hasattr(source, "weights"):
        return read_keras_model(source)
    if hasattr(source, "get_concrete_function"):
        try:
            concrete = source.get_concrete_function()
        except (TypeError, ValueError) as error:
            message = "this tf.function needs arguments: give the cost of its concrete function"
            raise OptionError(f"{message}, f.get_concrete_function(…)") from error
        return read_live_model(concrete)
    return None


def _from_live_graph(graph: Any) -> ModelGraph:
    message = GraphDef.FromString(graph.as_graph_def(add_shapes=True).SerializeToString())
    model = from_graph(message)
    if not hasattr(graph, "outputs"):
        return model
    outputs = [tensor.op.name for tensor in graph.outputs if hasattr(tensor, "op")]
    controls = [operation.name for operation in getattr(graph, "control_outputs", ())]
    roots = list(dict.fromkeys([*outputs, *controls]))
    return replace(model, roots=roots or None)


def _with_weights(model: ModelGraph, owner: Any, graph: Any) -> ModelGraph:
    """A graph with the variables of its concrete function or Keras model, each once."""
    weights, layered = _weights(owner), hasattr(owner, "weights")
    # A layer of Keras 2 that is frozen leaves its variables as they are.
    trained = {id(w) for w in (owner.trainable_weights if layered else weights)}
    named = [_variable(w, layered=layered, trained=id(w) in trained) for w in weights]
    resources = {id(_resource(weight)): position for position, weight in enumerate(weights)}
    handles = {
        inner.op.name: resources[id(outer)]
        for outer, inner in getattr(graph, "captures", ())
        if id(outer) in resources
    }
    return replace(
        model,
        variables=with_slots(named),
        handles=handles,
        captures={node: named[position].shape for node, position in handles.items()},
        frozen=0 if named else model.frozen,
    )


def _weights(owner: Any) -> list[Any]:
    """The variables of a concrete function or Keras model, each once."""
    try:
        weights: Iterable[Any] = owner.weights if hasattr(owner, "weights") else owner.variables
    except AssertionError:  # TensorFlow's way to say that a captured variable is gone
        raise LoadError("a variable of this function was deleted: keep its owner alive") from None
    return list({id(weight): weight for weight in weights}.values())


def _variable(weight: Any, *, layered: bool, trained: bool) -> Variable:
    name = getattr(weight, "path", None) or weight.name.partition(":")[0]
    shape = tuple(int(size) for size in weight.shape)
    state = name.endswith(SEED) or not (layered or _is_floating(weight.dtype))
    trainable = trained and bool(weight.trainable)
    return Variable(name, shape, trainable, "state" if state else "parameter")


def _resource(weight: Any) -> Any:
    """The handle that functions capture of a variable, which Keras 3 wraps."""
    variable = weight.value if hasattr(weight, "path") else weight
    return getattr(variable, "handle", None)


def _is_floating(dtype: Any) -> bool:
    name = str(getattr(dtype, "name", dtype))
    return "float" in name or "complex" in name


def read_keras_model(model: Any) -> ModelGraph:
    """A live Keras model: its call on inputs of unknown batch, in inference mode."""
    import tensorflow as tf

    inputs = _input_specs(model)

    def call(*tensors: Any) -> Any:
        return model(*tensors, training=False)

    def trace(specs: list[Any]) -> Any:
        return tf.function(call, autograph=False).get_concrete_function(*specs).graph

    weights = _weights(model)
    if not is_keras_3(model):
        # Keras 2 transforms `call`, which must not be replaced; its scopes have the layers' names.
        graph = tf.function(call).get_concrete_function(*inputs).graph
        named = NamedLayers(model.name, tuple(info for info, _ in list_layers(model, weights)))
        return replace(
            _with_weights(_from_live_graph(graph), model, graph), read_layers=lambda: named
        )
    with record_layers(model, weights) as recorder:
        graph = trace(inputs)
    first_call = _first_call_specs(model)
    if first_call not in (None, inputs):
        # `summary()` shows the shapes of the first call.
        with record_layers(model, weights) as recorded_shapes:
            trace(first_call)
        # A function of TensorFlow that was traced before calls no layer.
        known = {**recorded_shapes.outputs, **shapes_of_built_layers(recorder.objects)}
        recorder.outputs = {**recorder.outputs, **known}
    traced = _with_weights(_from_live_graph(graph), model, graph)
    layers = recorder.read(traced.graph)
    return replace(traced, read_layers=lambda: layers)


def _input_specs(model: Any) -> list[Any]:
    """The types of a model's arguments: of its symbolic inputs, or as it was called before."""
    import tensorflow as tf

    def spec(tensor: Any) -> Any:
        return tf.TensorSpec(tensor.shape, tensor.dtype, name=getattr(tensor, "name", None))

    if getattr(model, "inputs", None):
        structure = getattr(model, "_inputs_struct", model.inputs)
        single = isinstance(structure, (list, tuple)) and len(structure) == 1
        return [tf.nest.map_structure(spec, structure[0] if single else structure)]
    saved = model.save_spec() if hasattr(model, "save_spec") else None  # of Keras 2
    if saved is not None:
        return list(saved[0])
    arguments = _first_call_specs(model)
    if arguments is None:
        raise OptionError(f"the model {model.name!r} is not built: call it once, or give it Inputs")
    arguments = tf.nest.map_structure(_with_any_batch, arguments)
    try:
        inspect.signature(model.call).bind(*arguments)
    except TypeError:
        raise OptionError(
            f"the model {model.name!r} has several arguments, of which Keras keeps only the first:"
            " give a concrete function, tf.function(model).get_concrete_function(…)"
        ) from None
    return arguments


def _first_call_specs(model: Any) -> list[Any] | None:
    """The types of the arguments of a subclassed model in its first call, if it keeps them."""
    shapes = getattr(model, "_build_shapes_dict", None)
    if getattr(model, "inputs", None) or not shapes:
        return None
    return [_specs(shape, model.input_dtype) for shape in shapes.values()]


def _specs(shape: Any, dtype: str) -> Any:
    """The types of tensors; `shape` may be a structure of shapes."""
    import tensorflow as tf

    if isinstance(shape, dict):
        return {name: _specs(inner, dtype) for name, inner in shape.items()}
    if all(size is None or isinstance(size, int) for size in shape):
        return tf.TensorSpec(shape, dtype)
    return [_specs(inner, dtype) for inner in shape]


def _with_any_batch(spec: Any) -> Any:
    import tensorflow as tf

    return tf.TensorSpec((None, *spec.shape[1:]), spec.dtype)
