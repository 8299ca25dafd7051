"""Text for a terminal: nothing is wider than it may be, and no name is obeyed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.runtime.terminal import (
    Span,
    bar,
    cell_width,
    encode_line,
    heat,
    line_width,
    plain_text,
    shorten_code,
    shorten_end,
    shorten_middle,
    shorten_name,
)

SHORTEN = [shorten_code, shorten_end, shorten_middle, shorten_name]


def test_styles_are_escape_sequences_and_names_are_not() -> None:
    line = [Span("hot\x1b[2J", "hot"), Span("  "), Span("plain\n")]
    assert encode_line(line, colour=True) == "\x1b[1;31mhot\\x1b[2J\x1b[0m  plain\\n"
    assert encode_line(line, colour=False) == "hot\\x1b[2J  plain\\n"
    assert line_width(line) == len("hot\\x1b[2J  plain\\n")


def test_blanks_have_no_style() -> None:
    assert encode_line([Span("  ", "hot"), Span("", "hot")], colour=True) == "  "


def test_plain_text_has_no_blanks_at_the_ends_of_lines() -> None:
    assert plain_text([[Span("a", "hot"), Span("  ")], []]) == "a\n\n"


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("层", 2), ("e\u0301", 1), ("\u200b", 0), ("é", 1)]
)
def test_cells(text: str, width: int) -> None:
    assert cell_width(text) == width


@pytest.mark.parametrize("shorten", SHORTEN)
@given(st.text("ab/层:.é(", max_size=60), st.integers(0, 70))
def test_shortened_text_fits(shorten: object, text: str, width: int) -> None:
    shortened = shorten(text, width)  # type: ignore[operator]
    assert cell_width(shortened) <= width
    assert (shortened == text) == (cell_width(text) <= width)


@pytest.mark.parametrize(
    ("width", "shortened"),
    [
        (60, "gradients/unit_1_3/sub2/conv2/Conv2D_grad/BackpropFilter"),
        (50, "gradients/…/sub2/conv2/Conv2D_grad/BackpropFilter"),
        (40, "gradients/…/Conv2D_grad/BackpropFilter"),
        (30, "gradients/…/BackpropFilter"),
        (20, "…/BackpropFilter"),
        (10, "gradi…lter"),
    ],
)
def test_a_name_keeps_its_last_scopes(width: int, shortened: str) -> None:
    name = "gradients/unit_1_3/sub2/conv2/Conv2D_grad/BackpropFilter"
    assert shorten_name(name, width) == shortened


@pytest.mark.parametrize(
    ("width", "shortened"),
    [
        (70, "/home/me/project/model.py:12:call:return self.dense(x) (gradient)"),
        (60, "…/model.py:12:call:return self.dense(x) (gradient)"),
        (40, "…/model.py:12:call:return se… (gradient)"),
        (20, "…/model.py:12:call:…"),
    ],
)
def test_a_line_of_code_keeps_its_file_and_line(width: int, shortened: str) -> None:
    name = "/home/me/project/model.py:12:call:return self.dense(x) (gradient)"
    assert shorten_code(name, width) == shortened


@pytest.mark.parametrize(
    ("share", "style"), [(1.0, "hot"), (0.5, "hot"), (0.2, "warm"), (0.05, ""), (0.0, "cold")]
)
def test_heat(share: float, style: str) -> None:
    assert heat(share) == style


@pytest.mark.parametrize(
    ("share", "shown"), [(0, ""), (1, "████"), (0.5, "██"), (1 / 32, "▏"), (2, "████"), (-1, "")]
)
def test_bars(share: float, shown: str) -> None:
    assert bar(share, 4) == shown


@given(st.text("ab/漢é\u0301…", max_size=40), st.integers(-3, 45))
def test_a_name_keeps_as_many_of_its_last_scopes_as_fit(name: str, width: int) -> None:
    head, *scopes = name.split("/")
    candidates = [
        f"{prefix}/{'/'.join(scopes[first:])}"
        for prefix in (f"{head}/…", "…")
        for first in range(len(scopes))
    ]
    fitting = (text for text in (name, *candidates) if cell_width(text) <= width)
    assert shorten_name(name, width) == next(fitting, shorten_middle(name, width))
