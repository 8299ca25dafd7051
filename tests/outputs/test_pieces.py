"""Rows of bytes from pieces: however they are cut up, nothing is lost, added or moved."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.outputs.encoding import row_encoder
from tfprof.outputs.encoding.row_encoder import DictColumn, encode_rows

WORDS = st.lists(st.binary(max_size=6), min_size=1, max_size=12)


@st.composite
def rows_of_pieces(draw):
    """Some pieces, and what each row then is."""
    count = draw(st.integers(0, 40))
    found, texts, said = [], [b""] * count, [b""] * count
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["shared", "own", "few", "ascending", "again"]))
        if kind == "again":
            piece = found[-1] if found else b""
        elif kind == "shared":
            piece = draw(st.binary(max_size=4))
            said = [piece] * count
        elif kind == "own":
            said = draw(st.lists(st.binary(max_size=6), min_size=count, max_size=count))
            piece = DictColumn(pa.array(said, pa.binary()))
        else:
            words = draw(WORDS)
            at = draw(st.lists(st.integers(0, len(words) - 1), min_size=count, max_size=count))
            at = sorted(at) if kind == "ascending" else at
            said = [words[place] for place in at]
            piece = DictColumn(pa.array(words, pa.binary()), np.array(at, np.int64))
        found.append(piece)
        texts = [text + more for text, more in zip(texts, said, strict=True)]
    return count, found, b"".join(texts)


@pytest.mark.parametrize("much", [0, 20, 1 << 22])
@pytest.mark.parametrize("little", [0, 10])
@given(made=rows_of_pieces(), together=st.integers(1, 60))
def test_rows_are_all_their_pieces(much, little, made, together):
    count, found, expected = made
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_encoder, "_MUCH", much)
        patch.setattr(row_encoder, "_LITTLE", little)
        patch.setattr(row_encoder, "_TOGETHER", together)
        assert b"".join(encode_rows(count, found)) == expected
