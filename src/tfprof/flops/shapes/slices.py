"""Shapes of slices: Slice, StridedSlice with its masks, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tfprof.flops.atoms import ceil_div, extreme
from tfprof.flops.polynomial import Polynomial
from tfprof.flops.shapes.inference_context import (
    IndeterminateError,
    InferenceContext,
    ShapeRule,
    plus,
    shape_of,
    sizes_from,
    times,
)
from tfprof.flops.tensors import Dim, Dims


@dataclass(frozen=True, slots=True)
class Range:
    """What a StridedSlice does to one axis of its output: a new axis, one element, or a range."""

    axis: int | None
    drop: bool
    start: Dim
    stop: Dim
    step: int
    size: Dim


def strided_ranges(c: InferenceContext, dims: Sequence[Dim], first: int) -> list[Range]:
    """The slice spelled by inputs `first`, `first + 1`, `first + 2` (begin, end, strides)."""
    begin = c.vector(first)
    end = c.vector(first + 1)
    steps = c.ints_in(first + 2)
    bits = {
        name: c.number(f"{name}_mask")
        for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
    }
    used = sum(1 for i in range(len(steps)) if not (bits["new_axis"] | bits["ellipsis"]) >> i & 1)
    ranges: list[Range] = []
    axis = 0
    for i, step in enumerate(steps):
        if bits["ellipsis"] >> i & 1:
            for _ in range(len(dims) - used):
                ranges.append(Range(axis, False, 0, dims[axis], 1, dims[axis]))
                axis += 1
        elif bits["new_axis"] >> i & 1:
            ranges.append(Range(None, False, 0, 1, 1, 1))
        elif axis >= len(dims):
            raise IndeterminateError
        else:
            start = None if bits["begin"] >> i & 1 else (begin[i],)
            stop = None if bits["end"] >> i & 1 else (end[i],)
            if bits["shrink_axis"] >> i & 1:
                index = None if start is None else _from_start(start[0], dims[axis])
                ranges.append(Range(axis, True, index, None, step, 1))
            else:
                ranges.append(_range(axis, dims[axis], start, stop, step))
            axis += 1
    return ranges + [Range(i, False, 0, dims[i], 1, dims[i]) for i in range(axis, len(dims))]


def _from_start(index: Dim, size: Dim) -> Dim:
    """An index counted from the start; negative numbers count from the end."""
    if isinstance(index, Polynomial):
        negative = all(coefficient < 0 for coefficient in index.terms.values())
    else:
        negative = index is not None and index < 0
    return plus(size, index) if negative else index


def _range(
    axis: int, size: Dim, start: tuple[Dim] | None, stop: tuple[Dim] | None, step: int
) -> Range:
    first: Dim = (0 if step > 0 else plus(size, -1)) if start is None else start[0]
    last: Dim = (size if step > 0 else -1) if stop is None else stop[0]
    if start is not None:
        first = _clamp(_from_start(first, size), size, step)
    if stop is not None:
        last = _clamp(_from_start(last, size), size, step)
    span = times(plus(last, times(first, -1)), 1 if step > 0 else -1)
    length = None if span is None else extreme(ceil_div(span, abs(step)), 0, largest=True)
    return Range(axis, False, first, last, step, length)


def _clamp(index: Dim, size: Dim, step: int) -> Dim:
    """An index limited to the axis, where that can be decided."""
    low, high = (0, size) if step > 0 else (-1, plus(size, -1))
    if index is None:
        return None
    index = extreme(index, low, largest=True)
    if high is None:
        # Only the lower bound is known to hold: a number may reach beyond an unknown size.
        return index if index == low else None
    return extreme(index, high, largest=False)


def _strided_slice(c: InferenceContext) -> list[Dims | None]:
    ranges = strided_ranges(c, c.dims(0), 1)
    return [tuple(part.size for part in ranges if not part.drop)]


def _slice(c: InferenceContext) -> list[Dims | None]:
    dims, begin, sizes = c.dims(0), c.vector(1), c.vector(2)
    return [
        tuple(
            plus(size, times(start, -1)) if length == -1 else length
            for size, start, length in zip(dims, begin, sizes, strict=True)
        )
    ]


RULES: dict[str, ShapeRule] = {
    "StridedSlice": _strided_slice,
    "StridedSliceGrad": sizes_from(0),
    "Slice": _slice,
    "TensorStridedSliceUpdate": shape_of(0),
}
