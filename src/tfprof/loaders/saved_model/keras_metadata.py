"""What Keras 2 wrote of its layers: a file beside the graph, before TensorFlow 2.5 in the graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError

from tfprof.errors import LoadError
from tfprof.loaders.files import is_file, read_file
from tfprof.protos.keras_metadata_pb2 import KerasMetadata
from tfprof.protos.saved_model_pb2 import MetaGraphDef

_FILE = "keras_metadata.pb"

Metadata = dict[int, dict[str, Any]]
"""Position of an object in the object graph -> its name, class and configuration."""


def read_keras_metadata(meta: MetaGraphDef, folder: Path | None) -> Metadata:
    """The metadata of Keras objects; nothing of a model of another kind."""
    texts = {
        index: node.user_object.metadata
        for index, node in enumerate(meta.object_graph_def.nodes)
        if node.user_object.metadata
    }
    file = None if folder is None else folder / _FILE
    if file is not None and is_file(file):
        try:
            stored = KerasMetadata.FromString(read_file(file, "the metadata of Keras"))
        except DecodeError:
            raise LoadError(
                f"{file}: not the metadata of Keras, or truncated; save the model again,"
                " or delete the file"
            ) from None
        texts |= {node.node_id: node.metadata for node in stored.nodes}
    return {index: value for index, text in texts.items() if (value := _parse(text))}


def _parse(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
