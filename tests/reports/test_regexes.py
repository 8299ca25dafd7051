"""Regular expressions: what they match, and which are refused."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tfprof
from tfprof.definitions.limits import MAX_REGEXES
from tfprof.definitions.quirks import ORIGINAL, REPAIRED
from tfprof.reports import regexes


@pytest.mark.parametrize(
    ("regex", "names"),
    [("a", ["a"]), ("a|b", ["a", "b"]), (r"\Qa.", ["a."]), ("a.?", ["a", "ab", "a."]), ("(", [])],
)
def test_the_whole_text_matches(regex: str, names: list[str]) -> None:
    texts = pa.array(["a", "ab", "a.", "b"])
    assert texts.filter(pa.array(regexes.matches(regex, texts))).to_pylist() == names


def test_as_many_as_are_allowed() -> None:
    most = ("a",) * MAX_REGEXES
    regexes.check("show_name_regexes", most, REPAIRED)
    with pytest.raises(tfprof.OptionError, match="has 10,001 regexes, at most 10,000 are allowed"):
        regexes.check("show_name_regexes", (*most, "a"), REPAIRED)


def test_invalid_ones_are_refused_but_in_compat() -> None:
    regexes.check("show_name_regexes", ("(",), ORIGINAL)
    with pytest.raises(tfprof.OptionError, match=r"invalid regex '\(': missing \)"):
        regexes.check("show_name_regexes", ("a", "("), REPAIRED)


def test_search_finds_a_part() -> None:
    texts = pa.array(["ab", "b", "c"])
    assert regexes.search("b", texts).tolist() == [True, True, False]
    with pytest.raises(tfprof.OptionError, match=r"invalid regex '\(': missing \)"):
        regexes.search("(", texts)
