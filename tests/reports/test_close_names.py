"""The closest of many names is found, and only few are compared letter by letter."""

from __future__ import annotations

import difflib
import random

import pyarrow as pa
import pytest

from tfprof.reports import close_names
from tfprof.reports.close_names import close_name

NAMES = [f"layer_{i // 100}/block_{i % 100}/MatMul" for i in range(100_000)]


@pytest.mark.parametrize("name", [NAMES[0], NAMES[50_000], NAMES[-1]])
def test_a_typo_is_found_among_many_names(name: str) -> None:
    typed = name.replace("MatMul", "MatMull")
    assert close_name(typed, pa.array(NAMES)) == name


def test_few_names_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    compare = difflib.get_close_matches

    def record(word, possibilities, *rest):
        compared.append(len(possibilities))
        return compare(word, possibilities, *rest)

    monkeypatch.setattr(close_names.difflib, "get_close_matches", record)
    assert close_name(NAMES[0][:-1], pa.array(NAMES)) == NAMES[0]
    assert compared == [100]


def test_it_is_the_closest_of_all() -> None:
    draw = random.Random(1)
    words = ["conv", "dense", "bn", "gamma", "beta", "unit", "block", "relu", "add", "mul"]
    names = list(dict.fromkeys("/".join(draw.choices(words, k=3)) for _ in range(600)))
    for name in draw.sample(names, 50):
        at = draw.randrange(len(name))
        typed = name[:at] + name[at + 1 :]
        ratio = [difflib.SequenceMatcher(None, other, typed).ratio() for other in names]
        found = close_name(typed, pa.array(names))
        assert difflib.SequenceMatcher(None, found, typed).ratio() == max(ratio)


def test_a_name_that_is_just_similar_enough() -> None:
    """Of two texts of 3 and 7 letters, the ratio is at most 0.6."""
    for typed, name in (("abc", "abcdefg"), ("abcdefg", "abc"), ("äöü", "äöüdefg")):
        assert difflib.SequenceMatcher(None, name, typed).ratio() == 0.6
        assert close_name(typed, pa.array([name])) == name
    assert close_name("abc", pa.array(["abcdefgh"])) == ""


@pytest.mark.parametrize(
    ("text", "names"),
    [("zzz", ["add"]), ("", ["add"]), ("x", [""]), ("add", []), ("\N{ROCKET}", ["add"])],
)
def test_nothing_is_close(text: str, names: list[str]) -> None:
    assert close_name(text, pa.array(names, pa.string())) == ""


def test_names_that_are_no_text() -> None:
    names = pa.array([b"layer_\xff1", b"x" * 100_000, "größe_1".encode()]).view(pa.string())
    assert close_name("layer_1", names) == "layer_\ufffd1"
    assert close_name("größe_2", names) == "größe_1"
