"""Polynomials against plain integers: binding commutes with arithmetic."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tfprof.flops.polynomial import (
    Count,
    bind,
    ceil_div,
    extreme,
    floor_div,
    lower_bound,
    pretty,
    product,
    symbol,
    symbols,
)

B, T = symbol("B"), symbol("T")
VALUES = st.fixed_dictionaries({"B": st.integers(1, 50), "T": st.integers(1, 50)})

leaves = st.sampled_from([B, T]) | st.integers(-5, 20)
counts = st.recursive(
    leaves,
    lambda inner: st.builds(lambda a, b, op: op(a, b), inner, inner, st.sampled_from(
        [lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a - b]
    )),
    max_leaves=6,
)  # fmt: skip


@given(counts, counts, VALUES)
def test_arithmetic_and_binding_commute(a: Count, b: Count, values: Any) -> None:
    x, y = bind(a, values), bind(b, values)
    assert isinstance(x, int)
    assert isinstance(y, int)
    assert bind(a + b, values) == x + y
    assert bind(a - b, values) == x - y
    assert bind(a * b, values) == x * y
    assert bind(extreme(a, b, largest=True), values) == max(x, y)
    assert bind(extreme(a, b, largest=False), values) == min(x, y)
    assert bind(product([a, b, 3]), values) == 3 * x * y


@given(counts, st.integers(1, 9), VALUES)
def test_division_by_a_number(a: Count, divisor: int, values: Any) -> None:
    number = bind(a, values)
    assert isinstance(number, int)
    assert bind(floor_div(a, divisor), values) == number // divisor
    assert bind(ceil_div(a, divisor), values) == -(-number // divisor)
    assert bind(floor_div(floor_div(a, divisor) + 1, 2), values) == (number // divisor + 1) // 2


@given(counts, counts, VALUES)
def test_division_by_a_polynomial(a: Count, b: Count, values: Any) -> None:
    divisor = bind(b, values)
    assert isinstance(divisor, int)
    if divisor > 0 and b != 0:
        number = bind(a, values)
        assert isinstance(number, int)
        assert bind(floor_div(a, b), values) == number // divisor
        assert bind(floor_div(a * b, b), values) == number


@given(counts, VALUES)
def test_binding_in_two_steps(a: Count, values: Any) -> None:
    assert bind(bind(a, {"B": values["B"]}), {"T": values["T"]}) == bind(a, values)


@given(counts, counts)
def test_equal_polynomials_are_equal(a: Count, b: Count) -> None:
    assert (a + b) * (a + b) == a * a + 2 * (a * b) + b * b
    assert hash((a + b) - b) == hash(a)


def test_exact_division_stays_a_polynomial() -> None:
    assert floor_div(49 * B * T, B) == 49 * T
    assert floor_div(6 * B + 4, 2) == 3 * B + 2
    assert floor_div((B + 1) * (T + 2), B + 1) == T + 2
    assert B - B == 0
    assert isinstance(B - B + 3, int)


@given(counts, counts, VALUES)
def test_bounds(a: Count, b: Count, values: Any) -> None:
    for value in (a, extreme(a, b, largest=True), extreme(a, b, largest=False), floor_div(a, 3)):
        low, number = lower_bound(value), bind(value, values)
        assert isinstance(number, int)
        assert low is None or low <= number
    assert extreme(B, 1, largest=False) == 1
    assert extreme(B * T - 1, 0, largest=True) == B * T - 1


def test_text() -> None:
    assert pretty(7_750_000_000 * B) == "7.75G·B"
    assert pretty(12_288 * B * T + 5 * B - 2) == "12.3k·B·T + 5·B - 2"
    assert str(ceil_div(B, 2)) == "⌊(B + 1)/2⌋"
    assert repr(1_000_000 * B) == "Polynomial(1000000·B)"
    assert symbols(ceil_div(B, 2) * T) == {"B", "T"}
