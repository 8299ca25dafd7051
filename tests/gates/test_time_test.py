"""The tests of times: exact where they can be, the same every time, and right on made-up steps."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof.gates import time_test
from tfprof.gates.time_test import (
    Comparison,
    compare_least,
    compare_medians,
    compare_processes,
    mann_whitney,
)

Compare = Callable[[np.ndarray, np.ndarray], Comparison]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=8, max_size=8, unique=True))
def test_mann_whitney_is_exact(values: list[int]) -> None:
    """As many orders of all values are as extreme as this one."""
    base, head = np.array(values[:4]), np.array(values[4:])

    def pairs(side: tuple[int, ...]) -> int:
        others = [value for value in values if value not in side]
        return sum(a > b for a in side for b in others)

    observed = pairs(tuple(head.tolist()))
    sides = [*itertools.combinations(values, 4)]
    expected = sum(pairs(side) >= observed for side in sides) / len(sides)
    assert mann_whitney(base, head) == pytest.approx(expected)


def test_three_processes_can_never_be_sure() -> None:
    assert mann_whitney(np.arange(3), np.arange(3) + 100) == pytest.approx(0.05)
    assert compare_processes(np.arange(8) + 100.0, np.arange(8) + 200.0).probability < 0.001


def test_equal_values_are_no_evidence() -> None:
    assert mann_whitney(np.ones(8), np.ones(8)) >= 0.5


def test_many_processes_are_compared_by_the_normal_distribution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generator = np.random.default_rng(3)
    sides = [generator.normal(mean, 1, 40) for mean in (0, 0.4)]
    exact = mann_whitney(*sides)
    monkeypatch.setattr(time_test, "MAX_EXACT_RANKS", 0)
    approximate = mann_whitney(*sides)
    assert approximate != exact
    assert approximate == pytest.approx(exact, abs=0.0005)


def _steps(seed: int, ops: int = 50, steps: int = 10) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return np.arange(1, ops + 1) * 1000 * (1 + generator.exponential(0.05, (steps, ops)))


@pytest.mark.parametrize("compare", [compare_least, compare_medians])
def test_a_slower_side_is_found_and_an_equal_one_is_not(compare: Compare) -> None:
    base, same = _steps(1), _steps(2)
    equal, slower = compare(base, same), compare(base, 1.05 * same)
    assert equal.probability > 0.05
    assert abs(equal.change) < 0.02
    assert slower.probability < 0.01
    assert slower.change == pytest.approx(0.05, abs=0.01)
    assert slower.resolution < 0.05


def test_least_times_do_not_see_what_some_steps_do() -> None:
    base, head = _steps(1), _steps(2)
    head[4:] *= 1.3
    assert compare_least(base, head).change < 0.02
    assert compare_medians(base, head).change > 0.1


def test_medians_do_not_see_what_slows_both_sides() -> None:
    """A machine that slows down is no difference of steps that ran in turn."""
    drift = np.linspace(1, 2, 10)[:, None]
    base, head = drift * _steps(1), drift * _steps(2)
    assert abs(compare_medians(base, head).change) < 0.02
    assert compare_medians(base, 1.05 * head).probability < 0.01


def test_a_machine_that_is_fast_for_a_while_is_no_noise() -> None:
    """One step of both sides was fast: it alone does not decide."""
    speed = np.where(np.arange(20) == 7, 0.7, 1.0)[:, None]
    base, head = speed * _steps(1, steps=20), speed * _steps(2, steps=20)
    assert compare_least(base, head).resolution < 0.05
    assert compare_least(base, 1.05 * head).probability < 0.05


@pytest.mark.parametrize("compare", [compare_least, compare_medians])
def test_five_steps_can_be_sure_and_four_cannot(compare: Compare) -> None:
    base, head = _steps(1, steps=5), 2 * _steps(2, steps=5)
    assert compare(base, head).probability < 0.05
    assert compare(base[:4], head[:4]).probability > 0.05


@pytest.mark.parametrize("compare", [compare_least, compare_medians])
def test_the_verdict_is_the_same_every_time(compare: Compare) -> None:
    base, head = _steps(1), _steps(2)
    assert compare(base, head) == compare(base, head)


def test_a_step_that_one_side_lacks_is_left_out_of_the_medians() -> None:
    base, head = _steps(1, steps=10), _steps(2, steps=9)
    assert compare_medians(base, head) != compare_medians(base[:8], head[:8])
    assert compare_medians(base, head).change == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("compare", [compare_least, compare_medians])
def test_ops_of_little_time_are_judged_together(compare: Compare) -> None:
    base, head = _steps(1, ops=2500), _steps(2, ops=2500)
    assert compare(base, 1.05 * head).change == pytest.approx(0.05, abs=0.02)
