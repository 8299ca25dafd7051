"""Files, messages and live models, read into the graph whose cost is computed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from tfprof.errors import LoadError, OptionError
from tfprof.flops import variables as variable_tables
from tfprof.flops.optimizer_slots import with_slots
from tfprof.flops.tensors import Dims, dims_of
from tfprof.flops.variables import Variable
from tfprof.loaders.model_messages import MODEL_KINDS, read_model_message
from tfprof.loaders.saved_model.graph import (
    DEFAULT_SIGNATURE,
    main_graph,
    saved_model_file,
    signature_names,
)
from tfprof.loaders.saved_model.variables import complete_variables
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.saved_model_pb2 import MetaGraphDef, SavedModel

_ACCEPTED = (
    "a SavedModel directory, a .pb, .pbtxt, .meta or .keras file, a GraphDef (message or bytes),"
    " a Keras model, a tf.function, a concrete function or a graph"
)


@dataclass(frozen=True, slots=True)
class ModelGraph:
    """A graph to count, with its inputs and variables."""

    graph: GraphDef
    roots: list[str] | None = None
    """Nodes that are run; without them all nodes count."""
    inputs: Mapping[str, tuple[str, Dims | None]] = field(default_factory=dict)
    """Placeholder -> (name to show, shape)."""
    variables: list[Variable] = field(default_factory=list)
    frozen: int = 0
    """Elements of constants that were parameters, in a graph without variables."""
    notes: tuple[str, ...] = ()
    """Notes for the ledger."""


def read_model(
    source: Any, *, signature: str | None = None, outputs: Iterable[str] | None = None
) -> ModelGraph:
    """Read any source; TensorFlow is used only for objects that are TensorFlow's.

    `outputs` are the nodes to run, instead of those of the signature or function.
    """
    model = _read(source, signature)
    if outputs is None:
        return model
    roots = [name.partition(":")[0] for name in outputs]
    missing = _missing_node(model.graph, roots)
    if missing is not None:
        raise OptionError(f"the graph has no node {missing!r}")
    return replace(model, roots=roots)


def _missing_node(graph: GraphDef, names: Iterable[str]) -> str | None:
    """The first name that no node has."""
    present = {node.name for node in graph.node}
    return next((name for name in names if name not in present), None)


def _read(source: Any, signature: str | None) -> ModelGraph:
    if isinstance(source, ModelGraph):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _read_path(Path(source), signature)
    if isinstance(source, bytes):
        return _from_message(read_model_message(source), "graph", signature)
    if isinstance(source, Message):
        return _from_message(_own_message(source), source.DESCRIPTOR.name, signature)
    return _from_object(source)


def _read_path(path: Path, signature: str | None) -> ModelGraph:
    if path.suffix == ".keras":
        return _from_object(_load_keras(path))
    message, notes = read_model_message(path), []
    if isinstance(message, SavedModel):
        folder = saved_model_file(path).parent
        notes = complete_variables(main_graph(message, str(path)), folder)
    return replace(_from_message(message, str(path), signature), notes=tuple(notes))


def _load_keras(path: Path) -> Any:
    if not path.is_file():
        raise LoadError(f"{path}: no such file; check the path of the model")
    try:
        import keras
    except ImportError:
        raise LoadError(f"{path} needs Keras to be read: export it as a SavedModel") from None
    try:
        return keras.models.load_model(path, compile=False)
    except Exception as error:  # Keras raises what it likes about a broken archive
        reason = " ".join(str(error).split()) or type(error).__name__
        raise LoadError(f"{path}: Keras cannot load it: {reason}") from None


def _own_message(message: Message) -> GraphDef | MetaGraphDef | SavedModel:
    """A message, perhaps of TensorFlow's classes, as one of this package's."""
    kind = MODEL_KINDS.get(message.DESCRIPTOR.name)
    if kind is None:
        raise OptionError(f"a {message.DESCRIPTOR.name} message has no cost: give {_ACCEPTED}")
    if isinstance(message, kind):
        return message
    return kind.FromString(message.SerializeToString())


def _from_graph(graph: GraphDef) -> ModelGraph:
    variables = with_slots(variable_tables.of_graph(graph))
    frozen = 0 if variables else variable_tables.of_constants(graph)
    return ModelGraph(graph, inputs=find_placeholders(graph), variables=variables, frozen=frozen)


def find_placeholders(graph: GraphDef) -> dict[str, tuple[str, Dims | None]]:
    """The placeholders of a graph: name to show, and shape."""
    placeholders: dict[str, tuple[str, Dims | None]] = {}
    for node in graph.node:
        if node.op in ("Placeholder", "PlaceholderV2", "_Arg"):
            shape: Dims | None = None
            if "_output_shapes" in node.attr and node.attr["_output_shapes"].list.shape:
                shape = dims_of(node.attr["_output_shapes"].list.shape[0])
            elif "shape" in node.attr:
                shape = dims_of(node.attr["shape"].shape)
            placeholders[node.name] = (node.name, shape)
    return placeholders


def _from_message(
    message: GraphDef | MetaGraphDef | SavedModel, source: str, signature: str | None
) -> ModelGraph:
    if isinstance(message, GraphDef):
        return _from_graph(message)
    meta = main_graph(message, source) if isinstance(message, SavedModel) else message
    variables = with_slots(variable_tables.of_meta_graph(meta))
    if meta is message and not meta.signature_def and signature is None:
        # A graph as v1 saves it beside a checkpoint: all of it counts.
        return replace(_from_graph(meta.graph_def), variables=variables)
    name = _signature(meta, source, signature)
    chosen = meta.signature_def[name]
    roots = sorted({info.name.partition(":")[0] for info in chosen.outputs.values()})
    missing = _missing_node(meta.graph_def, roots)
    if missing is not None:
        raise LoadError(f"{source}: signature {name!r} asks for {missing!r}, which is not there")
    inputs = find_placeholders(meta.graph_def)
    for key, info in chosen.inputs.items():
        node = info.name.partition(":")[0]
        if node:
            inputs[node] = (key, dims_of(info.tensor_shape))
    return ModelGraph(meta.graph_def, roots, inputs, variables)


def _signature(meta: MetaGraphDef, source: str, wanted: str | None) -> str:
    names = signature_names(meta)
    if wanted is not None:
        if wanted not in names:
            raise OptionError(
                f"{source} has no signature {wanted!r}: it has {', '.join(sorted(names)) or 'none'}"
            )
        return wanted
    if DEFAULT_SIGNATURE in names:
        return DEFAULT_SIGNATURE
    if len(names) == 1:
        return str(names[0])
    if not names:
        raise LoadError(f"{source} has no signatures: save it with `signatures=`")
    raise OptionError(f"{source} has several signatures, choose one: {', '.join(sorted(names))}")


def _from_object(source: Any) -> ModelGraph:
    if hasattr(source, "as_graph_def"):
        return _from_live_graph(source)
    if hasattr(source, "graph") and hasattr(source.graph, "as_graph_def"):
        return _with_weights(_from_live_graph(source.graph), source)
    if hasattr(source, "count_params") and hasattr(source, "weights"):
        return _from_keras(source)
    if hasattr(source, "get_concrete_function"):
        try:
            concrete = source.get_concrete_function()
        except (TypeError, ValueError) as error:
            message = "this tf.function needs arguments: give the cost of its concrete function"
            raise OptionError(f"{message}, f.get_concrete_function(…)") from error
        return _from_object(concrete)
    raise OptionError(f"a {type(source).__name__} has no cost: give {_ACCEPTED}")


def _from_live_graph(graph: Any) -> ModelGraph:
    message = GraphDef.FromString(graph.as_graph_def(add_shapes=True).SerializeToString())
    model = _from_graph(message)
    if not hasattr(graph, "outputs"):
        return model
    outputs = [tensor.op.name for tensor in graph.outputs if hasattr(tensor, "op")]
    controls = [operation.name for operation in getattr(graph, "control_outputs", ())]
    roots = list(dict.fromkeys([*outputs, *controls]))
    return replace(model, roots=roots or None, frozen=0)


def _with_weights(model: ModelGraph, owner: Any) -> ModelGraph:
    """A graph with the variables of its concrete function or Keras model, each once."""
    layered = hasattr(owner, "weights")
    try:
        weights: Iterable[Any] = owner.weights if layered else owner.variables
    except AssertionError:  # TensorFlow's way to say that a captured variable is gone
        raise LoadError("a variable of this function was deleted: keep its owner alive") from None
    variables: dict[int, Variable] = {}
    for weight in weights:
        name = getattr(weight, "path", None) or weight.name.partition(":")[0]
        shape = tuple(int(size) for size in weight.shape)
        state = name.endswith(variable_tables.SEED) or not (layered or _is_floating(weight.dtype))
        role = "state" if state else "parameter"
        variables[id(weight)] = Variable(name, shape, bool(weight.trainable), role)
    return replace(model, variables=with_slots(variables.values()), frozen=0)


def _is_floating(dtype: Any) -> bool:
    name = str(getattr(dtype, "name", dtype))
    return "float" in name or "complex" in name


def _from_keras(model: Any) -> ModelGraph:
    """A live Keras model: its call on inputs of unknown batch, in inference mode."""
    import tensorflow as tf

    if not getattr(model, "inputs", None):
        raise OptionError(f"the model {model.name!r} is not built: call it once, or give it Inputs")
    specs = [
        tf.TensorSpec(tensor.shape, tensor.dtype, name=getattr(tensor, "name", None))
        for tensor in model.inputs
    ]

    def call(*tensors: Any) -> Any:
        return model(list(tensors) if len(tensors) > 1 else tensors[0], training=False)

    graph = tf.function(call).get_concrete_function(*specs).graph
    return _with_weights(_from_live_graph(graph), model)
