"""Values of shape arithmetic: small integer tensors followed through the graph, with symbols."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tfprof.flops.polynomial import Count
from tfprof.flops.shapes import arithmetic
from tfprof.flops.shapes.arithmetic import Array, ValueRule, make_ufunc, maximum, minimum
from tfprof.flops.shapes.elementwise import broadcast
from tfprof.flops.shapes.inference_context import IndeterminateError, InferenceContext, each
from tfprof.flops.shapes.slices import strided_ranges
from tfprof.flops.tensors import MAX_VALUES, Dim, elements


def _numbers(values: Iterable[Dim], shape: tuple[int, ...] | None = None) -> Array:
    items = list(values)
    flat = np.empty(len(items), dtype=object)
    flat[:] = items
    return flat if shape is None else flat.reshape(shape)


def _shape(c: InferenceContext) -> list[Array | None]:
    if len(c.inputs) > 1:
        c.check_outputs(len(c.inputs))
    shapes = {id(shape): shape for shape in map(c.dims, range(len(c.inputs)))}
    arrays = {key: _numbers(shape) for key, shape in shapes.items()}
    return [arrays[id(tensor.shape)] for tensor in c.inputs]


def _variable_shape(c: InferenceContext) -> list[Array | None]:
    shape = c.element(0).shape
    return [None if shape is None else _numbers(shape)]


def _strided_slice(c: InferenceContext) -> list[Array | None]:
    source = c.array(0)
    index: list[slice | int | None] = []
    for part in strided_ranges(c, source.shape, 1):
        if part.axis is None:
            index.append(None)
        elif not isinstance(part.start, int):
            raise IndeterminateError
        elif part.drop:
            index.append(part.start)
        elif not isinstance(part.stop, int):
            raise IndeterminateError
        else:
            index.append(slice(part.start, part.stop if part.stop >= 0 else None, part.step))
    return [np.asarray(source[tuple(index)], dtype=object)]


def _slice(c: InferenceContext) -> list[Array | None]:
    source, begin, sizes = c.array(0), c.ints_in(1), c.ints_in(2)
    index = tuple(
        slice(start, None if size == -1 else start + size)
        for start, size in zip(begin, sizes, strict=True)
    )
    return [source[index]]


def _check_size(c: InferenceContext, parts: Iterable[int]) -> None:
    """Raise an error if inputs have too many elements together, before they are copied."""
    values = (c.inputs[index].value for index in parts)
    if sum(len(value) for value in values if value is not None) > MAX_VALUES:
        raise IndeterminateError


def _pack(c: InferenceContext) -> list[Array | None]:
    _check_size(c, range(len(c.inputs)))
    parts = []
    for tensor in c.inputs:
        array = tensor.array()
        if array is None and tensor.shape == ():
            array = _numbers([None], ())  # one unknown element does not hide the others
        if array is None:
            raise IndeterminateError
        parts.append(array)
    return [np.stack(parts, axis=c.number("axis"))]


def _unpack(c: InferenceContext) -> list[Array | None]:
    source, axis = c.array(0), c.number("axis")
    return [np.asarray(source.take(i, axis=axis), object) for i in range(source.shape[axis])]


def _concat(c: InferenceContext, parts: range, axis_input: int) -> list[Array | None]:
    _check_size(c, parts)
    arrays = []
    for index in parts:
        array = c.inputs[index].array()
        arrays.append(_numbers(c.vector(index)) if array is None else array)
    return [np.concatenate(arrays, axis=c.ints_in(axis_input)[0])]


def _concat_v2(c: InferenceContext) -> list[Array | None]:
    count = c.number("N", len(c.inputs) - 1)
    return _concat(c, range(count), count)


def _reduction(function: Callable[[Any, Any], Any], initial: int | None) -> ValueRule:
    ufunc = make_ufunc(function, 2)

    def rule(c: InferenceContext) -> list[Array | None]:
        array = c.array(0)
        axes = tuple({c.axis(axis, array.ndim) for axis in c.ints_in(1)})
        for axis in axes:
            array = ufunc.reduce(array, axis=axis, keepdims=True, initial=initial)
        return [array if c.flag("keep_dims") else np.asarray(array.squeeze(axes), dtype=object)]

    return rule


def _squeeze(c: InferenceContext) -> list[Array | None]:
    source, axes = c.array(0), c.ints("squeeze_dims")
    return [np.asarray(source.squeeze(axes or None), dtype=object)]


def _gather(c: InferenceContext) -> list[Array | None]:
    source = c.array(0)
    axis = c.ints_in(2)[0] if len(c.inputs) > 2 else 0
    if c.number("batch_dims"):
        raise IndeterminateError
    indices = np.asarray(c.array(1).astype(np.int64))
    return [np.asarray(source.take(indices, axis=axis), dtype=object)]


def _range(c: InferenceContext) -> list[Array | None]:
    start, stop, step = (c.ints_in(index)[0] for index in range(3))
    numbers = range(start, stop, step)
    if len(numbers) > MAX_VALUES:
        raise IndeterminateError
    return [_numbers(numbers)]


def _fill(c: InferenceContext) -> list[Array | None]:
    shape = c.ints_in(0)
    if int(np.prod(shape, dtype=object)) > MAX_VALUES:
        raise IndeterminateError
    return [np.full(shape, c.value(1)[0], dtype=object)]


def _like(number: int) -> ValueRule:
    def rule(c: InferenceContext) -> list[Array | None]:
        shape = c.dims(0)
        sizes = tuple(size for size in shape if isinstance(size, int))
        if len(sizes) != len(shape) or int(np.prod(sizes, dtype=object)) > MAX_VALUES:
            raise IndeterminateError
        return [np.full(sizes, number, dtype=object)]

    return rule


def _select(c: InferenceContext) -> list[Array | None]:
    lifted = np.frompyfunc(lambda c, a, b: None if c is None else a if c else b, 3, 1)
    parts = [c.array(index) for index in range(3)]
    return [np.asarray(lifted(*parts), dtype=object)]


def _broadcast_args(c: InferenceContext) -> list[Array | None]:
    shape = broadcast(c, c.value(0), c.value(1))
    return [None if shape is None else _numbers(shape)]


def _gradient_args(c: InferenceContext) -> list[Array | None]:
    """BroadcastGradientArgs: the axes along which each operand was repeated."""
    left, right = c.value(0), c.value(1)
    rank = max(len(left), len(right))
    a, b = (1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right
    if None in a or None in b:
        raise IndeterminateError
    if left == right:
        return [_numbers([]), _numbers([])]
    return [
        _numbers(i for i, size in enumerate(a) if size == 1),
        _numbers(i for i, size in enumerate(b) if size == 1),
    ]


def _split(c: InferenceContext) -> list[Array | None]:
    parts = np.split(c.array(1), c.output_count("num_split"), axis=c.ints_in(0)[0])
    return [np.asarray(part, dtype=object) for part in parts]


def _split_v(c: InferenceContext) -> list[Array | None]:
    source, sizes, axis = c.array(0), list(c.ints_in(1)), c.ints_in(2)[0]
    if -1 in sizes:
        sizes[sizes.index(-1)] = source.shape[axis] - sum(sizes) - 1
    return list(np.split(source, np.cumsum(sizes)[:-1], axis=axis))


def _tile(c: InferenceContext) -> list[Array | None]:
    repeats = c.ints_in(1)
    source = c.array(0)
    if source.size * int(np.prod(repeats, dtype=object)) > MAX_VALUES:
        raise IndeterminateError
    return [np.tile(source, repeats)]


def _stitch(c: InferenceContext) -> list[Array | None]:
    count = len(c.inputs) // 2
    items: dict[int, Dim] = {}
    for index in range(count):
        data = c.inputs[count + index]
        if data.shape != c.shape(index):
            raise IndeterminateError  # elements that are not scalars
        items.update(zip(c.ints_in(index), c.value(count + index), strict=True))
    count = max(items, default=-1) + 1
    if count > MAX_VALUES:
        raise IndeterminateError
    return [_numbers(items.get(i) for i in range(count))]


def _cumsum(c: InferenceContext) -> list[Array | None]:
    source = c.array(0)
    if c.flag("reverse") or source.ndim != 1 or None in source:
        raise IndeterminateError
    sums: list[Dim] = []
    total: Count = 0
    for item in source:
        before, total = total, total + item
        sums.append(before if c.flag("exclusive") else total)
    return [_numbers(sums)]


RULES: dict[str, ValueRule] = {
    **each(
        "Identity StopGradient Cast PreventGradient Snapshot EnsureShape Enter RefEnter",
        lambda c: [c.array(0)],
    ),
    **each("Shape ShapeN", _shape),
    "VariableShape": _variable_shape,
    "Size": lambda c: [_numbers([elements(c.shape(0))], ())],
    "Rank": lambda c: [_numbers([len(c.dims(0))], ())],
    **arithmetic.RULES,
    "StridedSlice": _strided_slice,
    "Slice": _slice,
    "Pack": _pack,
    "Unpack": _unpack,
    "ConcatV2": _concat_v2,
    "Concat": lambda c: _concat(c, range(1, len(c.inputs)), 0),
    **each("Prod All", _reduction(operator.mul, 1)),
    "Sum": _reduction(operator.add, 0),
    "Max": _reduction(maximum, None),
    "Min": _reduction(minimum, None),
    "Any": _reduction(maximum, 0),
    "Reshape": lambda c: [c.array(0).reshape(c.ints_in(1))],
    "ExpandDims": lambda c: [np.expand_dims(c.array(0), c.ints_in(1)[0])],
    "Squeeze": _squeeze,
    **each("Gather GatherV2", _gather),
    "Range": _range,
    "Fill": _fill,
    "ZerosLike": _like(0),
    "OnesLike": _like(1),
    **each("Select SelectV2", _select),
    "BroadcastArgs": _broadcast_args,
    "BroadcastGradientArgs": _gradient_args,
    "Split": _split,
    "SplitV": _split_v,
    "InvertPermutation": lambda c: [_numbers(np.argsort(c.ints_in(0)).tolist())],
    "Transpose": lambda c: [c.array(0).transpose(c.ints_in(1))],
    "ReverseV2": lambda c: [np.flip(c.array(0), c.ints_in(1))],
    "Tile": _tile,
    "DynamicStitch": _stitch,
    "Cumsum": _cumsum,
}
"""Op types whose value is followed; the rule runs only on integer and boolean tensors."""
