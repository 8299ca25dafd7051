"""The message that holds a model: a GraphDef, MetaGraphDef or SavedModel, binary or text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from tfprof.errors import LoadError
from tfprof.loaders.message_kinds import best_fit, is_text, message_kind
from tfprof.loaders.messages import Input, MessageLike, not_a_message, parse_text, read_input_bytes
from tfprof.loaders.saved_model.graph import is_saved_model, saved_model_file
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.saved_model_pb2 import MetaGraphDef, SavedModel

MODEL_KINDS = {kind.DESCRIPTOR.name: kind for kind in (GraphDef, MetaGraphDef, SavedModel)}
"""The messages that hold a graph, by name."""


def read_model_message(source: MessageLike) -> GraphDef | MetaGraphDef | SavedModel:
    """The message of a model's file, folder or bytes."""
    content = read_model_bytes(source)
    if content.path is not None and message_kind(content.head) not in ("", *MODEL_KINDS):
        raise not_a_message(content, GraphDef, expected=MODEL_KINDS)
    message = parse_model(content, model_kind(content))
    if content.path is not None and isinstance(message, GraphDef) and not message.node:
        raise not_a_message(content, GraphDef, expected=MODEL_KINDS)
    return message


def read_model_bytes(source: MessageLike) -> Input:
    """The bytes of a model, with the path of the file that has them."""
    if is_saved_model(source):
        source = saved_model_file(Path(source))
    content = read_input_bytes(source, "graph")
    if content.path is not None and not content.data:
        raise LoadError(f"{content.name}: is empty; expected a model")
    return content


def model_kind(content: Input) -> Any:
    """The class of the message that has a model's graph."""
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
        if not message_kind(content.head):
            raise not_a_message(content, kind) from None
        reason = (str(error).splitlines() or ["nested too deeply"])[0]
    except DecodeError:
        raise not_a_message(content, kind, expected=MODEL_KINDS) from None
    raise LoadError(f"{content.name}: not a {kind.DESCRIPTOR.name}; {reason}")
