"""Files, messages and live models, read into the graph whose cost is computed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from tfprof.errors import LoadError, OptionError
from tfprof.flops.keras_file import read_keras_file
from tfprof.flops.layers.keras_2_saved_model import read_keras_2_layers
from tfprof.flops.layers.keras_3_saved_model import read_keras_3_layers, variable_handles
from tfprof.flops.layers.layer_tree import LayerSource
from tfprof.flops.live_models import read_live_model
from tfprof.flops.missing_inputs import note_missing_inputs
from tfprof.flops.model_graph import ModelGraph, find_placeholders, from_graph, handles_by_name
from tfprof.flops.optimizer_slots import with_slots
from tfprof.flops.tensors import dims_of
from tfprof.flops.variables import variables_of_meta_graph, variables_of_objects
from tfprof.loaders import find_loader
from tfprof.loaders.files import read_head
from tfprof.loaders.message_kinds import HEAD_SIZE
from tfprof.loaders.model_messages import MODEL_KINDS, read_model_message
from tfprof.loaders.saved_model.graph import (
    DEFAULT_SIGNATURE,
    main_graph,
    saved_model_file,
    signature_names,
)
from tfprof.loaders.saved_model.keras_metadata import read_keras_metadata
from tfprof.loaders.saved_model.variables import complete_variables
from tfprof.profiles.profile import Profile
from tfprof.profiles.source_columns import GraphColumns
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.saved_model_pb2 import MetaGraphDef, SavedModel

_ACCEPTED = (
    "a SavedModel directory, a .pb, .pbtxt, .meta or .keras file, a GraphDef (message or bytes),"
    " a Keras model, a tf.function, a concrete function or a graph"
)


def read_model(
    source: Any, *, signature: str | None = None, outputs: Iterable[str] | None = None
) -> ModelGraph:
    """Read any source; TensorFlow is used only for objects that are TensorFlow's.

    `outputs` are the nodes to run, instead of those of the signature or function.
    """
    model = _read(source, signature)
    model = replace(model, notes=(*model.notes, *note_missing_inputs(model.graph)))
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
    _refuse_signature(signature, type(source).__name__)
    model = read_live_model(source)
    if model is None:
        raise OptionError(f"no cost of type {type(source).__name__}: give {_ACCEPTED}")
    return model


def _refuse_signature(signature: str | None, source: str) -> None:
    if signature is not None:
        raise OptionError(f"option 'signature': {source} has none; only a SavedModel does")


def _read_path(path: Path, signature: str | None) -> ModelGraph:
    if path.suffix == ".keras":
        _refuse_signature(signature, str(path))
        return read_keras_file(path)
    loader = find_loader(path, read_head(path, HEAD_SIZE))
    if loader is not None and loader.provides == "graph" and loader.name not in MODEL_KINDS:
        _refuse_signature(signature, str(path))
        return from_graph(_graph_of_columns(loader.read(path)))
    message, notes, folder = read_model_message(path), [], None
    if isinstance(message, SavedModel):
        folder = saved_model_file(path).parent
        notes = complete_variables(main_graph(message, str(path)), folder)
    return replace(_from_message(message, str(path), signature, folder), notes=tuple(notes))


def _graph_of_columns(columns: GraphColumns) -> GraphDef:
    """The graph that a loader of another package read."""
    from tfprof.flops.profile_graph import model_graph

    return model_graph(Profile().with_graph(columns)).graph


def _own_message(message: Message) -> GraphDef | MetaGraphDef | SavedModel:
    """A message, perhaps of TensorFlow's classes, as one of this package's."""
    kind = MODEL_KINDS.get(message.DESCRIPTOR.name)
    if kind is None:
        raise OptionError(f"no cost of a {message.DESCRIPTOR.name} message: give {_ACCEPTED}")
    if isinstance(message, kind):
        return message
    return kind.FromString(message.SerializeToString())


def _from_message(
    message: GraphDef | MetaGraphDef | SavedModel,
    source: str,
    signature: str | None,
    folder: Path | None = None,
) -> ModelGraph:
    if isinstance(message, GraphDef):
        _refuse_signature(signature, source)
        return from_graph(message)
    meta = main_graph(message, source) if isinstance(message, SavedModel) else message
    objects = variables_of_objects(meta.object_graph_def)
    variables = with_slots(variables_of_meta_graph(meta))
    handles = variable_handles(meta, objects) if objects else handles_by_name(variables)
    if meta is message and not meta.signature_def and signature is None:
        # A graph as v1 saves it beside a checkpoint: all of it counts.
        return replace(from_graph(meta.graph_def), variables=variables, handles=handles)
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
    read_layers = partial(_read_layers, meta, list(objects), folder)
    return ModelGraph(meta.graph_def, roots, inputs, variables, handles, read_layers=read_layers)


def _read_layers(
    meta: MetaGraphDef, variables: list[int], folder: Path | None
) -> LayerSource | None:
    """What a SavedModel says of layers; `variables` are its variable objects in order."""
    objects = meta.object_graph_def
    saved = read_keras_3_layers(meta, variables)
    if saved is not None:
        return saved
    return read_keras_2_layers(objects, read_keras_metadata(meta, folder), variables)


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
