"""Shapes of reductions, normalisation and losses."""

from __future__ import annotations

from tfprof.flops.shapes.inference_context import (
    IndeterminateError,
    InferenceContext,
    ShapeRule,
    each,
    scalar,
    shape_of,
)
from tfprof.flops.shapes.windows import layout
from tfprof.flops.tensors import Dims


def _reduce(c: InferenceContext) -> list[Dims | None]:
    dims, keep = c.dims(0), c.flag("keep_dims")
    try:
        axes = {c.axis(axis, len(dims)) for axis in c.ints_in(1)}
    except IndeterminateError:
        if keep:
            return [(None,) * len(dims)]
        raise
    if keep:
        return [tuple(1 if i in axes else size for i, size in enumerate(dims))]
    return [tuple(size for i, size in enumerate(dims) if i not in axes)]


def _arg_extreme(c: InferenceContext) -> list[Dims | None]:
    dims = c.dims(0)
    axis = c.axis(c.ints_in(1)[0], len(dims))
    return [dims[:axis] + dims[axis + 1 :]]


def _bias_grad(c: InferenceContext) -> list[Dims | None]:
    dims = c.dims(0)
    return [(dims[1 if c.text("data_format") == "NCHW" else -1],)]


def _batch_norm(c: InferenceContext) -> list[Dims | None]:
    dims = c.dims(0)
    channel = (dims[layout(c, len(dims)).channel],)
    return [dims, channel, channel, channel, channel, None]


def _batch_norm_grad(c: InferenceContext) -> list[Dims | None]:
    dims = c.dims(1)
    channel = (dims[layout(c, len(dims)).channel],)
    return [dims, channel, channel, (0,), (0,)]


def _top_k(c: InferenceContext) -> list[Dims | None]:
    dims = c.dims(0)
    k = c.value(1)[0] if len(c.inputs) > 1 else c.number("k")
    shape = (*dims[:-1], k)
    return [shape, shape]


def _segment(c: InferenceContext) -> list[Dims | None]:
    """UnsortedSegmentSum and its kin: the number of segments is an input."""
    data, ids = c.dims(0), c.dims(1)
    count = c.inputs[2].value
    return [(count[0] if count else None, *data[len(ids) :])]


RULES: dict[str, ShapeRule] = {
    **each("Sum Mean Max Min Prod All Any EuclideanNorm", _reduce),
    **each("ArgMax ArgMin", _arg_extreme),
    "L2Loss": scalar,
    "BiasAddGrad": _bias_grad,
    **each("FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 _FusedBatchNormEx", _batch_norm),
    **each(
        "FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3 _FusedBatchNormGradEx",
        _batch_norm_grad,
    ),
    "BatchNormWithGlobalNormalization": shape_of(0),
    **each(
        "SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits",
        lambda c: [c.dims(0, 2)[:1], c.shape(0)],
    ),
    **each("TopKV2 TopK", _top_k),
    **each(
        "UnsortedSegmentSum UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd", _segment
    ),
    **each("InTopK InTopKV2", lambda c: [(c.dims(0, 2)[0],)]),
}
