"""Rows of bytes from columns: in blocks of any size they are the same bytes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.outputs.encoding import row_encoder
from tfprof.outputs.encoding.row_encoder import DictColumn, encode_rows

VALUES = st.lists(st.binary(max_size=6), min_size=1, max_size=12)


@st.composite
def columns(draw):
    """Some columns, and the bytes of all rows."""
    count = draw(st.integers(0, 40))
    drawn, rows, cells = [], [b""] * count, [b""] * count
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["constant", "own", "few", "ascending", "again"]))
        if kind == "again":
            column = drawn[-1] if drawn else b""
        elif kind == "constant":
            column = draw(st.binary(max_size=4))
            cells = [column] * count
        elif kind == "own":
            cells = draw(st.lists(st.binary(max_size=6), min_size=count, max_size=count))
            column = DictColumn(pa.array(cells, pa.binary()))
        else:
            values = draw(VALUES)
            indices = st.lists(st.integers(0, len(values) - 1), min_size=count, max_size=count)
            indices = sorted(draw(indices)) if kind == "ascending" else draw(indices)
            cells = [values[i] for i in indices]
            column = DictColumn(pa.array(values, pa.binary()), np.array(indices, np.int64))
        drawn.append(column)
        rows = [row + cell for row, cell in zip(rows, cells, strict=True)]
    return count, drawn, b"".join(rows)


@pytest.mark.parametrize("large", [0, 20, 1 << 22])
@pytest.mark.parametrize("small", [0, 10])
@given(table=columns(), block=st.integers(1, 60))
def test_rows_are_all_their_columns(large, small, table, block):
    count, drawn, expected = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_encoder, "_LARGE", large)
        patch.setattr(row_encoder, "_SMALL", small)
        patch.setattr(row_encoder, "_BLOCK", block)
        assert b"".join(encode_rows(count, drawn)) == expected
