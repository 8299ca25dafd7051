"""Columns of numbers are formatted like each number, which `units` defines."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof.definitions.units import FORMATS, SCALES
from tfprof.outputs.encoding.number_format import format_own_and_total

EDGES = [0, 999, 1000, 1005, 1015, 994_999, 999_995, 10**6, 1_005_000, 999_995_000, 10**9, 2**53]


@pytest.mark.parametrize("unit", list(SCALES))
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), top=st.sampled_from([2000, 10**5, 10**7, 10**10, 2**62]))
def test_columns_are_formatted_like_numbers(unit, seed, top):
    dice = np.random.default_rng(seed)
    near = [edge + step for edge in EDGES for step in (-1, 0, 1)]
    values = np.concatenate([dice.integers(-5, top, 2000), np.array(near)])
    expected = [FORMATS[unit](value) for value in values.tolist()]
    others = np.where(dice.random(len(values)) < 0.5, values, dice.permutation(values))
    texts, own_indices, total_indices = format_own_and_total(others, values, unit)
    assert texts.take(pa.array(total_indices)).to_pylist() == expected
    own = [FORMATS[unit](value) for value in others.tolist()]
    assert texts.take(pa.array(own_indices)).to_pylist() == own


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        ("number", 999, "999"),
        ("number", 1005, "1.00k"),
        ("number", 999_995, "1000.00k"),
        ("number", -5000, "-5000"),
        ("time", 1_370_000, "1.37sec"),
        ("memory", 10**9, "1000.00MB"),
        ("time", 6275787042603454927, "6275787042603.45sec"),  # as a double, it is a little less
        ("number", 10**310, f"{1e301:.2f}b"),
    ],
)
def test_numbers(unit, value, text):
    assert FORMATS[unit](value) == text
