"""A tensor in a checkpoint's index, and its values assembled from slices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tfprof.errors import LoadError
from tfprof.loaders.checkpoint.dtypes import Array
from tfprof.protos.checkpoint_pb2 import TensorSliceProto
from tfprof.protos.graph_pb2 import TensorShapeProto

_WHOLE = -1
_MAX_ELEMENTS = 1 << 48
_MAX_DIMENSIONS = 254  # TensorFlow's own limit
_NUMPY_DIMENSIONS = 32  # of NumPy 1; 64 since NumPy 2


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """A tensor as the index has it; `size` in bytes, None where the index lacks it (V1 strings)."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    size: int | None


@dataclass(frozen=True, slots=True)
class TensorSlice:
    """A box within a tensor; `extents` as they were written, `-1` for a whole dimension."""

    extents: tuple[tuple[int, int], ...]
    starts: tuple[int, ...]
    shape: tuple[int, ...]

    @property
    def index(self) -> tuple[slice, ...]:
        """The box as NumPy addresses it."""
        pairs = zip(self.starts, self.shape, strict=True)
        return tuple(slice(start, start + length) for start, length in pairs)


def shape_of(message: TensorShapeProto, where: str) -> tuple[int, ...]:
    """A fully known shape of a possible size; `where` begins the error."""
    shape = tuple(dimension.size for dimension in message.dim)
    if message.unknown_rank or any(size < 0 for size in shape):
        raise LoadError(f"{where}: its shape is not known; write the checkpoint again")
    # Zeros aside, because NumPy cannot address [0, 2**62] either.
    if len(shape) > _MAX_DIMENSIONS or math.prod(n for n in shape if n) > _MAX_ELEMENTS:
        raise LoadError(f"{where}: its shape is impossible; write the checkpoint again")
    return shape


def slice_of(message: TensorSliceProto, shape: tuple[int, ...], where: str) -> TensorSlice:
    """A slice that lies within a tensor of the given shape."""
    extents = tuple(
        (extent.start, extent.length if extent.HasField("length") else _WHOLE)
        for extent in message.extent
    )
    if len(extents) != len(shape):
        raise LoadError(f"{where}: a slice has {len(extents)} dimensions instead of {len(shape)}")
    lengths = []
    for (start, length), size in zip(extents, shape, strict=True):
        actual = size if length == _WHOLE else length
        if start < 0 or actual < 0 or start + actual > size:
            raise LoadError(f"{where}: a slice lies outside; write the checkpoint again")
        lengths.append(actual)
    return TensorSlice(extents, tuple(start for start, _ in extents), tuple(lengths))


def check_rank(shape: tuple[int, ...], where: str) -> None:
    """Refuse a shape that NumPy cannot hold."""
    if len(shape) > _NUMPY_DIMENSIONS:
        raise LoadError(f"{where}: values of {len(shape)} dimensions cannot be read")


def check_cover(slices: Sequence[TensorSlice], shape: tuple[int, ...], where: str) -> None:
    """Refuse slices whose sizes do not add up to the tensor's, before anything is allocated."""
    if sum(math.prod(part.shape) for part in slices) != math.prod(shape):
        raise LoadError(f"{where}: its slices do not cover it; some part was not saved")


def assemble(
    parts: Sequence[tuple[TensorSlice, Array]], shape: tuple[int, ...], where: str
) -> Array:
    """The tensor that the parts, whose sizes add up, are parts of."""
    if len(parts) == 1 and parts[0][0].shape == shape:
        return parts[0][1]
    tensor = np.empty(shape, parts[0][1].dtype)
    is_set = np.zeros(shape, np.bool_)
    for part, values in parts:
        tensor[part.index] = values
        is_set[part.index] = True
    if not is_set.all():
        raise LoadError(f"{where}: its slices overlap; write the checkpoint again")
    return tensor
