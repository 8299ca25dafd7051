"""Escape sequences of the text format, against protobuf's own function."""

from __future__ import annotations

import pytest
from google.protobuf.text_encoding import CUnescape
from hypothesis import given
from hypothesis import strategies as st

from tfprof.loaders.pbtxt.escapes import split_backslash_runs, unescape

ESCAPES = [r"\\", *(rf"\{letter}" for letter in "abfnrtv'"), r"\u00e9", r"\U0001f600"]
ESCAPES += [r"\"", r"\x4", r"\x41", r"\101", r"\0", "x", "4", "1", "é", "'"]


@given(st.lists(st.sampled_from(ESCAPES), max_size=12))
def test_same_as_protobuf(parts):
    text = "".join(parts)
    assert unescape(text.encode()) == CUnescape(text)


@given(st.integers(0, 50), st.sampled_from(["", "n", "x41", "134"]))
def test_no_runs_of_backslashes(count, after):
    text = ("\\\\" * count + after).encode()
    assert rb"\\" not in split_backslash_runs(text)
    assert unescape(text) == b"\\" * count + after.encode()


@pytest.mark.parametrize(
    "text", [b"\\E", b"\\", b"\\x", b"\\777", b"\\ud800", b"\\U00110000", b"\\Uaaaaaaaa", b"\xff"]
)
def test_malformed_sequences_are_refused(text):
    with pytest.raises(ValueError, match=r"escape|range|surrogate|decode|bytes"):
        unescape(text)


def test_sequences_that_only_the_original_knows():
    assert unescape(rb"\?\X41") == b"?A"
