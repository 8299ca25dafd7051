"""What is known about a tensor, within bounds: sizes that TensorFlow can have, values of its types.

Integers wrap as they do in TensorFlow. A size beyond 64 bits is unknown, and one with too many
symbols becomes a symbol of its own. So the work per node does not grow along a graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tfprof.definitions.limits import MAX_ELEMENT_DEPTH, MAX_RANK, MAX_SIZE_WEIGHT
from tfprof.flops.polynomial import Count, Polynomial, exact, large_symbol
from tfprof.flops.tensors import TYPE_SIZES, Dim, Dims, Tensor, Value
from tfprof.protos.graph_pb2 import DataType

_SIZE_END = 1 << 63
_UNSIGNED = {
    DataType.DT_UINT8,
    DataType.DT_UINT16,
    DataType.DT_UINT32,
    DataType.DT_UINT64,
    DataType.DT_QUINT8,
    DataType.DT_QUINT16,
}


def limit_tensors(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Tensors whose sizes, values and elements are within bounds."""
    distinct = {id(tensor.shape): tensor.shape for tensor in tensors}
    shapes = {key: _limit_shape(shape) for key, shape in distinct.items()}
    return tuple(_limit_tensor(tensor, shapes[id(tensor.shape)]) for tensor in tensors)


def _limit_tensor(tensor: Tensor, shape: Dims | None) -> Tensor:
    """A tensor of a shape within bounds, whose values and elements are so, too."""
    value = tensor.value
    if shape is None:
        value = None
    elif value is not None:
        value = _limit_value(value, tensor.dtype)
    if shape is not tensor.shape or value is not tensor.value:
        tensor = replace(tensor, shape=shape, value=value)
    if tensor.element is not None and _element_depth(tensor) > MAX_ELEMENT_DEPTH:
        tensor = replace(tensor, element=None)
    return tensor


def _limit_shape(shape: Dims | None) -> Dims | None:
    if shape is None or all(type(size) is int and size < _SIZE_END for size in shape):
        return None if shape is not None and len(shape) > MAX_RANK else shape
    return None if len(shape) > MAX_RANK else tuple(map(_limit_size, shape))


def _limit_size(size: Dim) -> Dim:
    if size is None:
        return None
    return _limit_symbols(size) if isinstance(size, Polynomial) else _known_size(size)


def _known_size(size: int) -> int | None:
    return size if -_SIZE_END <= size < _SIZE_END else None


def _limit_value(value: Value, dtype: int) -> Value:
    bits = 8 * TYPE_SIZES.get(dtype % 100, 8)
    half = 1 << (bits - 1)
    lowest = 0 if dtype % 100 in _UNSIGNED else -half
    if all(type(item) is int and lowest <= item < lowest + 2 * half for item in value):
        return value
    return tuple(
        _limit_symbols(item)
        if isinstance(item, Polynomial)
        else None
        if item is None
        else (item - lowest) % (2 * half) + lowest
        for item in value
    )


def _limit_symbols(size: Polynomial) -> Count | None:
    """A size with symbols; nothing is known of what cannot be one."""
    if any(not -_SIZE_END <= coefficient < _SIZE_END for coefficient in size.terms.values()):
        return None
    return size if size.weight <= MAX_SIZE_WEIGHT else large_symbol(exact(size))


def _element_depth(tensor: Tensor) -> int:
    depth, element = 0, tensor.element
    while element is not None:
        depth, element = depth + 1, element.element
    return depth
