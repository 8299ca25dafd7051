"""Columns of strings as bytes: the same as looking at each string."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tfprof.profiles.string_columns import slice_strings, utf8_bytes, value_offsets

STRINGS = st.lists(st.text("a/é\0", max_size=12), max_size=20)


def _column(values, skipped):
    """A column that does not start at the first byte of its buffer."""
    return pa.array(["before"] * skipped + values, pa.string()).slice(skipped)


@given(STRINGS, st.integers(0, 2))
def test_bytes_and_offsets(values, skipped):
    column = _column(values, skipped)
    assert utf8_bytes(column).tobytes() == "".join(values).encode()
    lengths = [len(value.encode()) for value in values]
    assert np.diff(value_offsets(column)).tolist() == lengths


@given(STRINGS, st.integers(0, 2), st.data())
def test_slices(values, skipped, data):
    column = _column(values, skipped).cast(pa.binary())
    whole = "".join(values).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=10)))
    start, end = cuts[: len(cuts) // 2 * 2 : 2], cuts[1::2]
    slices = slice_strings(column, np.array(start, np.int64), np.array(end, np.int64))
    assert slices.to_pylist() == [whole[a:b] for a, b in zip(start, end, strict=True)]
