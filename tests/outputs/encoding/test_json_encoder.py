"""JSON encoded from columns, against the same text row by row."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.outputs.encoding import json_encoder, row_encoder
from tfprof.outputs.encoding.row_encoder import DictColumn

VALUES = ["", "a", "Ü", "name", "a longer one"]


def _cell(column, row):
    if isinstance(column, str):
        return column
    if isinstance(column, DictColumn):
        return column.values[int(column.indices[row])].as_py()
    value = column[row]
    return value.as_py() if isinstance(column, pa.Array) else str(value)


@st.composite
def _columns(draw):
    count = draw(st.integers(0, 30))

    def rows(values):
        return draw(st.lists(values, min_size=count, max_size=count))

    shared = pa.array(VALUES)
    kinds = {
        "string": lambda: draw(st.sampled_from(VALUES)),
        "column": lambda: pa.array(rows(st.sampled_from(VALUES)), pa.string()),
        "small": lambda: np.array(rows(st.integers(0, 3)), np.int64),
        "numbers": lambda: np.array(rows(st.integers(-(2**63), 2**63 - 1)), np.int64),
        "dictionary": lambda: DictColumn(
            shared, np.array(rows(st.integers(0, len(VALUES) - 1)), np.int64)
        ),
    }
    names = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=6))
    return count, [kinds[name]() for name in names]


@given(_columns())
def test_rows_are_their_columns_in_turn(drawn):
    count, columns = drawn
    expected = "".join(_cell(column, row) for row in range(count) for column in columns)
    assert b"".join(json_encoder.encode_columns(count, *columns)).decode() == expected


def test_many_rows_come_in_several_chunks():
    count = 300_000
    chunks = list(json_encoder.encode_columns(count, np.arange(count), ","))
    assert len(chunks) >= 4
    assert max(map(len, chunks)) <= 2 * row_encoder._BLOCK
    assert b"".join(chunks).decode() == "".join(f"{row}," for row in range(count))


@pytest.mark.parametrize("names", [[], [""], ["a/b:0"], ['"'], ["\\"], ["\n", "\x7f"], ["Ü"]])
def test_names_are_escaped_like_json_strings(names):
    expected = [json.dumps(name)[1:-1].replace(r"\u007f", "\x7f") for name in names]
    assert json_encoder.escape_json(pa.array(names, pa.string())).to_pylist() == expected
