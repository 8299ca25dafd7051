"""Arithmetic of shapes, element by element: sums, quotients, comparisons that can be decided."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tfprof.flops.atoms import extreme, floor_div
from tfprof.flops.polynomial import Count
from tfprof.flops.shapes.inference_context import InferenceContext, each
from tfprof.flops.tensors import Dim

Array = npt.NDArray[np.object_]
ValueRule = Callable[[InferenceContext], list[Array | None]]
"""The outputs' values, None for those that are not known."""

maximum = partial(extreme, largest=True)
minimum = partial(extreme, largest=False)


def make_ufunc(function: Callable[..., Count | None], nin: int) -> Any:
    """A function of numbers as a ufunc of object arrays; unknown elements stay unknown."""

    def known(*args: Dim) -> Dim:
        return None if None in args else function(*args)

    return np.frompyfunc(known, nin, 1)


def _elementwise(function: Callable[..., Count | None]) -> ValueRule:
    def rule(c: InferenceContext) -> list[Array | None]:
        arrays = [c.array(index) for index in range(len(c.inputs))]
        return [np.asarray(make_ufunc(function, len(arrays))(*arrays), dtype=object)]

    return rule


def _compare(test: Callable[[Any, Any], bool]) -> ValueRule:
    """A comparison, where it holds or fails for every value of the symbols."""

    def compare(a: Count, b: Count) -> Count | None:
        difference = a - b
        return int(test(difference, 0)) if isinstance(difference, int) else None

    return _elementwise(compare)


def _floor_div(a: Count, b: Count) -> Count | None:
    return None if b == 0 else floor_div(a, b)


def _truncate_div(a: Count, b: Count) -> Count | None:
    if isinstance(a, int) and isinstance(b, int) and b:
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return _floor_div(a, b)


def _modulo(a: Count, b: Count) -> Count | None:
    return None if b == 0 else a - floor_div(a, b) * b


def _absolute(a: Count) -> Count:
    return abs(a) if isinstance(a, int) else a


RULES: dict[str, ValueRule] = {
    **each("Add AddV2", _elementwise(operator.add)),
    "Sub": _elementwise(operator.sub),
    **each("Mul LogicalAnd", _elementwise(operator.mul)),
    "FloorDiv": _elementwise(_floor_div),
    **each("Div TruncateDiv", _elementwise(_truncate_div)),
    **each("FloorMod Mod", _elementwise(_modulo)),
    **each("Maximum LogicalOr", _elementwise(maximum)),
    "Minimum": _elementwise(minimum),
    "Neg": _elementwise(operator.neg),
    "Abs": _elementwise(_absolute),
    "Less": _compare(operator.lt),
    "LessEqual": _compare(operator.le),
    "Greater": _compare(operator.gt),
    "GreaterEqual": _compare(operator.ge),
    "Equal": _compare(operator.eq),
    "NotEqual": _compare(operator.ne),
    "LogicalNot": _elementwise(lambda a: 1 - a),
}
