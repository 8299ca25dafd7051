"""The fast ways to sort and group are what NumPy's own functions are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.profiles import grouping

KEYS = st.lists(st.integers(0, 999), max_size=50).map(lambda keys: np.array(keys, np.int64))
SIZES = pytest.mark.parametrize("size", [1000, 10**9])  # a mask, or too sparse for one


@SIZES
@given(keys=KEYS)
def test_distinct(size, keys):
    assert grouping.distinct(keys, size).tolist() == np.unique(keys).tolist()


@SIZES
@given(keys=KEYS)
def test_distinct_index(size, keys):
    values, index = grouping.distinct_index(keys, size)
    expected, expected_index = np.unique(keys, return_inverse=True)
    assert (values.tolist(), index.tolist()) == (expected.tolist(), expected_index.tolist())


@given(KEYS)
def test_group_offsets(group):
    expected = np.searchsorted(np.sort(group), np.arange(1001))
    assert grouping.group_offsets(group, 1000).tolist() == expected.tolist()


@given(st.lists(st.lists(st.integers(0, 3), max_size=3), max_size=9), st.integers(0, 3))
def test_list_offsets(lists, skipped):
    column = pa.array(lists, pa.list_(pa.int64())).slice(skipped)
    lengths = np.diff(grouping.list_offsets(column)).tolist()
    assert lengths == [len(values) for values in lists[skipped:]]
    assert grouping.list_offsets(column)[0] == 0


@pytest.mark.parametrize("factor", [1, 10**6])
@given(numbers=KEYS)
def test_argsort_small(factor, numbers):
    expected = np.argsort(numbers * factor, kind="stable")
    assert grouping.argsort_small(numbers * factor).tolist() == expected.tolist()


@pytest.mark.parametrize("factor", [1, 10**16])
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-99, 99)), max_size=30))
def test_argsort_within(factor, rows):
    group = np.array([row[0] for row in rows], np.int64)
    key = np.array([row[1] for row in rows], np.int64) * factor
    expected = np.lexsort((key, group))
    assert grouping.argsort_within(group, key).tolist() == expected.tolist()


@given(st.permutations(range(9)))
def test_invert_permutation(order):
    rank = grouping.invert_permutation(np.array(order))
    assert [order[position] for position in rank] == list(range(9))


@given(st.lists(st.text(max_size=3), max_size=20))
def test_rank_strings(names):
    distinct = sorted(set(names), key=str.encode)
    ranks = grouping.rank_strings(pa.array(names, pa.string()))
    assert ranks.tolist() == [distinct.index(name) for name in names]
