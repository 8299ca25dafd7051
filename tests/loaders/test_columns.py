"""Columns of texts, looked at as bytes: the same as looking at each text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.profiles.schema import before_first, contains, distinct

TEXTS = st.lists(st.text("MEMCPY:é", max_size=12), max_size=20)


def _column(texts, skipped):
    """A column that begins later in its bytes than they do."""
    return pa.array(["MEMCPY"] * skipped + texts, pa.string()).slice(skipped)


@given(TEXTS, st.integers(0, 2), st.sampled_from(["MEMCPY", "CPY", "Y"]))
def test_texts_that_contain_a_word(texts, skipped, word):
    found = contains(_column(texts, skipped), word)
    assert found.tolist() == [word in text for text in texts]


def test_a_word_across_two_texts_is_in_neither():
    texts = ["a MEM", "CPY", "", "MEMCPY", "xMEMCPYx"]
    found = contains(pa.array(texts, pa.string()), "MEMCPY")
    assert found.tolist() == [False, False, False, True, True]


@given(TEXTS, st.integers(0, 2))
def test_texts_end_at_the_first_mark(texts, skipped):
    found = before_first(_column(texts, skipped), ":").to_pylist()
    assert found == [text.partition(":")[0] for text in texts]


@pytest.mark.parametrize("space", [1000, 10**9])
@given(keys=st.lists(st.integers(0, 999), max_size=50))
def test_distinct_keys_are_sorted(space, keys):
    assert distinct(np.array(keys, np.int64), space).tolist() == sorted(set(keys))
