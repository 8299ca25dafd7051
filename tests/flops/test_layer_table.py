"""The texts of the layer table."""

from __future__ import annotations

import pytest

from tfprof.flops.layer_table import _shorten


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("(1, 2)", "(1, 2)"),
        ("[(1), ?, (3), (4)]", "[(1), ?, (3), (4)]"),
        ("[(1), ?, (3), (4), (5)]", "[(1), ?, (3), … 2 more]"),
        ("[(1), ?, (3), (4), (5), (6)]", "[(1), ?, (3), … 3 more]"),
    ],
)
def test_of_many_shapes_the_first_are_shown(output: str, text: str) -> None:
    assert _shorten(output) == text
