"""What is known about a tensor before anything runs: type, shape, small integer values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tfprof.definitions.limits import MAX_RANK
from tfprof.flops.polynomial import Count, product
from tfprof.protos.graph_pb2 import DataType, TensorProto, TensorShapeProto

Dim = Count | None
"""A size: a number, a polynomial over symbols, or None if nothing is known."""

Dims = tuple[Dim, ...]
"""Sizes in order. A shape of unknown rank is None."""

Value = tuple[Dim, ...]

MAX_VALUES = 1024
"""Larger constants are not followed: they are data, not shape arithmetic."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """What is known about one tensor."""

    dtype: int = 0
    shape: Dims | None = None
    value: Value | None = None
    """The elements in row-major order, of small integer tensors."""
    element: Tensor | None = None
    """For a handle: what the variable holds, or each element of the list."""
    length: Dim = None
    """For a tensor list: the number of its elements."""
    filled: int = 0
    """For a tensor list: 0 if nothing was put into it, 1 for one element, 2 for any number."""
    at_least: Value | None = None
    """A lower bound of the elements, where a maximum gives one."""

    def array(self) -> npt.NDArray[np.object_] | None:
        """The value as an array of numbers, polynomials and None."""
        if self.value is None or self.shape is None:
            return None
        sizes = [size for size in self.shape if isinstance(size, int)]
        flat = np.empty(len(self.value), dtype=object)
        flat[:] = self.value
        return flat.reshape(sizes)


UNKNOWN = Tensor()

_FLOATS: dict[int, int] = {
    DataType.DT_FLOAT: 4,
    DataType.DT_DOUBLE: 8,
    DataType.DT_HALF: 2,
    DataType.DT_BFLOAT16: 2,
    DataType.DT_COMPLEX64: 8,
    DataType.DT_COMPLEX128: 16,
    DataType.DT_FLOAT8_E5M2: 1,
    DataType.DT_FLOAT8_E4M3FN: 1,
    DataType.DT_FLOAT8_E4M3FNUZ: 1,
    DataType.DT_FLOAT8_E4M3B11FNUZ: 1,
    DataType.DT_FLOAT8_E5M2FNUZ: 1,
}
_INTEGERS: dict[int, int] = {
    DataType.DT_INT32: 4,
    DataType.DT_INT64: 8,
    DataType.DT_INT16: 2,
    DataType.DT_INT8: 1,
    DataType.DT_UINT8: 1,
    DataType.DT_UINT16: 2,
    DataType.DT_UINT32: 4,
    DataType.DT_UINT64: 8,
    DataType.DT_BOOL: 1,
    DataType.DT_QINT8: 1,
    DataType.DT_QUINT8: 1,
    DataType.DT_QINT16: 2,
    DataType.DT_QUINT16: 2,
    DataType.DT_QINT32: 4,
}
TYPE_SIZES: Mapping[int, int] = {**_FLOATS, **_INTEGERS}
"""Bytes per element, of types that have a fixed size."""


def is_float(dtype: int) -> bool:
    """Whether arithmetic on the type is floating point; an unknown type is taken to be."""
    return dtype == 0 or dtype % 100 in _FLOATS


def dims_of(message: TensorShapeProto) -> Dims | None:
    """A shape message; unknown sizes are None."""
    if message.unknown_rank or len(message.dim) > MAX_RANK:
        return None
    return tuple(dim.size if dim.size >= 0 else None for dim in message.dim)


def dims_of_sizes(sizes: Sequence[int]) -> Dims | None:
    """A shape of a profile's column: there [] is an unknown rank, and [1] may also be a scalar."""
    if not sizes or sizes == [1]:
        return None
    return tuple(size if size >= 0 else None for size in sizes)


@lru_cache(maxsize=4096)
def elements(shape: Dims | None) -> Dim:
    """The number of elements, if every size is known; an empty tensor is empty whatever else."""
    if shape is None:
        return None
    if any(size == 0 for size in shape):
        return 0
    known = [size for size in shape if size is not None]
    return product(known) if len(known) == len(shape) else None


def merge_dims(left: Dims | None, right: Dims | None) -> tuple[Dims | None, bool]:
    """The shape that two partial shapes describe, and whether they agree.

    A number wins over a symbol. Where two numbers differ, nothing is known.
    """
    if left is None or right is None:
        return (right if left is None else left), True
    if len(left) != len(right):
        return None, False
    agree = True
    merged: list[Dim] = []
    for a, b in zip(left, right, strict=True):
        if isinstance(a, int) and isinstance(b, int) and a != b:
            agree = False
            merged.append(None)
        else:
            merged.append(a if b is None or (a is not None and not isinstance(b, int)) else b)
    return tuple(merged), agree


def refine(tensor: Tensor, other: Tensor) -> Tensor:
    """A tensor with the type and sizes that another description adds."""
    shape, _ = merge_dims(tensor.shape, other.shape)
    return replace(tensor, dtype=tensor.dtype or other.dtype, shape=shape)


def join_tensors(a: Tensor, b: Tensor) -> Tensor:
    """What holds for both of two tensors."""
    if a == b:
        return a
    shape: Dims | None = None
    if a.shape is not None and b.shape is not None and len(a.shape) == len(b.shape):
        pairs = zip(a.shape, b.shape, strict=True)
        shape = tuple(m if m == n else None for m, n in pairs)
    element = None
    if a.element is not None and b.element is not None:
        # A list that is still empty says nothing about what another one holds.
        if a.filled and b.filled:
            element = join_tensors(a.element, b.element)
        else:
            element = b.element if b.filled else a.element
    return Tensor(
        a.dtype if a.dtype == b.dtype else 0,
        shape,
        a.value if a.value == b.value else None,
        element,
        a.length if a.length == b.length else None,
        max(a.filled, b.filled),
    )


def read_constant(message: TensorProto) -> Tensor:
    """A constant; its value is read if it is a small integer or boolean one."""
    shape = dims_of(message.tensor_shape)
    dtype = int(message.dtype)
    count = elements(shape)
    if not isinstance(count, int) or count > MAX_VALUES:
        return Tensor(dtype, shape)
    return Tensor(dtype, shape, _value(message, count))


_READERS: Mapping[int, tuple[str, str]] = {
    DataType.DT_INT32: ("<i4", "int_val"),
    DataType.DT_INT64: ("<i8", "int64_val"),
    DataType.DT_BOOL: ("?", "bool_val"),
    DataType.DT_INT16: ("<i2", "int_val"),
    DataType.DT_INT8: ("i1", "int_val"),
    DataType.DT_UINT8: ("u1", "int_val"),
}


def _value(message: TensorProto, count: int) -> Value | None:
    reader = _READERS.get(message.dtype)
    if reader is None:
        return None
    layout, field = reader
    content = message.tensor_content
    if content and len(content) != count * np.dtype(layout).itemsize:
        return None
    numbers = np.frombuffer(content, layout).tolist() if content else getattr(message, field)
    values = [int(number) for number in numbers[:count]]
    # The encoding leaves out a run of equal values at the end, zeros altogether.
    last = values[-1] if values else 0
    return tuple(values + [last] * (count - len(values)))
