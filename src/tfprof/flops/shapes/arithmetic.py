"""Arithmetic of shapes, element by element: sums, quotients, comparisons that can be decided."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tfprof.flops.polynomial import Count, extreme, floor_div
from tfprof.flops.shapes.inference_context import IndeterminateError, InferenceContext
from tfprof.flops.tensors import Dim

Array = npt.NDArray[np.object_]
ValueRule = Callable[[InferenceContext], list[Array | None]]
"""The outputs' values, None for those that are not known."""


def given(site: InferenceContext, index: int) -> Array:
    """The value of an input."""
    found = site.inputs[index].array()
    if found is None:
        raise IndeterminateError
    return found


def each_value(ops: str, rule: ValueRule) -> dict[str, ValueRule]:
    """The same rule for several op types."""
    return dict.fromkeys(ops.split(), rule)


def _lift(function: Callable[..., Count | None]) -> Any:
    """A function of numbers as one of arrays, unknown elements staying unknown."""

    def known(*args: Dim) -> Dim:
        return None if any(arg is None for arg in args) else function(*args)

    return np.frompyfunc(known, function.__code__.co_argcount, 1)


def _elementwise(function: Callable[..., Count | None]) -> ValueRule:
    lifted = _lift(function)

    def rule(site: InferenceContext) -> list[Array | None]:
        out = lifted(*(given(site, index) for index in range(len(site.inputs))))
        return [np.asarray(out, dtype=object)]

    return rule


def _decide(test: Callable[[int], bool]) -> Callable[[Count, Count], Count | None]:
    """A comparison, of what can be decided for every value of the symbols."""

    def compare(a: Count, b: Count) -> Count | None:
        difference = a - b
        return int(test(difference)) if isinstance(difference, int) else None

    return compare


def _floor_div(a: Count, b: Count) -> Count | None:
    return None if b == 0 else floor_div(a, b)


def _truncate_div(a: Count, b: Count) -> Count | None:
    if isinstance(a, int) and isinstance(b, int) and b:
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return _floor_div(a, b)


def _modulo(a: Count, b: Count) -> Count | None:
    return None if b == 0 else a - floor_div(a, b) * b


def smaller(a: Count, b: Count) -> Count:
    """The smaller of two numbers."""
    return extreme(a, b, largest=False)


def larger(a: Count, b: Count) -> Count:
    """The larger of two numbers; of truth values, `or`."""
    return extreme(a, b, largest=True)


def multiplied(a: Count, b: Count) -> Count:
    """The product; of truth values, `and`."""
    return a * b


def added(a: Count, b: Count) -> Count:
    """The sum."""
    return a + b


def _minus(a: Count, b: Count) -> Count:
    return a - b


def _negative(a: Count) -> Count:
    return a * -1


def _not(a: Count) -> Count:
    return 1 - a


def _absolute(a: Count) -> Count | None:
    return abs(a) if isinstance(a, int) else a


RULES: dict[str, ValueRule] = {
    **each_value("Add AddV2", _elementwise(added)),
    "Sub": _elementwise(_minus),
    "Mul": _elementwise(multiplied),
    "FloorDiv": _elementwise(_floor_div),
    **each_value("Div TruncateDiv", _elementwise(_truncate_div)),
    **each_value("FloorMod Mod", _elementwise(_modulo)),
    "Maximum": _elementwise(larger),
    "Minimum": _elementwise(smaller),
    "Neg": _elementwise(_negative),
    "Abs": _elementwise(_absolute),
    "Less": _elementwise(_decide(lambda d: d < 0)),
    "LessEqual": _elementwise(_decide(lambda d: d <= 0)),
    "Greater": _elementwise(_decide(lambda d: d > 0)),
    "GreaterEqual": _elementwise(_decide(lambda d: d >= 0)),
    "Equal": _elementwise(_decide(lambda d: d == 0)),
    "NotEqual": _elementwise(_decide(lambda d: d != 0)),
    "LogicalAnd": _elementwise(multiplied),
    "LogicalOr": _elementwise(larger),
    "LogicalNot": _elementwise(_not),
}
