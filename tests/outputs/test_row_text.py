"""Rows put together from pieces read like rows joined one by one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof.outputs.encoding import row_encoder
from tfprof.outputs.encoding.cells import Cell, optional, separated
from tfprof.outputs.encoding.row_encoder import DictColumn

WORDS = st.lists(st.text(max_size=3), min_size=1, max_size=4)


@st.composite
def columns(draw):
    """Some columns of so many rows, each as its words and which one every row has; -1 is none."""
    count = draw(st.integers(0, 20))
    found = []
    for _ in range(draw(st.integers(1, 4))):
        words = draw(WORDS)
        least = draw(st.sampled_from([-1, 0]))
        rows = st.lists(st.integers(least, len(words) - 1), min_size=count, max_size=count)
        found.append((words, draw(rows)))
    return count, found


@settings(max_examples=200, deadline=None)
@given(columns(), st.integers(1, 7))
def test_rows_read_like_joined_words(table, block):
    count, found = table
    items = [
        Cell([DictColumn(pa.array(words, pa.string()), np.array(at, np.int64))])
        if min(at, default=0) >= 0
        else Cell(
            [optional(pa.array(words, pa.string()), np.array(at, np.int64))],
            np.array([number >= 0 for number in at]),
        )
        for words, at in found
    ]
    expected = "".join(
        "(" + ", ".join(words[at[row]] for words, at in found if at[row] >= 0) + ")\n"
        for row in range(count)
    )
    rows = [b"(", *separated(items, ", "), b")", b"\n"]
    before, row_encoder._TOGETHER = row_encoder._TOGETHER, block
    try:
        assert b"".join(row_encoder.encode_rows(count, rows)).decode() == expected
    finally:
        row_encoder._TOGETHER = before
