"""V1 checkpoints: one table, or several shards, that hold the tensors themselves as messages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tfprof.errors import LoadError
from tfprof.loaders.checkpoint.dtypes import STRING, Array, dtype_of
from tfprof.loaders.checkpoint.slice_key import key_prefix, key_suffix
from tfprof.loaders.checkpoint.storage import parse
from tfprof.loaders.checkpoint.table import Table
from tfprof.loaders.checkpoint.tensor import (
    TensorInfo,
    TensorSlice,
    assemble,
    check_cover,
    check_rank,
    shape_of,
    slice_of,
)
from tfprof.protos.checkpoint_pb2 import SavedSliceMeta, SavedTensorSlices
from tfprof.protos.graph_pb2 import TensorProto

_VERSION = 1
_META_KEY = b""

# How NumPy holds the numbers of a TensorProto's fields.
_FIELDS = {
    "float_val": "<f4",
    "double_val": "<f8",
    "int_val": "<i4",
    "int64_val": "<i8",
    "bool_val": "u1",
    "scomplex_val": "<f4",
    "dcomplex_val": "<f8",
    "half_val": "<i4",
    "uint32_val": "<u4",
    "uint64_val": "<u8",
}


@dataclass(frozen=True, slots=True)
class SavedTensor:
    """A tensor and its parts: in which table, which slice."""

    dtype: int
    shape: tuple[int, ...]
    parts: tuple[tuple[Table, TensorSlice], ...]


@dataclass(frozen=True, slots=True)
class SliceTables:
    """A V1 checkpoint by the lists at the start of its tables; data is read when asked for."""

    path: Path
    saved: Mapping[str, SavedTensor]
    tensors: dict[str, TensorInfo]

    def read(self, name: str) -> Array:
        """The values of a tensor, put together from its slices."""
        saved = self.saved[name]
        where = f"{self.path}: tensor {name!r}"
        check_rank(saved.shape, where)
        slices = [part for _, part in saved.parts]
        # Without repeats each part has bytes of its own, so that the file bounds what is read.
        if not slices or len(set(slices)) != len(slices):
            raise LoadError(f"{where}: has no slices, or one of them twice; write it again")
        check_cover(slices, saved.shape, where)
        prefix = key_prefix(name.encode())
        # In the order of keys each block is read once.
        parts = sorted(saved.parts, key=lambda part: key_suffix(part[1].extents))
        values = [
            (part, _part_values(name, saved.dtype, table, part, prefix)) for table, part in parts
        ]
        return assemble(values, saved.shape, where)


def open_slice_tables(tables: Sequence[Table], path: Path) -> SliceTables:
    """A V1 checkpoint from the lists of its tables; `path` names it in errors."""
    saved: dict[str, SavedTensor] = {}
    for table in tables:
        message = parse(SavedTensorSlices, table.get(_META_KEY) or b"", table.path, "the list")
        if message.meta.versions.min_consumer > _VERSION:
            raise LoadError(
                f"{table.path}: needs a reader of version {message.meta.versions.min_consumer}, "
                f"this is {_VERSION}; save it with an older TensorFlow"
            )
        for meta in message.meta.tensor:
            tensor = _saved_tensor(meta, table)
            known = saved.get(meta.name, replace(tensor, parts=()))
            if (known.dtype, known.shape) != (tensor.dtype, tensor.shape):
                raise LoadError(
                    f"{table.path}: tensor {meta.name!r} is of another type or shape than in "
                    "another shard; they are of different checkpoints"
                )
            if known.parts and known.parts[-1][0] is table:
                raise LoadError(
                    f"{table.path}: tensor {meta.name!r} is listed twice; write it again"
                )
            saved[meta.name] = replace(known, parts=known.parts + tensor.parts)
    return SliceTables(path, saved, {name: _info(name, saved[name]) for name in sorted(saved)})


def _saved_tensor(meta: SavedSliceMeta, table: Table) -> SavedTensor:
    where = f"{table.path}: tensor {meta.name!r}"
    shape = shape_of(meta.shape, where)
    parts = tuple((table, slice_of(part, shape, where)) for part in meta.slice)
    return SavedTensor(meta.type, shape, parts)


def _info(name: str, saved: SavedTensor) -> TensorInfo:
    dtype = dtype_of(saved.dtype)
    size = math.prod(saved.shape) * dtype.itemsize if dtype.itemsize else None
    return TensorInfo(name, dtype.name, saved.shape, size)


def _part_values(name: str, dtype: int, table: Table, part: TensorSlice, prefix: bytes) -> Array:
    where = f"{table.path}: tensor {name!r}"
    stored = table.get(prefix + key_suffix(part.extents))
    if stored is None:
        raise LoadError(f"{where}: a slice of it is not in the file; write it again")
    data = parse(SavedTensorSlices, stored, table.path, f"tensor {name!r}").data.data
    values = _values(data, dtype, where)
    if len(values) != math.prod(part.shape):
        raise LoadError(
            f"{where}: has {len(values)} values where its shape needs {math.prod(part.shape)}"
        )
    return values.reshape(part.shape)


def _values(data: TensorProto, number: int, where: str) -> Array:
    """The values of a message as a flat array."""
    dtype = dtype_of(number)
    if not dtype.field:
        raise LoadError(f"{where}: values of {dtype.name} cannot be read")
    values = getattr(data, dtype.field)
    if number == STRING:
        strings = np.empty(len(values), object)
        strings[:] = list(values)
        return strings
    if dtype.field == "float8_val":
        return dtype.widen(np.frombuffer(values, dtype.stored))
    numbers = np.fromiter(values, _FIELDS[dtype.field], count=len(values))
    if dtype.field in ("scomplex_val", "dcomplex_val"):
        pairs = numbers[: len(numbers) // 2 * 2]
        return pairs.view(dtype.stored)
    if dtype.field == "half_val":
        return dtype.widen(numbers.astype("<u2").view(dtype.stored))
    return dtype.widen(numbers.astype(dtype.stored))
