"""Advice on a terminal: the same words, in lines that fit."""

from __future__ import annotations

import pytest

import tfprof
from tfprof import demo
from tfprof.advisor import Advice
from tfprof.api.advice import advice_lines
from tfprof.runtime.terminal import Terminal, line_width, plain_text


@pytest.fixture(scope="module")
def advice() -> Advice:
    return tfprof.load(**demo.paths()).advise()


@pytest.mark.parametrize("width", [80, 120])
def test_it_fits_and_says_the_same(advice: Advice, width: int) -> None:
    lines = list(advice_lines(advice, Terminal(width)))
    assert max(map(line_width, lines)) <= width
    assert plain_text(lines).split() == advice.text().split()


def test_names_of_checkers_stand_out_and_what_is_missing_does_not(advice: Advice) -> None:
    styles = {line[0].text: line[0].style for line in advice_lines(advice, Terminal(200)) if line}
    assert styles["MemoryPeak:"] == "title"
    assert styles["no findings"] == "cold"
    assert styles["  potential impact: 480.00MB at the peak"] == ""
