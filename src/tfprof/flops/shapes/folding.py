"""Values of shape arithmetic: small integer tensors followed through the graph, with symbols."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import numpy as np

from tfprof.flops.polynomial import Count
from tfprof.flops.shapes import arithmetic
from tfprof.flops.shapes.arithmetic import (
    Array,
    ValueRule,
    added,
    each_value,
    given,
    larger,
    multiplied,
    smaller,
)
from tfprof.flops.shapes.elementwise import broadcast
from tfprof.flops.shapes.inference_context import IndeterminateError, InferenceContext
from tfprof.flops.shapes.slices import strided
from tfprof.flops.tensors import MAX_VALUES, Dim, elements


def _numbers(values: Iterable[Dim], shape: tuple[int, ...] | None = None) -> Array:
    items = list(values)
    flat = np.empty(len(items), dtype=object)
    flat[:] = items
    return flat if shape is None else flat.reshape(shape)


def _same(site: InferenceContext) -> list[Array | None]:
    return [given(site, 0)]


def _shape(site: InferenceContext) -> list[Array | None]:
    return [_numbers(site.dims(index)) for index in range(len(site.inputs))]


def _size(site: InferenceContext) -> list[Array | None]:
    return [_numbers([elements(site.shape(0))], ())]


def _rank(site: InferenceContext) -> list[Array | None]:
    return [_numbers([len(site.dims(0))], ())]


def _variable_shape(site: InferenceContext) -> list[Array | None]:
    held = site.inputs[0].element
    if held is None or held.shape is None:
        raise IndeterminateError
    return [_numbers(held.shape)]


def _strided_slice(site: InferenceContext) -> list[Array | None]:
    source = given(site, 0)
    index: list[slice | int | None] = []
    for part in strided(site, source.shape, 1):
        if part.axis is None:
            index.append(None)
            continue
        if not isinstance(part.start, int):
            raise IndeterminateError
        if part.drop:
            index.append(part.start)
            continue
        if not isinstance(part.stop, int):
            raise IndeterminateError
        index.append(slice(part.start, part.stop if part.stop >= 0 else None, part.step))
    return [np.asarray(source[tuple(index)], dtype=object)]


def _slice(site: InferenceContext) -> list[Array | None]:
    source, begin, sizes = given(site, 0), site.ints_in(1), site.ints_in(2)
    index = tuple(
        slice(start, None if size == -1 else start + size)
        for start, size in zip(begin, sizes, strict=True)
    )
    return [source[index]]


def _pack(site: InferenceContext) -> list[Array | None]:
    parts = []
    for tensor in site.inputs:
        array = tensor.array()
        if array is None and tensor.shape == ():
            array = _numbers([None], ())  # one unknown element does not hide the others
        if array is None:
            raise IndeterminateError
        parts.append(array)
    return [np.stack(parts, axis=site.number("axis"))]


def _unpack(site: InferenceContext) -> list[Array | None]:
    source, axis = given(site, 0), site.number("axis")
    return [np.asarray(source.take(i, axis=axis), object) for i in range(source.shape[axis])]


def _joined(site: InferenceContext, parts: range, axis_input: int) -> list[Array | None]:
    arrays = []
    for index in parts:
        tensor = site.inputs[index]
        array = tensor.array()
        if array is None and tensor.shape is not None and len(tensor.shape) == 1:
            length = tensor.shape[0]
            if isinstance(length, int) and length <= MAX_VALUES:
                array = _numbers([None] * length)
        if array is None:
            raise IndeterminateError
        arrays.append(array)
    return [np.concatenate(arrays, axis=site.ints_in(axis_input)[0])]


def _concat_v2(site: InferenceContext) -> list[Array | None]:
    count = site.number("N", len(site.inputs) - 1)
    return _joined(site, range(count), count)


def _reduction(function: Callable[[Any, Any], Any], start: int | None) -> ValueRule:
    def rule(site: InferenceContext) -> list[Array | None]:
        source = given(site, 0)
        axes = {site.axis(axis, source.ndim) for axis in site.ints_in(1)}
        kept = tuple(1 if i in axes else n for i, n in enumerate(source.shape))
        moved = np.moveaxis(source, sorted(axes), range(-len(axes), 0)) if axes else source
        groups = moved.reshape(-1, int(np.prod([source.shape[i] for i in axes], dtype=int)))
        values: list[Dim] = []
        for group in groups:
            items = [*group] if start is None else [start, *group]
            values.append(None if None in items else reduce(function, items))
        shape = (
            kept
            if site.flag("keep_dims")
            else tuple(n for i, n in enumerate(source.shape) if i not in axes)
        )
        return [_numbers(values, shape)]

    return rule


def _reshape(site: InferenceContext) -> list[Array | None]:
    return [given(site, 0).reshape(site.ints_in(1))]


def _expand_dims(site: InferenceContext) -> list[Array | None]:
    return [np.expand_dims(given(site, 0), site.ints_in(1)[0])]


def _squeeze(site: InferenceContext) -> list[Array | None]:
    source, axes = given(site, 0), site.ints("squeeze_dims")
    return [np.asarray(source.squeeze(axes or None), dtype=object)]


def _gather(site: InferenceContext) -> list[Array | None]:
    source = given(site, 0)
    axis = site.ints_in(2)[0] if len(site.inputs) > 2 else 0
    if site.number("batch_dims"):
        raise IndeterminateError
    indices = np.asarray(given(site, 1).astype(np.int64))
    return [np.asarray(source.take(indices, axis=axis), dtype=object)]


def _range(site: InferenceContext) -> list[Array | None]:
    start, stop, step = (site.ints_in(index)[0] for index in range(3))
    numbers = range(start, stop, step)
    if len(numbers) > MAX_VALUES:
        raise IndeterminateError
    return [_numbers(numbers)]


def _fill(site: InferenceContext) -> list[Array | None]:
    shape = site.ints_in(0)
    if int(np.prod(shape, dtype=object)) > MAX_VALUES:
        raise IndeterminateError
    return [np.full(shape, site.value(1)[0], dtype=object)]


def _like(number: int) -> ValueRule:
    def rule(site: InferenceContext) -> list[Array | None]:
        shape = site.dims(0)
        sizes = tuple(size for size in shape if isinstance(size, int))
        if len(sizes) != len(shape) or int(np.prod(sizes, dtype=object)) > MAX_VALUES:
            raise IndeterminateError
        return [np.full(sizes, number, dtype=object)]

    return rule


def _select(site: InferenceContext) -> list[Array | None]:
    lifted = np.frompyfunc(lambda c, a, b: None if c is None else a if c else b, 3, 1)
    parts = [given(site, index) for index in range(3)]
    return [np.asarray(lifted(*parts), dtype=object)]


def _broadcast_args(site: InferenceContext) -> list[Array | None]:
    shape = broadcast(site, site.value(0), site.value(1))
    return [None if shape is None else _numbers(shape)]


def _gradient_args(site: InferenceContext) -> list[Array | None]:
    """BroadcastGradientArgs: the axes along which each operand was repeated."""
    left, right = site.value(0), site.value(1)
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


def _split(site: InferenceContext) -> list[Array | None]:
    parts = np.split(given(site, 1), site.number("num_split"), axis=site.ints_in(0)[0])
    return [np.asarray(part, dtype=object) for part in parts]


def _split_v(site: InferenceContext) -> list[Array | None]:
    source, sizes, axis = given(site, 0), list(site.ints_in(1)), site.ints_in(2)[0]
    if -1 in sizes:
        sizes[sizes.index(-1)] = source.shape[axis] - sum(sizes) - 1
    return list(np.split(source, np.cumsum(sizes)[:-1], axis=axis))


def _inverse(site: InferenceContext) -> list[Array | None]:
    return [_numbers(np.argsort(site.ints_in(0)).tolist())]


def _transpose(site: InferenceContext) -> list[Array | None]:
    return [given(site, 0).transpose(site.ints_in(1))]


def _reverse(site: InferenceContext) -> list[Array | None]:
    return [np.flip(given(site, 0), site.ints_in(1))]


def _tile(site: InferenceContext) -> list[Array | None]:
    repeats = site.ints_in(1)
    source = given(site, 0)
    if source.size * int(np.prod(repeats, dtype=object)) > MAX_VALUES:
        raise IndeterminateError
    return [np.tile(source, repeats)]


def _stitch(site: InferenceContext) -> list[Array | None]:
    count = len(site.inputs) // 2
    found: dict[int, Dim] = {}
    for index in range(count):
        data = site.inputs[count + index]
        if data.shape != site.shape(index):
            raise IndeterminateError  # elements that are not scalars
        found.update(zip(site.ints_in(index), site.value(count + index), strict=True))
    return [_numbers(found.get(i) for i in range(max(found, default=-1) + 1))]


def _cumsum(site: InferenceContext) -> list[Array | None]:
    source = given(site, 0)
    if site.flag("reverse") or source.ndim != 1 or None in source:
        raise IndeterminateError
    sums: list[Dim] = []
    total: Count = 0
    for item in source:
        before, total = total, total + item
        sums.append(before if site.flag("exclusive") else total)
    return [_numbers(sums)]


RULES: dict[str, ValueRule] = {
    **each_value(
        "Identity StopGradient Cast PreventGradient Snapshot EnsureShape Enter RefEnter", _same
    ),
    **each_value("Shape ShapeN", _shape),
    "VariableShape": _variable_shape,
    "Size": _size,
    "Rank": _rank,
    **arithmetic.RULES,
    "StridedSlice": _strided_slice,
    "Slice": _slice,
    "Pack": _pack,
    "Unpack": _unpack,
    "ConcatV2": _concat_v2,
    "Concat": lambda site: _joined(site, range(1, len(site.inputs)), 0),
    "Prod": _reduction(multiplied, 1),
    "Sum": _reduction(added, 0),
    "Max": _reduction(larger, None),
    "Min": _reduction(smaller, None),
    "All": _reduction(multiplied, 1),
    "Any": _reduction(larger, 0),
    "Reshape": _reshape,
    "ExpandDims": _expand_dims,
    "Squeeze": _squeeze,
    **each_value("Gather GatherV2", _gather),
    "Range": _range,
    "Fill": _fill,
    "ZerosLike": _like(0),
    "OnesLike": _like(1),
    **each_value("Select SelectV2", _select),
    "BroadcastArgs": _broadcast_args,
    "BroadcastGradientArgs": _gradient_args,
    "Split": _split,
    "SplitV": _split_v,
    "InvertPermutation": _inverse,
    "Transpose": _transpose,
    "ReverseV2": _reverse,
    "Tile": _tile,
    "DynamicStitch": _stitch,
    "Cumsum": _cumsum,
}
"""Op types whose value is followed; the rule runs only on integer and boolean tensors."""
