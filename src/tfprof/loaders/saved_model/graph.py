"""The graph of a SavedModel directory: what its signature runs, and the functions it calls."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError

from tfprof.errors import LoadError
from tfprof.loaders.saved_model.variables import completed
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.saved_model_pb2 import MetaGraphDef, SavedModel

__all__ = [
    "DEFAULT_SIGNATURE",
    "FILE",
    "is_saved_model",
    "main_graph",
    "read_saved_graph",
    "signature_names",
]

FILE = "saved_model.pb"
DEFAULT_SIGNATURE = "serving_default"


def is_saved_model(source: Any) -> bool:
    """Whether a source is the path of a SavedModel: its directory, or the file in it."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    path = Path(source)
    return path.name == FILE or path.is_dir()


def read_saved_graph(source: str | os.PathLike[str]) -> tuple[bytes, dict[str, str]]:
    """The serialized GraphDef of a SavedModel, and what its signature calls its placeholders.

    It has what the default signature, or the only one, needs. Without such a signature it has all
    nodes, those that save and restore among them.
    """
    path = Path(source)
    file = path if path.name == FILE else path / FILE
    meta = main_graph(_parsed(file, path), str(path))
    completed(meta, file.parent)
    names = signature_names(meta)
    input_names: dict[str, str] = {}
    if DEFAULT_SIGNATURE in names or len(names) == 1:
        name = DEFAULT_SIGNATURE if DEFAULT_SIGNATURE in names else names[0]
        outputs = meta.signature_def[name].outputs.values()
        inputs = meta.signature_def[name].inputs.items()
        input_names = {info.name.partition(":")[0]: key for key, info in inputs}
        needed = _needed(meta.graph_def, {info.name.partition(":")[0] for info in outputs})
        kept = [node for node in meta.graph_def.node if node.name in needed]
        del meta.graph_def.node[:]
        meta.graph_def.node.extend(kept)
    return meta.graph_def.SerializeToString(), input_names


def _parsed(file: Path, called: Path) -> SavedModel:
    try:
        return SavedModel.FromString(file.read_bytes())
    except FileNotFoundError:
        raise LoadError(f"{called}: not a SavedModel directory, it has no {FILE}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise LoadError(f"{file}: {reason}; the model cannot be read") from None
    except DecodeError:
        raise LoadError(f"{file}: not a SavedModel; it may be cut off or of another kind") from None


def main_graph(model: SavedModel, called: str) -> MetaGraphDef:
    """Of the graphs of a SavedModel the one that is for serving, or the first."""
    if not model.meta_graphs:
        raise LoadError(f"{called} holds no graph")
    served = [meta for meta in model.meta_graphs if "serve" in meta.meta_info_def.tags]
    return (served or model.meta_graphs)[0]


def signature_names(meta: MetaGraphDef) -> list[str]:
    """The signatures that a user gave."""
    return [name for name in meta.signature_def if not name.startswith("__saved_model")]


def _needed(graph: GraphDef, roots: set[str]) -> set[str]:
    """The names of nodes that some nodes need, and their own."""
    inputs = {node.name: node.input for node in graph.node}
    waiting, found = list(roots), set(roots)
    while waiting:
        for text in inputs.get(waiting.pop(), ()):
            name = text.removeprefix("^").partition(":")[0]
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found
