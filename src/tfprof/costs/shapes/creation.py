"""Shapes of ops that make tensors from a shape: fill, range, random numbers; and shape queries."""

from __future__ import annotations

from tfprof.costs.polynomial import ceil_div
from tfprof.costs.shapes.site import ShapeRule, Site, each
from tfprof.costs.tensors import Dims, dims_of

__all__ = ["RULES"]


def _from_input(index: int) -> ShapeRule:
    return lambda site: [site.sizes_in(index)]


def _shape(site: Site) -> list[Dims | None]:
    return [(len(site.dims(index)),) for index in range(len(site.inputs))]


def _range(site: Site) -> list[Dims | None]:
    start, limit, step = site.value(0)[0], site.value(1)[0], site.value(2)[0]
    if start is None or limit is None or not isinstance(step, int) or step == 0:
        return [(None,)]
    span = limit - start if step > 0 else start - limit
    length = ceil_div(span, abs(step))
    return [(max(0, length) if isinstance(length, int) else length,)]


def _range_or_vector(site: Site) -> list[Dims | None]:
    return _range(site) if all(x.value is not None for x in site.inputs) else [(None,)]


def _linspace(site: Site) -> list[Dims | None]:
    return [(site.value(2)[0],)]


def _scalar(_: Site) -> list[Dims | None]:
    return [()]


def _attribute(site: Site) -> list[Dims | None]:
    return [dims_of(site.attrs["shape"].shape) if "shape" in site.attrs else None]


def _multinomial(site: Site) -> list[Dims | None]:
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
