"""Shapes and types of a SavedModel's variables, from the index of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tfprof.errors import LoadError
from tfprof.protos.graph_pb2 import AttrValue, TensorShapeProto
from tfprof.protos.saved_model_pb2 import MetaGraphDef

_INDEX = Path("variables", "variables.index")
_KINDS = ("VarHandleOp", "VariableV2", "Variable")
_Saved = Mapping[str, tuple[tuple[int, ...], int]]
"""Variable -> shape and type of its saved value."""


def complete_variables(meta: MetaGraphDef, folder: Path) -> list[str]:
    """Fill in shapes and types that a graph lacks; returns warnings, also about contradictions."""
    file = folder / _INDEX
    if not file.is_file():
        return []
    try:
        saved = _read(file)
    except LoadError as error:
        return [f"the saved variables cannot be read, their shapes are the graph's ({error})"]
    filled, wrong = set(), set()
    for name, shape, owner, field in _variables(meta):
        if name not in saved:
            continue
        sizes, dtype = saved[name]
        if not _agree(shape, sizes):
            wrong.add(name)
        elif not _is_known(shape) or not getattr(owner, field):
            shape.Clear()
            shape.dim.extend(TensorShapeProto.Dim(size=size) for size in sizes)
            setattr(owner, field, getattr(owner, field) or dtype)
            filled.add(name)
    notes = {
        "shapes are those of the saved values": filled,
        "saved values have other shapes than the graph, which counts": wrong,
    }
    return [f"{note}: {_join_names(names)}" for note, names in notes.items() if names]


def _join_names(names: set[str]) -> str:
    return ", ".join(sorted(names)[:3]) + (" and others" if len(names) > 3 else "")


def _read(file: Path) -> _Saved:
    from tfprof.loaders.checkpoint import open_checkpoint
    from tfprof.loaders.checkpoint.dtypes import DTYPES

    checkpoint = open_checkpoint(file)
    types = {dtype.name: number for number, dtype in DTYPES.items()}
    return {
        name: (checkpoint.tensors[key].shape, types.get(checkpoint.tensors[key].dtype, 0))
        for key, name in checkpoint.names.items()
    }


def _variables(meta: MetaGraphDef) -> Iterator[tuple[str, TensorShapeProto, Any, str]]:
    """The variables of a model: name, shape, and the message and field that hold the type."""
    for item in meta.object_graph_def.nodes:
        if item.HasField("variable"):
            yield item.variable.name, item.variable.shape, item.variable, "dtype"
    for node in meta.graph_def.node:
        if node.op in _KINDS:
            shared = node.attr["shared_name"].s.decode("utf-8", "replace")
            yield shared or node.name, _attribute(node.attr["shape"]), node.attr["dtype"], "type"


def _attribute(value: AttrValue) -> TensorShapeProto:
    if not value.HasField("shape"):
        value.shape.unknown_rank = True
    return value.shape


def _is_known(shape: TensorShapeProto) -> bool:
    return not shape.unknown_rank and all(dim.size >= 0 for dim in shape.dim)


def _agree(shape: TensorShapeProto, sizes: tuple[int, ...]) -> bool:
    stated = [dim.size for dim in shape.dim]
    return shape.unknown_rank or (
        len(stated) == len(sizes) and all(a in (-1, b) for a, b in zip(stated, sizes, strict=True))
    )
