"""Shapes of ops that arrange elements anew: reshape, transpose, join, split, repeat, pad."""

from __future__ import annotations

from tfprof.flops.shapes.inference_context import (
    IndeterminateError,
    InferenceContext,
    ShapeRule,
    divide,
    each,
    plus,
    shape_of,
    sizes_from,
    times,
)
from tfprof.flops.tensors import Dims, elements, merge_dims


def _reshape(c: InferenceContext) -> list[Dims | None]:
    target = c.inputs[1].value
    if target is None:
        return [c.sizes_in(1)]
    if target.count(-1) > 1:
        raise IndeterminateError
    if -1 not in target:
        return [target]
    others = [size for size in target if size != -1]
    missing = divide(elements(c.shape(0)), times(*others))
    return [tuple(missing if size == -1 else size for size in target)]


def _transpose(c: InferenceContext) -> list[Dims | None]:
    dims = c.dims(0)
    if c.inputs[1].value is None:
        return [(None,) * len(dims)]
    return [tuple(dims[c.axis(axis, len(dims))] for axis in c.ints_in(1))]


def _expand_dims(c: InferenceContext) -> list[Dims | None]:
    dims = c.dims(0)
    axis = c.axis(c.ints_in(1)[0], len(dims) + 1)
    return [(*dims[:axis], 1, *dims[axis:])]


def _squeeze(c: InferenceContext) -> list[Dims | None]:
    dims = c.dims(0)
    axes = {c.axis(axis, len(dims)) for axis in c.ints("squeeze_dims")}
    if not axes:
        # A symbol may turn out to be 1, and the axis would go.
        if not all(isinstance(size, int) for size in dims):
            raise IndeterminateError
        axes = {i for i, size in enumerate(dims) if size == 1}
    return [tuple(size for i, size in enumerate(dims) if i not in axes)]


def _concat(c: InferenceContext, parts: range, axis_input: int) -> list[Dims | None]:
    shapes = [c.dims(index) for index in parts]
    rank = len(shapes[0])
    if any(len(shape) != rank for shape in shapes):
        raise IndeterminateError
    axis = c.axis(c.ints_in(axis_input)[0], rank)
    merged: Dims | None = shapes[0]
    for shape in {id(shape): shape for shape in shapes}.values():
        merged, _ = merge_dims(merged, (*shape[:axis], None, *shape[axis + 1 :]))
    merged = merged or shapes[0]
    total = plus(*(shape[axis] for shape in shapes))
    return [(*merged[:axis], total, *merged[axis + 1 :])]


def _concat_v2(c: InferenceContext) -> list[Dims | None]:
    count = c.number("N", len(c.inputs) - 1)
    return _concat(c, range(count), count)


def _split(c: InferenceContext) -> list[Dims | None]:
    dims, count = c.dims(1), c.output_count("num_split")
    axis = c.axis(c.ints_in(0)[0], len(dims))
    return [(*dims[:axis], divide(dims[axis], count), *dims[axis + 1 :])] * count


def _split_v(c: InferenceContext) -> list[Dims | None]:
    dims, sizes = c.dims(0), list(c.value(1))
    axis = c.axis(c.ints_in(2)[0], len(dims))
    if sizes.count(-1) == 1:
        others = plus(*(size for size in sizes if size != -1))
        sizes[sizes.index(-1)] = plus(dims[axis], times(-1, others))
    return [(*dims[:axis], size, *dims[axis + 1 :]) for size in sizes]


def _pack(c: InferenceContext) -> list[Dims | None]:
    dims: Dims | None = c.dims(0)
    for shape in c.distinct_shapes(1):
        dims, _ = merge_dims(dims, shape)
    if dims is None:
        raise IndeterminateError
    axis = c.axis(c.number("axis"), len(dims) + 1)
    return [(*dims[:axis], len(c.inputs), *dims[axis:])]


def _unpack(c: InferenceContext) -> list[Dims | None]:
    dims = c.dims(0)
    axis = c.axis(c.number("axis"), len(dims))
    return [dims[:axis] + dims[axis + 1 :]] * c.output_count("num")


def _tile(c: InferenceContext) -> list[Dims | None]:
    dims, repeats = c.dims(0), c.sizes_in(1)
    return [tuple(times(size, count) for size, count in zip(dims, repeats, strict=True))]


def _pad(c: InferenceContext) -> list[Dims | None]:
    dims = c.dims(0)
    if c.inputs[1].value is None:
        return [(None,) * len(dims)]
    pads = c.value(1)
    return [tuple(plus(s, pads[2 * i], pads[2 * i + 1]) for i, s in enumerate(dims))]


def _mirror_pad_grad(c: InferenceContext) -> list[Dims | None]:
    dims, pads = c.dims(0), c.ints_in(1)
    return [tuple(plus(s, -pads[2 * i] - pads[2 * i + 1]) for i, s in enumerate(dims))]


def _gather(c: InferenceContext) -> list[Dims | None]:
    params, indices = c.dims(0), c.dims(1)
    batch = c.number("batch_dims")
    axis = c.ints_in(2)[0] if len(c.inputs) > 2 else batch
    axis = c.axis(axis, len(params))
    batch = batch % (len(indices) + 1) if batch < 0 else batch
    return [(*params[:axis], *indices[batch:], *params[axis + 1 :])]


def _gather_nd(c: InferenceContext) -> list[Dims | None]:
    params, indices = c.dims(0), c.dims(1)
    depth = indices[-1]
    if not isinstance(depth, int):
        raise IndeterminateError
    return [(*indices[:-1], *params[c.number("batch_dims") + depth :])]


def _one_hot(c: InferenceContext) -> list[Dims | None]:
    dims = c.dims(0)
    axis = c.axis(c.number("axis", -1), len(dims) + 1)
    depth = c.inputs[1].value
    return [(*dims[:axis], depth[0] if depth else None, *dims[axis:])]


def _broadcast_args(c: InferenceContext) -> list[Dims | None]:
    left, right = c.dims(0, 1)[0], c.dims(1, 1)[0]
    if isinstance(left, int) and isinstance(right, int):
        return [(max(left, right),)]
    raise IndeterminateError


def _dynamic_stitch(c: InferenceContext) -> list[Dims | None]:
    count = len(c.inputs) // 2
    largest = max((i for index in range(count) for i in c.ints_in(index)), default=-1)
    data, indices = c.dims(count), c.dims(0)
    return [(largest + 1, *data[len(indices) :])]


RULES: dict[str, ShapeRule] = {
    "Reshape": _reshape,
    **each("Transpose ConjugateTranspose", _transpose),
    "ExpandDims": _expand_dims,
    "Squeeze": _squeeze,
    "ConcatV2": _concat_v2,
    "Concat": lambda c: _concat(c, range(1, len(c.inputs)), 0),
    "ParallelConcat": lambda c: [(len(c.inputs), *c.dims(0)[1:])],
    "Split": _split,
    "SplitV": _split_v,
    "Pack": _pack,
    "Unpack": _unpack,
    "Tile": _tile,
    **each("Pad PadV2 MirrorPad", _pad),
    "MirrorPadGrad": _mirror_pad_grad,
    "BroadcastTo": sizes_from(1),
    "BroadcastArgs": _broadcast_args,
    **each("Gather GatherV2", _gather),
    "GatherNd": _gather_nd,
    "OneHot": _one_hot,
    "ScatterNd": sizes_from(2),
    **each("DynamicStitch ParallelDynamicStitch", _dynamic_stitch),
    "Where": lambda c: [(None, len(c.dims(0)))],
    "Unique": lambda c: [(None,), c.shape(0)],
    **each(
        "SegmentSum SegmentMean SegmentMax SegmentMin SegmentProd",
        lambda c: [(None, *c.dims(0)[1:])],
    ),
    "LookupTableFindV2": shape_of(1),
    "ConcatOffset": lambda c: [c.shape(index) for index in range(1, len(c.inputs))],
}
