"""The message that holds a model: a GraphDef, MetaGraphDef or SavedModel, binary or text."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from tfprof.errors import LoadError
from tfprof.loaders import find_loader, identify
from tfprof.loaders.files import read_head
from tfprof.loaders.message_kinds import (
    HEAD_SIZE,
    best_fit,
    has_only_names,
    is_known_text,
    is_text,
    message_kind,
)
from tfprof.loaders.messages import (
    Input,
    MessageLike,
    parse_text,
    read_input_bytes,
    wrong_message_error,
)
from tfprof.loaders.other_formats import find_other_format
from tfprof.loaders.saved_model.graph import is_saved_model, saved_model_file
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.saved_model_pb2 import MetaGraphDef, SavedModel

MODEL_KINDS = {kind.DESCRIPTOR.name: kind for kind in (GraphDef, MetaGraphDef, SavedModel)}
"""The messages that hold a graph, by name."""


_MODELS = "a SavedModel, a GraphDef, a MetaGraphDef or a .keras file"


def read_model_message(source: MessageLike) -> GraphDef | MetaGraphDef | SavedModel:
    """The message of a model's file, folder or bytes."""
    if isinstance(source, (str, os.PathLike)):
        check_is_model(Path(source))
    content = read_model_bytes(source)
    message = parse_model(content, model_kind(content))
    if content.path is not None and not _has_nodes(message):
        raise no_nodes_error(content)
    return message


def check_is_model(path: Path) -> None:
    """Refuse a file or folder that another loader reads, or that is of another format."""
    head = read_head(path, HEAD_SIZE)
    loader = find_loader(path, head)
    if loader is not None and loader.provides != "graph":
        hint = f"give it beside one, as {loader.provides} (--{loader.flag})"
        hint = hint if loader.provides == "run_meta" else f"give {_MODELS}"
        raise LoadError(f"{path}: is {loader.noun}, not a model; {hint}")
    other = None if loader else find_other_format(path, head)
    if other is not None:
        raise LoadError(f"{path}: is {other.name}; {other.advice_for(path) or f'give {_MODELS}'}")


def _check_content(content: Input) -> None:
    """Refuse content that is no model, whatever the name of its file."""
    if content.path is not None and not content.data:
        raise LoadError(f"{content.name}: is empty; expected a model")
    if (content.kind or message_kind(content.head)) in MODEL_KINDS:
        return
    if content.path is None and not content.kind and has_only_names(content.head):
        return  # nothing says that it is another message
    if content.kind or identify(content.head, content.path, expected=MODEL_KINDS):
        raise wrong_message_error(content, GraphDef, expected=MODEL_KINDS)


def _has_nodes(message: GraphDef | MetaGraphDef | SavedModel) -> bool:
    """Whether a message has a node with an op; another message may look like one without."""
    if isinstance(message, SavedModel):
        return not message.meta_graphs or any(map(_has_nodes, message.meta_graphs))
    graph = message if isinstance(message, GraphDef) else message.graph_def
    return any(node.op for node in graph.node)


def no_nodes_error(content: Input) -> LoadError:
    """The error for a file from which no node could be read."""
    kind = message_kind(content.head)
    if kind not in MODEL_KINDS:
        return wrong_message_error(content, GraphDef, expected=MODEL_KINDS)
    return LoadError(
        f"{content.name}: is a {kind} without nodes; save the graph once the model is built"
    )


def read_model_bytes(source: MessageLike) -> Input:
    """The bytes of a model, with the path of the file that has them."""
    if is_saved_model(source):
        source = saved_model_file(Path(source))
    content = read_input_bytes(source, "graph")
    _check_content(content)
    return content


def model_kind(content: Input) -> Any:
    """The class of the message that has a model's graph; the content decides before the name."""
    kind = content.kind or message_kind(content.head)
    if kind in MODEL_KINDS:
        return MODEL_KINDS[kind]
    if content.path is not None and is_saved_model(content.path):
        return SavedModel
    return MODEL_KINDS[best_fit(content.head, MODEL_KINDS)]


def parse_model(content: Input, kind: Any) -> Any:
    """The message of a model, binary or text; a LoadError if it is malformed."""
    try:
        if is_text(content.data):
            return parse_text(content.data, kind)
        return kind.FromString(content.data)
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8"
    except (text_format.ParseError, RecursionError, ValueError) as error:
        is_other = identify(content.head, content.path, expected=MODEL_KINDS)
        if is_other or not is_known_text(content.head):
            raise wrong_message_error(content, kind, expected=MODEL_KINDS) from None
        reason = (str(error).splitlines() or ["nested too deeply"])[0]
    except DecodeError:
        raise wrong_message_error(content, kind, expected=MODEL_KINDS) from None
    raise LoadError(f"{content.name}: not a {kind.DESCRIPTOR.name}; {reason}")
