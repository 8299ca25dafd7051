"""Shapes of text and of rows of different lengths: what keeps the batch size through them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfprof.flops.shapes.arithmetic import Array, ValueRule
from tfprof.flops.shapes.handles import TensorRule
from tfprof.flops.shapes.inference_context import (
    IndeterminateError,
    InferenceContext,
    ShapeRule,
    each,
    plus,
    shape_of,
)
from tfprof.flops.tensors import Dim, Dims, Tensor, merge_dims

_FIRST_SIZE, _ROW_SPLITS = "FIRST_DIM_SIZE", "ROW_SPLITS"


def _split(_: InferenceContext) -> Sequence[Dims | None]:
    """StringSplit: a sparse tensor of the parts of each text."""
    return [(None, 2), (None,), (2,)]


def _split_value(c: InferenceContext) -> list[Array | None]:
    """The dense shape: as many rows as texts."""
    sizes = np.empty(2, dtype=object)
    sizes[:] = (*c.dims(0, 1), None)
    return [None, None, sizes]


def _to_tensor(c: InferenceContext) -> Sequence[Dims | None]:
    """RaggedTensorToTensor: rows padded to one length, or to the shape that is asked for."""
    kinds = c.texts("row_partition_types")
    lengths = len([kind for kind in kinds if kind != _FIRST_SIZE])
    inferred: Dims = (_rows(c, kinds), *[None] * lengths, *c.dims(1)[1:])
    wanted = c.inputs[0].value
    if wanted is None or c.shape(0) == ():  # a scalar -1 asks for nothing
        return [inferred]
    sizes = zip(c.sizes_in(0), inferred, strict=True)
    return [tuple(size if size is not None else other for size, other in sizes)]


def _number(c: InferenceContext, index: int) -> Dim:
    value = c.inputs[index].value
    return value[0] if value else None


def _rows(c: InferenceContext, kinds: Sequence[str]) -> Dim:
    """The number of rows, by the first of the tensors that partition them."""
    if kinds[0] == _FIRST_SIZE:
        return _number(c, 3)
    return plus(c.dims(3, 1)[0], -1) if kinds[0] == _ROW_SPLITS else None


def _decode(c: InferenceContext) -> Sequence[Dims | None]:
    """UnicodeDecode: where the characters of each text begin, and all characters."""
    (texts,) = c.dims(0, 1)
    return [(plus(texts, 1),), (None,), (None,)]


def _join(c: InferenceContext) -> Sequence[Dims | None]:
    """StringJoin: scalars are repeated."""
    shapes = c.distinct_shapes()
    joined: Dims | None = ()
    for shape in shapes:
        if shape != ():
            joined = merge_dims(shape, joined)[0] if joined else shape
    if None in shapes and joined == ():
        raise IndeterminateError
    return [joined]


def _maximum(c: InferenceContext) -> list[Tensor]:
    """The larger of a number and something unknown: the number is a lower bound."""
    known = [tensor for tensor in c.inputs if tensor.value is not None]
    shapes = [tensor.shape for tensor in c.inputs]
    if len(known) != 1 or shapes != [(), ()] or known[0].value == (None,):
        return []
    return [Tensor(known[0].dtype, (), at_least=known[0].value)]


def _minimum(c: InferenceContext) -> list[Tensor]:
    """The smaller of a number and what is at least that number: the number.

    So the rows of split texts are counted, which gives their number back.
    """
    left, right = c.inputs
    for known, other in ((left, right), (right, left)):
        if known.value is not None and known.value == other.at_least:
            return [Tensor(known.dtype, known.shape, known.value)]
    return []


RULES: dict[str, ShapeRule] = {
    **each("StringSplit StringSplitV2", _split),
    **each(
        "RegexFullMatch StaticRegexFullMatch StringToHashBucket StringToHashBucketStrong Substr"
        " UnicodeScript UnicodeTranscode",
        shape_of(0),
    ),
    "StringJoin": _join,
    "StringNGrams": lambda c: [(None,), c.shape(1)],
    **each("UnicodeDecode UnicodeDecodeWithOffsets", _decode),
    "UnicodeEncode": lambda c: [(plus(c.dims(1, 1)[0], -1),)],
    "RaggedTensorToTensor": _to_tensor,
    "Bincount": lambda c: [(_number(c, 1),)],
    "DenseBincount": lambda c: [(*c.dims(0)[:-1], _number(c, 1))],
    "RaggedBincount": lambda c: [(plus(c.dims(0, 1)[0], -1), _number(c, 2))],
}

VALUES: dict[str, ValueRule] = each("StringSplit StringSplitV2", _split_value)

TENSORS: dict[str, TensorRule] = {"Maximum": _maximum, "Minimum": _minimum}
