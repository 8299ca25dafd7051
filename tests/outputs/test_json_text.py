"""Text put together from columns, against the same text put together row by row."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.outputs.encoding import json_encoder, row_encoder
from tfprof.outputs.encoding.row_encoder import DictColumn

WORDS = ["", "a", "Ü", "word", "a longer one"]


def _as_text(part, row):
    if isinstance(part, str):
        return part
    if isinstance(part, DictColumn):
        return part.words[int(part.at[row])].as_py()
    value = part[row]
    return value.as_py() if isinstance(part, pa.Array) else str(value)


@st.composite
def _parts(draw):
    count = draw(st.integers(0, 30))

    def column(values):
        return draw(st.lists(values, min_size=count, max_size=count))

    shared = pa.array(WORDS)
    kinds = {
        "string": lambda: draw(st.sampled_from(WORDS)),
        "column": lambda: pa.array(column(st.sampled_from(WORDS)), pa.string()),
        "small": lambda: np.array(column(st.integers(0, 3)), np.int64),
        "numbers": lambda: np.array(column(st.integers(-(2**63), 2**63 - 1)), np.int64),
        "coded": lambda: DictColumn(
            shared, np.array(column(st.integers(0, len(WORDS) - 1)), np.int64)
        ),
    }
    names = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=6))
    return count, [kinds[name]() for name in names]


@given(_parts())
def test_texts_are_their_parts_in_turn(drawn):
    count, parts = drawn
    wanted = "".join(_as_text(part, row) for row in range(count) for part in parts)
    assert b"".join(json_encoder.texts(count, *parts)).decode() == wanted


def test_many_rows_come_in_several_parts():
    count = 300_000
    found = list(json_encoder.texts(count, np.arange(count), ","))
    assert len(found) >= 4
    assert max(map(len, found)) <= 2 * row_encoder._TOGETHER
    assert b"".join(found).decode() == "".join(f"{row}," for row in range(count))


@pytest.mark.parametrize("names", [[], [""], ["a/b:0"], ['"'], ["\\"], ["\n", "\x7f"], ["Ü"]])
def test_escaped_as_json_writes_it(names):
    found = json_encoder.escaped(pa.array(names, pa.string())).to_pylist()
    wanted = [json.dumps(name)[1:-1].replace(r"\u007f", "\x7f") for name in names]
    assert found == wanted
