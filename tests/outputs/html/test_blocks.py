from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.outputs.html.decoder import Page
from tfprof.outputs.html.blocks import EXACT, Blocks, compress
from tfprof.outputs.html.writer import element, encode_json


def page_of(blocks: Blocks) -> Page:
    elements = {
        "page": compress(encode_json({"blocks": list(blocks.specs.values()), "nodes": None}))
    }
    elements |= {f"b{i}": blocks.compressed(i) for i in range(len(blocks))}
    return Page("".join(element(name, data) for name, data in elements.items()).encode())


@given(st.lists(st.integers(-EXACT // 2, EXACT // 2)), st.booleans())
def test_integers_come_back(values, delta):
    blocks = Blocks()
    ref = blocks.add_integers(np.array(values, np.int64), delta=delta)
    assert page_of(blocks).integers(ref).tolist() == values


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_texts_come_back(values):
    blocks = Blocks()
    refs = blocks.add_texts(pa.array(values, pa.string()))
    assert page_of(blocks).texts(refs) == values


def test_bytes_that_are_no_text_are_replaced():
    blocks = Blocks()
    broken = pa.array([b"a\xff", b"b"], pa.binary()).cast(pa.string(), safe=False)
    refs = blocks.add_texts(broken)
    assert page_of(blocks).texts(refs) == ["a\ufffd", "b"]


def test_missing_texts_have_no_index():
    blocks = Blocks()
    refs = blocks.add_dictionary(pa.array(["x", None, "x", ""], pa.string()))
    assert page_of(blocks).dictionary(refs) == ["x", None, "x", ""]


def test_same_content_is_one_block_and_a_constant_needs_no_bytes():
    blocks = Blocks()
    first = blocks.add_integers(np.arange(100))
    assert blocks.add_integers(np.arange(100)) == first
    constant = blocks.add_integers(np.full(1000, 7))
    assert blocks.specs[constant] == [1000, 7, 0, 0]
    assert len(blocks) == 2


@pytest.mark.parametrize("dtype", [bool, np.int32, np.uint8])
def test_small_types(dtype):
    blocks = Blocks()
    values = np.array([0, 1, 1, 0], dtype)
    ref = blocks.add_integers(values)
    assert page_of(blocks).integers(ref).tolist() == [0, 1, 1, 0]
