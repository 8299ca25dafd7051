"""Shapes of ops that make tensors from a shape: fill, range, random numbers; and shape queries."""

from __future__ import annotations

from tfprof.flops.polynomial import ceil_div
from tfprof.flops.shapes.inference_context import InferenceContext, ShapeRule, each
from tfprof.flops.tensors import Dims, dims_of


def _from_input(index: int) -> ShapeRule:
    return lambda site: [site.sizes_in(index)]


def _shape(site: InferenceContext) -> list[Dims | None]:
    return [(len(site.dims(index)),) for index in range(len(site.inputs))]


def _range(site: InferenceContext) -> list[Dims | None]:
    start, limit, step = site.value(0)[0], site.value(1)[0], site.value(2)[0]
    if start is None or limit is None or not isinstance(step, int) or step == 0:
        return [(None,)]
    span = limit - start if step > 0 else start - limit
    length = ceil_div(span, abs(step))
    return [(max(0, length) if isinstance(length, int) else length,)]


def _range_or_vector(site: InferenceContext) -> list[Dims | None]:
    return _range(site) if all(x.value is not None for x in site.inputs) else [(None,)]


def _linspace(site: InferenceContext) -> list[Dims | None]:
    return [(site.value(2)[0],)]


def _scalar(_: InferenceContext) -> list[Dims | None]:
    return [()]


def _attribute(site: InferenceContext) -> list[Dims | None]:
    return [dims_of(site.attrs["shape"].shape) if "shape" in site.attrs else None]


def _multinomial(site: InferenceContext) -> list[Dims | None]:
    return [(site.dims(0, 2)[0], site.value(1)[0])]


_RANDOM = """
RandomUniform RandomUniformInt RandomStandardNormal TruncatedNormal ParameterizedTruncatedNormal
StatelessRandomUniform StatelessRandomUniformV2 StatelessRandomUniformInt
StatelessRandomUniformIntV2 StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2
StatelessRandomNormal StatelessRandomNormalV2 StatelessTruncatedNormal StatelessTruncatedNormalV2
Fill Empty
"""

RULES: dict[str, ShapeRule] = {
    **each(_RANDOM, _from_input(0)),
    **each(
        "StatefulUniform StatefulUniformInt StatefulStandardNormalV2 StatefulTruncatedNormal"
        " StatefulUniformFullInt",
        _from_input(2),
    ),
    **each("Shape ShapeN", _shape),
    **each("Rank Size TensorListLength StatelessRandomGetAlg VarIsInitializedOp Timestamp"
           " IsVariableInitialized LookupTableSizeV2", _scalar),
    "VariableShape": lambda site: [
        None if (held := site.inputs[0].element) is None or held.shape is None
        else (len(held.shape),)
    ],
    "Range": _range_or_vector,
    "LinSpace": _linspace,
    **each("Placeholder PlaceholderV2 Variable VariableV2 TemporaryVariable ImmutableConst",
           _attribute),
    **each("Multinomial StatelessMultinomial", _multinomial),
    "StatelessRandomGetKeyCounter": lambda _: [(1,), (2,)],
    "StatelessRandomGetKeyCounterAlg": lambda _: [(1,), (2,), ()],
}  # fmt: skip
