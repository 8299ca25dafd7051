"""The grammar of options: quoting, lists, and the forms a value can be given in."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.cli.parser import (
    parse_command,
    split_line,
    split_unfinished,
)
from tfprof.definitions.options import OPTIONS, format_value, join_list, split_list
from tfprof.errors import OptionError

regexes = st.text(st.characters(exclude_characters="\\", codec="utf-8"), min_size=1)


@given(st.lists(st.text(st.characters(codec="utf-8"))))
def test_what_a_shell_quotes_is_read_back(words: list[str]) -> None:
    assert split_line(shlex.join(words)) == words


@given(st.lists(regexes))
def test_lists_are_read_back(values: list[str]) -> None:
    assert split_list(join_list(values)) == tuple(values)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (r"op -show_name_regexes save\/.*,\d+", ["op", "-show_name_regexes", r"save\/.*,\d+"]),
        (r"a\ b 'c d' \"", ["a b", "c d", '"']),
        (r"""'it''s' "a\"b\\c\d" """, ["its", r'a"b\c\d']),
        ("a  ''  b\t", ["a", "", "b"]),
        (r"'\,'", [r"\,"]),
    ],
)
def test_quoting(line: str, words: list[str]) -> None:
    assert split_line(line) == words


def test_an_open_quote_is_an_error() -> None:
    with pytest.raises(OptionError, match="unclosed quote"):
        split_line("op -show_name_regexes 'a b")


def test_the_word_being_typed_may_have_an_open_quote() -> None:
    assert split_unfinished("op -show_name_regexes 'a b") == (["op", "-show_name_regexes"], "a b")
    assert split_unfinished("op ") == (["op"], "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b", ("a", "b")),
        (",a,,b,", ("a", "b")),
        (r"a\,b,c", ("a,b", "c")),
        (r"a\\,b", (r"a\\", "b")),
        (r"x{1\,2}", ("x{1,2}",)),
        ("a\\", ("a\\",)),
        ("", ()),
    ],
)
def test_lists(text: str, expected: tuple[str, ...]) -> None:
    assert split_list(text) == expected


@pytest.mark.parametrize(
    "words",
    [["--step=-1"], ["--step", "-1"], ["-step", "-1"], ["-step=-1"], ["--step=0", "--step=-1"]],
)
def test_forms_of_a_value(words: list[str]) -> None:
    assert parse_command(words, OPTIONS).values == {"step": -1}


@pytest.mark.parametrize(
    ("words", "command", "value"),
    [
        (["-account_displayed_op_only"], "", True),
        (["-account_displayed_op_only", "scope"], "scope", True),
        (["scope", "-account_displayed_op_only", "No"], "scope", False),
        (["--account_displayed_op_only=f", "scope"], "scope", False),
        (["-account_displayed_op_only", "-step", "1"], "", True),
        (["--account-displayed-op-only", "1"], "", True),
    ],
)
def test_a_flag_may_stand_alone(words: list[str], command: str, value: bool) -> None:
    line = parse_command(words, OPTIONS)
    assert (line.name, line.values["account_displayed_op_only"]) == (command, value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-selct", "micros"], "did you mean '-select'"),
        (["--selct=micros"], "did you mean '--select'"),
        (["-select"], "'-select' needs a value"),
        (["-select", "-step", "1"], "'-select' needs a value"),
        (["-step", "one"], "'one' is not a whole number"),
        (["-account_displayed_op_only=maybe"], "neither true nor false"),
        (["---step=1"], "unknown option '---step'"),
    ],
)
def test_mistakes(words: list[str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_command(words, OPTIONS)


def test_what_follows_help_is_a_topic() -> None:
    assert parse_command(["help", "-select"], OPTIONS).arguments == ("-select",)
    assert parse_command(["-step", "1", "help"], OPTIONS).name == "help"
    assert parse_command(["op", "-show_name_regexes", "help"], OPTIONS).name == "op"


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
def test_every_default_is_read_back_as_it_is_shown(option: object) -> None:
    name, default = option.name, option.default  # type: ignore[attr-defined]
    assert parse_command([f"-{name}={format_value(default)}"], OPTIONS).values == {name: default}
