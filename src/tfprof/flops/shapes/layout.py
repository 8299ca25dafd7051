"""Shapes of ops that arrange elements anew: reshape, transpose, join, split, repeat, pad."""

from __future__ import annotations

from tfprof.flops.shapes.inference_context import (
    IndeterminateError,
    InferenceContext,
    ShapeRule,
    divide,
    each,
    plus,
    times,
)
from tfprof.flops.tensors import Dim, Dims, elements, merge_dims


def _reshape(site: InferenceContext) -> list[Dims | None]:
    target = site.inputs[1].value
    if target is None:
        return [site.sizes_in(1)]
    if target.count(-1) > 1:
        raise IndeterminateError
    if -1 not in target:
        return [target]
    others = [size for size in target if size != -1]
    total = elements(site.shape(0))
    missing = divide(total, times(*others))
    return [tuple(missing if size == -1 else size for size in target)]


def _transpose(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0)
    order = site.inputs[1].value
    if order is None:
        return [(None,) * len(dims)]
    return [tuple(dims[site.axis(axis, len(dims))] for axis in site.ints_in(1))]


def _expand_dims(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0)
    axis = site.axis(site.ints_in(1)[0], len(dims) + 1)
    return [(*dims[:axis], 1, *dims[axis:])]


def _squeeze(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0)
    given = site.ints("squeeze_dims")
    axes = {site.axis(axis, len(dims)) for axis in given}
    if not axes:
        # A symbol may turn out to be 1, and the axis would go.
        if not all(isinstance(size, int) for size in dims):
            raise IndeterminateError
        axes = {i for i, size in enumerate(dims) if size == 1}
    return [tuple(size for i, size in enumerate(dims) if i not in axes)]


def _concat(site: InferenceContext, parts: range, axis_input: int) -> list[Dims | None]:
    shapes = [site.dims(index) for index in parts]
    rank = len(shapes[0])
    if any(len(shape) != rank for shape in shapes):
        raise IndeterminateError
    axis = site.axis(site.ints_in(axis_input)[0], rank)
    joined: Dims | None = shapes[0]
    total: Dim = 0
    for shape in shapes:
        total = plus(total, shape[axis])
        joined, _ = merge_dims(joined, (*shape[:axis], None, *shape[axis + 1 :]))
    joined = joined or shapes[0]
    return [(*joined[:axis], total, *joined[axis + 1 :])]


def _concat_v2(site: InferenceContext) -> list[Dims | None]:
    count = site.number("N", len(site.inputs) - 1)
    return _concat(site, range(count), count)


def _concat_v1(site: InferenceContext) -> list[Dims | None]:
    return _concat(site, range(1, len(site.inputs)), 0)


def _split(site: InferenceContext) -> list[Dims | None]:
    dims, count = site.dims(1), site.number("num_split")
    axis = site.axis(site.ints_in(0)[0], len(dims))
    return [(*dims[:axis], divide(dims[axis], count), *dims[axis + 1 :])] * count


def _split_v(site: InferenceContext) -> list[Dims | None]:
    dims, sizes = site.dims(0), list(site.value(1))
    axis = site.axis(site.ints_in(2)[0], len(dims))
    if sizes.count(-1) == 1:
        given = _total([size for size in sizes if size != -1])
        sizes[sizes.index(-1)] = plus(dims[axis], times(-1, given))
    return [(*dims[:axis], size, *dims[axis + 1 :]) for size in sizes]


def _total(sizes: list[Dim]) -> Dim:
    total: Dim = 0
    for size in sizes:
        total = plus(total, size)
    return total


def _pack(site: InferenceContext) -> list[Dims | None]:
    dims: Dims | None = site.dims(0)
    for index in range(1, len(site.inputs)):
        dims, _ = merge_dims(dims, site.shape(index))
    if dims is None:
        raise IndeterminateError
    axis = site.axis(site.number("axis"), len(dims) + 1)
    return [(*dims[:axis], len(site.inputs), *dims[axis:])]


def _unpack(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0)
    axis = site.axis(site.number("axis"), len(dims))
    return [dims[:axis] + dims[axis + 1 :]] * site.number("num")


def _tile(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0)
    repeats = site.sizes_in(1)
    return [tuple(times(size, count) for size, count in zip(dims, repeats, strict=True))]


def _pad(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0)
    if site.inputs[1].value is None:
        return [(None,) * len(dims)]
    pads = site.value(1)
    return [tuple(plus(plus(s, pads[2 * i]), pads[2 * i + 1]) for i, s in enumerate(dims))]


def _mirror_pad_grad(site: InferenceContext) -> list[Dims | None]:
    dims, pads = site.dims(0), site.ints_in(1)
    return [tuple(plus(s, -pads[2 * i] - pads[2 * i + 1]) for i, s in enumerate(dims))]


def _broadcast_to(site: InferenceContext) -> list[Dims | None]:
    return [site.sizes_in(1)]


def _gather(site: InferenceContext) -> list[Dims | None]:
    params, indices = site.dims(0), site.dims(1)
    batch = site.number("batch_dims")
    axis = site.ints_in(2)[0] if len(site.inputs) > 2 else batch
    axis = site.axis(axis, len(params))
    batch = batch % (len(indices) + 1) if batch < 0 else batch
    return [(*params[:axis], *indices[batch:], *params[axis + 1 :])]


def _gather_nd(site: InferenceContext) -> list[Dims | None]:
    params, indices = site.dims(0), site.dims(1)
    depth = indices[-1]
    if not isinstance(depth, int):
        raise IndeterminateError
    return [(*indices[:-1], *params[site.number("batch_dims") + depth :])]


def _one_hot(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0)
    axis = site.axis(site.number("axis", -1), len(dims) + 1)
    depth = site.inputs[1].value
    return [(*dims[:axis], depth[0] if depth else None, *dims[axis:])]


def _broadcast_args(site: InferenceContext) -> list[Dims | None]:
    left, right = site.dims(0, 1)[0], site.dims(1, 1)[0]
    if isinstance(left, int) and isinstance(right, int):
        return [(max(left, right),)]
    raise IndeterminateError


def _dynamic_stitch(site: InferenceContext) -> list[Dims | None]:
    count = len(site.inputs) // 2
    largest = -1
    for index in range(count):
        largest = max((largest, *site.ints_in(index)))
    data, indices = site.dims(count), site.dims(0)
    return [(largest + 1, *data[len(indices) :])]


def _where(site: InferenceContext) -> list[Dims | None]:
    return [(None, len(site.dims(0)))]


def _segments(site: InferenceContext) -> list[Dims | None]:
    return [(None, *site.dims(0)[1:])]


RULES: dict[str, ShapeRule] = {
    "Reshape": _reshape,
    **each("Transpose ConjugateTranspose", _transpose),
    "ExpandDims": _expand_dims,
    "Squeeze": _squeeze,
    "ConcatV2": _concat_v2,
    "Concat": _concat_v1,
    "ParallelConcat": lambda site: [(len(site.inputs), *site.dims(0)[1:])],
    "Split": _split,
    "SplitV": _split_v,
    "Pack": _pack,
    "Unpack": _unpack,
    "Tile": _tile,
    **each("Pad PadV2 MirrorPad", _pad),
    "MirrorPadGrad": _mirror_pad_grad,
    "BroadcastTo": _broadcast_to,
    "BroadcastArgs": _broadcast_args,
    **each("Gather GatherV2", _gather),
    "GatherNd": _gather_nd,
    "OneHot": _one_hot,
    "ScatterNd": lambda site: [site.sizes_in(2)],
    "DynamicStitch": _dynamic_stitch,
    "ParallelDynamicStitch": _dynamic_stitch,
    "Where": _where,
    "Unique": lambda site: [(None,), site.shape(0)],
    **each("SegmentSum SegmentMean SegmentMax SegmentMin SegmentProd", _segments),
    "LookupTableFindV2": lambda site: [site.shape(1)],
    "ConcatOffset": lambda site: [site.shape(index) for index in range(1, len(site.inputs))],
}
