"""Rows of cells, against rows joined one by one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof.outputs.encoding import row_encoder
from tfprof.outputs.encoding.row_encoder import Cell, DictColumn, join_cells, optional_column

VALUES = st.lists(st.text(max_size=3), min_size=1, max_size=4)


@st.composite
def columns(draw):
    """Some columns of so many rows, each as its values and the index of every row; -1 is none."""
    count = draw(st.integers(0, 20))
    drawn = []
    for _ in range(draw(st.integers(1, 4))):
        values = draw(VALUES)
        least = draw(st.sampled_from([-1, 0]))
        rows = st.lists(st.integers(least, len(values) - 1), min_size=count, max_size=count)
        drawn.append((values, draw(rows)))
    return count, drawn


@settings(max_examples=200, deadline=None)
@given(columns(), st.integers(1, 7))
def test_cells_of_a_row_are_separated(table, block):
    count, drawn = table
    cells = [
        Cell([DictColumn(pa.array(values, pa.string()), np.array(indices, np.int64))])
        if min(indices, default=0) >= 0
        else Cell(
            [optional_column(pa.array(values, pa.string()), np.array(indices, np.int64))],
            np.array([index >= 0 for index in indices]),
        )
        for values, indices in drawn
    ]
    expected = "".join(
        "(" + ", ".join(values[rows[i]] for values, rows in drawn if rows[i] >= 0) + ")\n"
        for i in range(count)
    )
    rows = [b"(", *join_cells(cells, ", "), b")", b"\n"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_encoder, "_BLOCK", block)
        assert b"".join(row_encoder.encode_rows(count, rows)).decode() == expected
