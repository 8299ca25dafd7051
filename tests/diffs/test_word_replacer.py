"""Words are replaced where a regular expression of all of them would."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tfprof.definitions.limits import MAX_WORD_PARTS
from tfprof.diffs.word_replacer import WordReplacer

NAMES = st.text("ab1_/.é", max_size=12)
WORDS = st.dictionaries(st.text("ab1_.é", min_size=1, max_size=5), NAMES, max_size=8)


@given(WORDS, st.lists(NAMES, max_size=5))
def test_words_are_replaced_as_by_a_regular_expression(
    renamed: dict[str, str], names: list[str]
) -> None:
    words = "|".join(map(re.escape, sorted(renamed, key=len, reverse=True))) or "(?!)"
    pattern = re.compile(f"(?<![A-Za-z0-9])(?:{words})(?![A-Za-z0-9])")
    replace = WordReplacer(renamed).replace
    for name in [*names, *renamed, "_".join(renamed)]:
        expected = pattern.sub(lambda match: renamed[match[0]], name)
        assert replace(name) == (None if expected == name else expected)


def test_words_of_too_many_parts_stay() -> None:
    word = "_" * MAX_WORD_PARTS
    assert WordReplacer({f"{word}_": "x"}).replace(f"{word}_") is None
    assert WordReplacer({word: "x"}).replace(word) == "x"
