"""Shapes of ops that make tensors from a shape: fill, range, random numbers; and shape queries."""

from __future__ import annotations

from tfprof.flops.atoms import ceil_div
from tfprof.flops.shapes.inference_context import (
    InferenceContext,
    ShapeRule,
    each,
    scalar,
    sizes_from,
)
from tfprof.flops.tensors import Dims, dims_of


def _shape(c: InferenceContext) -> list[Dims | None]:
    return [(len(c.dims(index)),) for index in range(len(c.inputs))]


def _range(c: InferenceContext) -> list[Dims | None]:
    if any(tensor.value is None for tensor in c.inputs):
        return [(None,)]
    start, limit, step = c.value(0)[0], c.value(1)[0], c.value(2)[0]
    if start is None or limit is None or not isinstance(step, int) or step == 0:
        return [(None,)]
    span = limit - start if step > 0 else start - limit
    length = ceil_div(span, abs(step))
    return [(max(0, length) if isinstance(length, int) else length,)]


def _attribute(c: InferenceContext) -> list[Dims | None]:
    return [dims_of(c.attrs["shape"].shape) if "shape" in c.attrs else None]


_RANDOM = """
RandomUniform RandomUniformInt RandomStandardNormal TruncatedNormal ParameterizedTruncatedNormal
StatelessRandomUniform StatelessRandomUniformV2 StatelessRandomUniformInt
StatelessRandomUniformIntV2 StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2
StatelessRandomNormal StatelessRandomNormalV2 StatelessTruncatedNormal StatelessTruncatedNormalV2
Fill Empty
"""

RULES: dict[str, ShapeRule] = {
    **each(_RANDOM, sizes_from(0)),
    **each(
        "StatefulUniform StatefulUniformInt StatefulStandardNormalV2 StatefulTruncatedNormal"
        " StatefulUniformFullInt",
        sizes_from(2),
    ),
    **each("Shape ShapeN", _shape),
    **each("Rank Size TensorListLength StatelessRandomGetAlg VarIsInitializedOp Timestamp"
           " IsVariableInitialized LookupTableSizeV2", scalar),
    "VariableShape": lambda c: [
        None if (shape := c.element(0).shape) is None else (len(shape),)
    ],
    "Range": _range,
    "LinSpace": lambda c: [(c.value(2)[0],)],
    **each("Placeholder PlaceholderV2 Variable VariableV2 TemporaryVariable ImmutableConst",
           _attribute),
    **each("Multinomial StatelessMultinomial", lambda c: [(c.dims(0, 2)[0], c.value(1)[0])]),
    "StatelessRandomGetKeyCounter": lambda _: [(1,), (2,)],
    "StatelessRandomGetKeyCounterAlg": lambda _: [(1,), (2,), ()],
}  # fmt: skip
