"""Shapes of reductions, normalisation and losses."""

from __future__ import annotations

from tfprof.flops.shapes.inference_context import (
    IndeterminateError,
    InferenceContext,
    ShapeRule,
    each,
)
from tfprof.flops.shapes.windows import layout
from tfprof.flops.tensors import Dims


def _reduce(site: InferenceContext) -> list[Dims | None]:
    dims, keep = site.dims(0), site.flag("keep_dims")
    axes = {site.axis(axis, len(dims)) for axis in site.ints_in(1)}
    if keep:
        return [tuple(1 if i in axes else size for i, size in enumerate(dims))]
    return [tuple(size for i, size in enumerate(dims) if i not in axes)]


def _reduce_unknown_axes(site: InferenceContext) -> list[Dims | None]:
    """With `keep_dims` the rank stays even where the axes are not known."""
    try:
        return _reduce(site)
    except IndeterminateError:
        if site.flag("keep_dims"):
            return [(None,) * len(site.dims(0))]
        raise


def _arg_extreme(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0)
    axis = site.axis(site.ints_in(1)[0], len(dims))
    return [dims[:axis] + dims[axis + 1 :]]


def _scalar(_: InferenceContext) -> list[Dims | None]:
    return [()]


def _bias_grad(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0)
    return [(dims[1 if site.text("data_format") == "NCHW" else -1],)]


def _batch_norm(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0)
    channel = (dims[layout(site, len(dims)).channel],)
    return [dims, channel, channel, channel, channel, None]


def _batch_norm_grad(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(1)
    channel = (dims[layout(site, len(dims)).channel],)
    return [dims, channel, channel, (0,), (0,)]


def _cross_entropy(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0, 2)
    return [(dims[0],), dims]


def _top_k(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0)
    k = site.value(1)[0] if len(site.inputs) > 1 else site.number("k")
    shape = (*dims[:-1], k)
    return [shape, shape]


def _segment(site: InferenceContext) -> list[Dims | None]:
    """UnsortedSegmentSum and its kin: the number of segments is an input."""
    data, ids = site.dims(0), site.dims(1)
    count = site.inputs[2].value
    return [(count[0] if count else None, *data[len(ids) :])]


RULES: dict[str, ShapeRule] = {
    **each("Sum Mean Max Min Prod All Any EuclideanNorm", _reduce_unknown_axes),
    **each("ArgMax ArgMin", _arg_extreme),
    "L2Loss": _scalar,
    "BiasAddGrad": _bias_grad,
    **each("FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 _FusedBatchNormEx", _batch_norm),
    **each(
        "FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3 _FusedBatchNormGradEx",
        _batch_norm_grad,
    ),
    "BatchNormWithGlobalNormalization": lambda site: [site.shape(0)],
    "SoftmaxCrossEntropyWithLogits": _cross_entropy,
    "SparseSoftmaxCrossEntropyWithLogits": _cross_entropy,
    **each("TopKV2 TopK", _top_k),
    **each(
        "UnsortedSegmentSum UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd", _segment
    ),
    "InTopKV2": lambda site: [(site.dims(0, 2)[0],)],
    "InTopK": lambda site: [(site.dims(0, 2)[0],)],
}
