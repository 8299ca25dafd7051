"""The graph of a SavedModel: what its signature runs, and the functions it calls."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tfprof.errors import LoadError
from tfprof.loaders import identify
from tfprof.loaders.files import is_device, is_directory, is_file
from tfprof.loaders.saved_model.variables import complete_variables
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.saved_model_pb2 import MetaGraphDef, SavedModel

_FILES = ("saved_model.pb", "saved_model.pbtxt")
DEFAULT_SIGNATURE = "serving_default"


def is_saved_model(source: Any) -> bool:
    """Whether an input is the path of a SavedModel: its directory, or the file in it."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    path = Path(source)
    return path.name in _FILES or is_directory(path)


def saved_model_file(path: Path) -> Path:
    """The file with the graph of a SavedModel, from its directory or that file."""
    if not is_directory(path):
        return path
    for name in _FILES:
        if is_file(path / name) or is_device(path / name):
            return path / name
    other = identify(b"", path, expected=["SavedModel"])
    reason = f"it is {other}" if other else f"it has no {_FILES[0]}"
    raise LoadError(f"{path}: not a SavedModel; {reason}")


def signature_graph(model: SavedModel, path: Path | None) -> tuple[GraphDef, dict[str, str]]:
    """The part of a SavedModel's graph that the default signature, or the only one, needs.

    Also what the signature calls its placeholders. Without such a signature it is the whole graph,
    which includes the nodes that save and restore.
    """
    meta = main_graph(model, str(path or "graph"))
    if path is not None:
        complete_variables(meta, path.parent)
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
    return meta.graph_def, input_names


def main_graph(model: SavedModel, name: str) -> MetaGraphDef:
    """Of the graphs of a SavedModel the one that is for serving, or the first."""
    if not model.meta_graphs:
        raise LoadError(f"{name}: is a SavedModel without a graph; save the model again")
    serving = [meta for meta in model.meta_graphs if "serve" in meta.meta_info_def.tags]
    return (serving or model.meta_graphs)[0]


def signature_names(meta: MetaGraphDef) -> list[str]:
    """The signatures that a user gave."""
    return [name for name in meta.signature_def if not name.startswith("__saved_model")]


def _needed(graph: GraphDef, roots: set[str]) -> set[str]:
    """The names of nodes that some nodes need, and their own."""
    inputs = {node.name: node.input for node in graph.node}
    pending, needed = list(roots), set(roots)
    while pending:
        for text in inputs.get(pending.pop(), ()):
            name = text.removeprefix("^").partition(":")[0]
            if name not in needed:
                needed.add(name)
                pending.append(name)
    return needed
