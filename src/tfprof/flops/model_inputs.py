"""What a cost can be computed from, read into one form: files, messages, live models."""

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
    """A graph to be counted: what runs, what it is fed, what it owns."""

    graph: GraphDef
    roots: list[str] | None = None
    """Nodes that are asked for; without them all nodes count."""
    inputs: Mapping[str, tuple[str, Dims | None]] = field(default_factory=dict)
    """Placeholder -> (name to show, shape)."""
    variables: list[Variable] = field(default_factory=list)
    frozen: int = 0
    """Elements of constants that were parameters, in a graph without variables."""
    notes: tuple[str, ...] = ()
    """What is to be told of where it comes from."""


def read_model(
    source: Any, *, signature: str | None = None, outputs: Iterable[str] | None = None
) -> ModelGraph:
    """Read any source; TensorFlow is used only for objects that are TensorFlow's.

    `outputs` are the nodes that are asked for, instead of those of the signature or function.
    """
    made = _read(source, signature)
    if outputs is None:
        return made
    roots = [name.partition(":")[0] for name in outputs]
    present = {node.name for node in made.graph.node}
    missing = [name for name in roots if name not in present]
    if missing:
        raise OptionError(f"the graph has no node {missing[0]!r}")
    return replace(made, roots=roots)


def _read(source: Any, signature: str | None) -> ModelGraph:
    if isinstance(source, ModelGraph):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _read_path(Path(source), signature)
    if isinstance(source, bytes):
        return _model_graph(read_model_message(source), "graph", signature)
    if isinstance(source, Message):
        return _model_graph(_own_message(source), source.DESCRIPTOR.name, signature)
    return _live(source)


def _read_path(path: Path, signature: str | None) -> ModelGraph:
    if path.suffix == ".keras":
        return _live(_load_keras(path))
    message, notes = read_model_message(path), []
    if isinstance(message, SavedModel):
        folder = saved_model_file(path).parent
        notes = complete_variables(main_graph(message, str(path)), folder)
    return replace(_model_graph(message, str(path), signature), notes=tuple(notes))


def _model_graph(
    message: GraphDef | MetaGraphDef | SavedModel, name: str, signature: str | None
) -> ModelGraph:
    if isinstance(message, GraphDef):
        return _graph(message)
    return _saved(message, name, signature)


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
    """A message of this package or another, such as TensorFlow's, as one of this package."""
    kind = MODEL_KINDS.get(message.DESCRIPTOR.name)
    if kind is None:
        raise OptionError(f"a {message.DESCRIPTOR.name} message has no cost: give {_ACCEPTED}")
    if isinstance(message, kind):
        return message
    return kind.FromString(message.SerializeToString())


def _graph(graph: GraphDef) -> ModelGraph:
    variables = with_slots(variable_tables.of_graph(graph))
    frozen = 0 if variables else variable_tables.of_constants(graph)
    return ModelGraph(graph, inputs=find_placeholders(graph), variables=variables, frozen=frozen)


def find_placeholders(graph: GraphDef) -> dict[str, tuple[str, Dims | None]]:
    """The placeholders of a graph: name to show, and shape."""
    found: dict[str, tuple[str, Dims | None]] = {}
    for node in graph.node:
        if node.op in ("Placeholder", "PlaceholderV2", "_Arg"):
            shape: Dims | None = None
            if "_output_shapes" in node.attr and node.attr["_output_shapes"].list.shape:
                shape = dims_of(node.attr["_output_shapes"].list.shape[0])
            elif "shape" in node.attr:
                shape = dims_of(node.attr["shape"].shape)
            found[node.name] = (node.name, shape)
    return found


def _saved(model: SavedModel | MetaGraphDef, where: str, signature: str | None) -> ModelGraph:
    if isinstance(model, SavedModel):
        meta = main_graph(model, where)
    else:
        meta = model
        if not meta.signature_def and signature is None:
            # A graph as v1 saves it beside a checkpoint: nothing says what will be asked for.
            variables = with_slots(variable_tables.of_meta_graph(meta))
            return replace(_graph(meta.graph_def), variables=variables)
    name = _signature(meta, where, signature)
    chosen = meta.signature_def[name]
    roots = sorted({info.name.partition(":")[0] for info in chosen.outputs.values()})
    present = {node.name for node in meta.graph_def.node}
    missing = [root for root in roots if root not in present]
    if missing:
        raise LoadError(f"{where}: signature {name!r} asks for {missing[0]!r}, which is not there")
    inputs = find_placeholders(meta.graph_def)
    for key, info in chosen.inputs.items():
        node = info.name.partition(":")[0]
        if node:
            inputs[node] = (key, dims_of(info.tensor_shape))
    return ModelGraph(
        meta.graph_def, roots, inputs, with_slots(variable_tables.of_meta_graph(meta))
    )


def _signature(meta: MetaGraphDef, where: str, wanted: str | None) -> str:
    names = signature_names(meta)
    if wanted is not None:
        if wanted not in names:
            raise OptionError(
                f"{where} has no signature {wanted!r}: it has {', '.join(sorted(names)) or 'none'}"
            )
        return wanted
    if DEFAULT_SIGNATURE in names:
        return DEFAULT_SIGNATURE
    if len(names) == 1:
        return str(names[0])
    if not names:
        raise LoadError(f"{where} has no signatures: save it with `signatures=`")
    raise OptionError(f"{where} has several signatures, choose one: {', '.join(sorted(names))}")


def _live(source: Any) -> ModelGraph:
    if hasattr(source, "as_graph_def"):
        return _live_graph(source)
    if hasattr(source, "graph") and hasattr(source.graph, "as_graph_def"):
        made = _live_graph(source.graph)
        return ModelGraph(made.graph, made.roots, made.inputs, _owned(source))
    if hasattr(source, "count_params") and hasattr(source, "weights"):
        return _keras(source)
    if hasattr(source, "get_concrete_function"):
        try:
            concrete = source.get_concrete_function()
        except (TypeError, ValueError) as error:
            message = "this tf.function needs arguments: give the cost of its concrete function"
            raise OptionError(f"{message}, f.get_concrete_function(…)") from error
        return _live(concrete)
    raise OptionError(f"a {type(source).__name__} has no cost: give {_ACCEPTED}")


def _live_graph(graph: Any) -> ModelGraph:
    message = GraphDef.FromString(graph.as_graph_def(add_shapes=True).SerializeToString())
    made = _graph(message)
    if not hasattr(graph, "outputs"):
        return made
    outputs = [tensor.op.name for tensor in graph.outputs if hasattr(tensor, "op")]
    controls = [operation.name for operation in getattr(graph, "control_outputs", ())]
    roots = list(dict.fromkeys([*outputs, *controls]))
    return ModelGraph(message, roots or None, made.inputs, made.variables)


def _owned(owner: Any) -> list[Variable]:
    """Variables of a concrete function or of a Keras model, each once."""
    layered = hasattr(owner, "weights")
    try:
        weights: Iterable[Any] = owner.weights if layered else owner.variables
    except AssertionError:  # TensorFlow's way to say that a captured variable is gone
        raise LoadError("a variable of this function was deleted: keep its owner alive") from None
    found: dict[int, Variable] = {}
    for weight in weights:
        name = getattr(weight, "path", None) or weight.name.partition(":")[0]
        shape = tuple(int(size) for size in weight.shape)
        state = name.endswith(variable_tables.SEED) or not (layered or _is_floating(weight.dtype))
        found[id(weight)] = Variable(
            name, shape, bool(weight.trainable), "state" if state else "parameter"
        )
    return with_slots(found.values())


def _is_floating(dtype: Any) -> bool:
    name = str(getattr(dtype, "name", dtype))
    return "float" in name or "complex" in name


def _keras(model: Any) -> ModelGraph:
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

    made = _live_graph(tf.function(call).get_concrete_function(*specs).graph)
    return ModelGraph(made.graph, made.roots, made.inputs, _owned(model))
