"""Shapes and types of a SavedModel's variables, from the index of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from tfprof.errors import LoadError
from tfprof.protos.graph_pb2 import AttrValue, DataType, TensorShapeProto
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
    for name, shape, dtype in _variables(meta):
        if name not in saved:
            continue
        if not _agree(shape, saved[name][0]):
            wrong.add(name)
        elif _fill(shape, dtype, saved[name]):
            filled.add(name)
    notes = {
        "shapes are those of the saved values": filled,
        "saved values have other shapes than the graph, which counts": wrong,
    }
    return [f"{note}: {_listed(names)}" for note, names in notes.items() if names]


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)[:3]) + (" and others" if len(names) > 3 else "")


def _read(file: Path) -> _Saved:
    from tfprof.loaders.checkpoint import open_checkpoint

    checkpoint = open_checkpoint(file)
    types = {name.removeprefix("DT_").lower(): number for name, number in DataType.items()}
    types |= {
        "float16": DataType.DT_HALF,
        "float32": DataType.DT_FLOAT,
        "float64": DataType.DT_DOUBLE,
    }
    return {
        name: (checkpoint.tensors[key].shape, types.get(checkpoint.tensors[key].dtype, 0))
        for key, name in checkpoint.names.items()
    }


class _Type:
    """The field of a message that holds a type."""

    def __init__(self, owner: object, field: str) -> None:
        self._owner, self._field = owner, field

    @property
    def value(self) -> int:
        return int(getattr(self._owner, self._field))

    @value.setter
    def value(self, dtype: int) -> None:
        setattr(self._owner, self._field, dtype)


def _variables(meta: MetaGraphDef) -> Iterator[tuple[str, TensorShapeProto, _Type]]:
    """The variables of a model with the fields that hold their shapes and types."""
    for item in meta.object_graph_def.nodes:
        if item.HasField("variable"):
            yield item.variable.name, item.variable.shape, _Type(item.variable, "dtype")
    for node in meta.graph_def.node:
        if node.op in _KINDS:
            shared = node.attr["shared_name"].s.decode("utf-8", "replace")
            shape, dtype = _attribute(node.attr["shape"]), _Type(node.attr["dtype"], "type")
            yield shared or node.name, shape, dtype


def _attribute(value: AttrValue) -> TensorShapeProto:
    if not value.HasField("shape"):
        value.shape.unknown_rank = True
    return value.shape


def _agree(shape: TensorShapeProto, sizes: tuple[int, ...]) -> bool:
    stated = [dim.size for dim in shape.dim]
    return shape.unknown_rank or (
        len(stated) == len(sizes) and all(a in (-1, b) for a, b in zip(stated, sizes, strict=True))
    )


def _fill(shape: TensorShapeProto, dtype: _Type, saved: tuple[tuple[int, ...], int]) -> bool:
    """Complete one variable; whether there was anything to complete."""
    sizes, saved_type = saved
    complete = not shape.unknown_rank and all(dim.size >= 0 for dim in shape.dim)
    if complete and dtype.value:
        return False
    shape.Clear()
    shape.dim.extend(TensorShapeProto.Dim(size=size) for size in sizes)
    dtype.value = dtype.value or saved_type
    return True
