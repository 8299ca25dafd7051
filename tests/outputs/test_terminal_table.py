"""Tables for a terminal: they fit, names give way, numbers do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tfprof.outputs.terminal_table import Column, table_lines
from tfprof.runtime.terminal import Span, line_width, plain_text, shorten_end


def names(texts: Sequence[str], **more: object) -> Column:
    """A column of texts that can be shortened."""
    column = numbers("node name", texts)
    return replace(column, right=False, shorten=shorten_end, ample=12, least=9, **more)  # type: ignore[arg-type]


def numbers(title: str, texts: Sequence[str], **more: object) -> Column:
    """A column of numbers."""
    cell: Callable[[int], Span] = lambda row: Span(texts[row])  # noqa: E731
    return Column(title, max(map(len, texts)), cell, right=True, **more)  # type: ignore[arg-type]


def shown(columns: Sequence[Column], width: int, rows: int = 2) -> list[str]:
    return plain_text(table_lines(columns, range(rows), width)).splitlines()


LONG = ["a rather long name", "b"]
TIME = numbers("execution time", ["1.50sec", "2us"])
BARS = numbers("", ["█████", "█"], optional=True)


def test_columns_are_aligned_below_their_titles() -> None:
    assert shown([names(LONG), TIME, BARS], 80) == [
        "node name           execution time",
        "a rather long name         1.50sec  █████",
        "b                              2us      █",
    ]


def test_titles_are_broken_first() -> None:
    assert shown([names(LONG), TIME, BARS], 36) == [
        "                    execution",
        "node name                time",
        "a rather long name    1.50sec  █████",
        "b                         2us      █",
    ]


def test_names_shrink_before_bars_go_and_again_after_that() -> None:
    assert shown([names(LONG), TIME, BARS], 30)[2:] == [
        "a rather lo…    1.50sec  █████",
        "b                   2us      █",
    ]
    assert shown([names(LONG), TIME, BARS], 29)[2:] == [
        "a rather long name    1.50sec",
        "b                         2us",
    ]
    assert shown([names(LONG), TIME, BARS], 20)[2:] == [
        "a rather…    1.50sec",
        "b                2us",
    ]


def test_compact_cells_are_tried_before_names_become_very_short() -> None:
    both = numbers("time", ["1us (100%, 50%)", "1us (50%, 50%)"])
    both = replace(both, compact=numbers("time", ["1us (50%)", "1us (50%)"]))
    assert shown([names(LONG), both], 24)[1:] == [
        "a rather lon…  1us (50%)",
        "b              1us (50%)",
    ]


def test_a_sign_stays_with_its_word() -> None:
    params = numbers("# parameters", ["1", "2"])
    assert shown([names(LONG), params], 24)[0] == "node name   # parameters"


def test_rows_continue_where_nothing_else_helps() -> None:
    columns = [names(LONG), TIME, numbers("bytes", ["1414.99MB", "0B"])]
    assert shown(columns, 22) == [
        "           execution",
        "node name       time",
        "        bytes",
        "a rather…    1.50sec",
        "    1414.99MB",
        "b                2us",
        "           0B",
    ]


def test_text_below_a_row_stays_as_it_is() -> None:
    lines = table_lines([names(LONG)], range(2), 9, below=lambda row: ["x" * 20] * row)
    assert plain_text(lines).splitlines() == ["node name", "a rather…", "b", "x" * 20]


@given(
    st.lists(st.text("abc层é ", min_size=1, max_size=40), min_size=1, max_size=4),
    st.lists(st.integers(0, 10**12), min_size=0, max_size=5),
    st.integers(24, 120),
)
def test_every_line_fits_and_every_number_is_there(
    texts: list[str], values: list[int], width: int
) -> None:
    columns = [
        names(texts),
        *(numbers(f"n {i}", [str(v)] * len(texts)) for i, v in enumerate(values)),
    ]
    lines = list(table_lines(columns, range(len(texts)), width))
    assert max(map(line_width, lines)) <= width
    printed = plain_text(lines).split()
    for value in values:
        assert printed.count(str(value)) >= len(texts)
