"""Polynomials against plain integers: binding commutes with arithmetic."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.flops.atoms import ceil_div, extreme, floor_div
from tfprof.flops.polynomial import (
    Count,
    CountSum,
    bind,
    exact,
    is_large_symbol,
    lower_bound,
    pretty,
    product,
    symbol,
    symbol_name,
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
    assert str((ceil_div(B, 2) + 5) // 3) == "⌊(B + 5)/6⌋ + 1"
    assert repr(1_000_000 * B) == "Polynomial(1000000·B)"
    assert symbols(ceil_div(B, 2) * T) == {"B", "T"}


@given(counts, st.integers(1, 9), st.integers(-9, 9), st.integers(1, 9), VALUES)
def test_quotients_of_quotients(a: Count, first: int, more: int, second: int, values: Any) -> None:
    number = bind(a, values)
    assert isinstance(number, int)
    assert bind((a // first + more) // second, values) == (number // first + more) // second


@given(counts, st.integers(1, 9), VALUES)
def test_division_gives_fractions(a: Count, divisor: int, values: Any) -> None:
    number = bind(a, values)
    assert isinstance(number, int)
    assert bind(a / divisor, values) == pytest.approx(number / divisor)  # type: ignore[arg-type]
    assert bind(a // divisor, values) == number // divisor
    assert bind(a % divisor, values) == number % divisor
    assert bind(0.5 * a, values) == number / 2  # type: ignore[arg-type]


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge])
@given(a=counts, b=counts, values=VALUES)
def test_comparisons_hold_for_all_values(a: Count, b: Count, values: Any, compare: Any) -> None:
    try:
        answer = compare(a, b)
    except TypeError:
        return
    assert answer == compare(bind(a, values), bind(b, values))


FLOPS = 4_968_764 * B * T + 1290 * B


def test_formats() -> None:
    assert f"{FLOPS:,}" == "4,968,764·B·T + 1,290·B"
    assert f"{FLOPS / 1e6:.2f}" == "4.97·B·T + 0.00·B"
    assert f"{FLOPS / 1e6}" == "4.97·B·T + 0.00129·B"
    assert f"{FLOPS:>25}|{FLOPS:<21}|{FLOPS:^23s}" == (
        "      4.97M·B·T + 1.29k·B|4.97M·B·T + 1.29k·B  |  4.97M·B·T + 1.29k·B  "
    )
    assert str(round(FLOPS / 1e6, 1)) == "5·B·T"
    with pytest.raises(ValueError, match="Invalid format specifier 'zz'"):
        format(FLOPS, "zz")


def test_numbers_of_other_types() -> None:
    assert FLOPS * np.int64(2) == np.int64(2) * FLOPS == FLOPS + FLOPS
    assert FLOPS + np.float64(0) == FLOPS
    assert (FLOPS * np.array([1, 2], object)).tolist() == [FLOPS, 2 * FLOPS]
    assert FLOPS / B == 4_968_764 * T + 1290
    assert FLOPS**2 == FLOPS * FLOPS
    assert +FLOPS == FLOPS
    assert int(FLOPS - FLOPS + 7) == 7


@pytest.mark.parametrize(
    "use",
    [int, float, lambda p: 1 / p, lambda p: p > 10**9, lambda p: p <= T * T, lambda p: T / p],
)
def test_what_needs_a_value_names_the_symbols(use: Any) -> None:
    with pytest.raises(TypeError) as caught:
        use(FLOPS)
    assert str(caught.value) == (
        "4.97M·B·T + 1.29k·B has no value: B and T are not known; give bind={'B': …, 'T': …}"
    )
    with pytest.raises(TypeError, match="B is not known"):
        int(3 * B)


def test_no_numbers() -> None:
    for use in (operator.add, operator.sub, operator.mul, operator.truediv, operator.lt):
        with pytest.raises(TypeError):
            use(FLOPS, "7")
    with pytest.raises(ZeroDivisionError):
        FLOPS // 0


def test_powers_beyond_the_degree_are_a_symbol() -> None:
    power = B**64
    assert bind(power, {"B": 2}) == 2**64
    name = symbol_name(power * B)
    assert name is not None
    assert is_large_symbol(name)
    assert power * B == B * power
    assert not symbols(B**10**9) & {"B"}


def test_products_of_many_terms_are_a_symbol() -> None:
    left, right = (sum(symbol(f"{side}{i}") for i in range(16)) for side in "ab")
    small = sum(symbol(f"a{i}") for i in range(4))
    assert len(symbols(small * right)) == 20
    assert is_large_symbol(symbol_name(left * right) or "")
    assert left * right == right * left
    assert left * right != left * left


def test_nested_atoms_are_a_symbol() -> None:
    size: Count = B
    for _ in range(500):
        size = floor_div(extreme(size * T, size + 7, largest=True), 3)
    assert len(exact(size)) < 10_000
    assert any(map(is_large_symbol, symbols(size)))


def test_totals_of_thousands_of_terms_stay_exact() -> None:
    total = CountSum()
    for i in range(6000):
        total.add(i * symbol(f"s{i}"))
    assert bind(total.value(), {f"s{i}": 1 for i in range(6000)}) == sum(range(6000))


def test_numbers_beyond_floats() -> None:
    assert pretty(10**18) == "1e+18"
    assert pretty(2**1240) == "1.89e+373"
    assert pretty(-(2**1240)) == "-1.89e+373"
    assert pretty(10**5000) == "1.00e+5000"
    assert exact(10**5000 * B) == "1.00e+5000·B"
