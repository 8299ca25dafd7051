"""Every option with a thousand nonsense values: status 2, one line, and at once."""

from __future__ import annotations

import random
import time

import pytest

import tfprof
from fuzz.odd import TOKENS
from tests.robustness.budget import slowness
from tests.robustness.models import command, graph_of
from tfprof import cli
from tfprof.cli.inputs import INPUTS
from tfprof.definitions.options import OPTIONS

VALUES = 1000
INVALID = ("(", "[", "*a", "a**{", "(?<", "[z-a]", "\\8", r"a{2\,1}", "x{1001}", "(?z)", "\\pX")
SEPARATORS = ("", " ", ",", "/", ":", "=")


@pytest.fixture(autouse=True)
def small_profile(monkeypatch):
    """What `--demo` reads."""
    profile = tfprof.load(graph=graph_of(("a", "A")))
    monkeypatch.setattr(cli, "load_profile", lambda *_, **__: profile)


def nonsense(kind, dice):
    """Something that no option of this kind takes."""
    word = dice.choice(SEPARATORS).join(dice.choices(TOKENS, k=dice.randint(1, 4)))
    if kind == "integer":
        return dice.choice(
            (f"x{word}", f"{word}x", "9" * 20, "-" + "9" * 5000, "1.5", "1e3", "--1")
        )
    if kind == "regexes":
        return f"{dice.choice(INVALID)},{word}" if dice.random() < 0.5 else dice.choice(INVALID)
    if kind == "select":
        return f"micros,?{word}".replace("\\,", "")
    return f"?{word}"


@pytest.mark.parametrize("name", list(OPTIONS))
def test_nonsense(name):
    dice, budget = random.Random(name), slowness()
    for _ in range(VALUES):
        value = nonsense(OPTIONS[name].kind, dice)
        started = time.process_time()
        done = command("--demo", "scope", f"--{name}={value}")
        assert time.process_time() - started < budget, value
        assert (done.status, done.out) == (2, ""), (value, done.err)
        assert len(done.err.splitlines()) == 1, value
        assert done.err.startswith("tfprof: option "), (value, done.err)


@pytest.mark.parametrize("words", [("--{}",), ("scope", "-{}=1"), ("{}",), ("help", "{}")])
def test_unknown_words(words):
    dice = random.Random(str(words))
    for _ in range(VALUES):
        word = "?" + nonsense("order", dice)
        done = command(*(part.replace("{}", word) for part in words))
        status = 1 if words == ("{}",) else 2  # a word alone names a file, which is not there
        assert (done.status, len(done.err.splitlines())) == (status, 1), (word, done)


@pytest.mark.parametrize("name", [name for name, flag in INPUTS.items() if "path" in flag.kind])
def test_files_that_are_not_there(name, monkeypatch, tmp_path):
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    dice = random.Random(name)
    for _ in range(100):
        done = command(f"--{name}={nonsense('order', dice)}", "scope")
        assert (done.status, done.out, len(done.err.splitlines())) == (1, "", 1), done


@pytest.mark.parametrize("line", ["a", "scope -select ", "scope -x", "'", "\\ ", "set -step="])
def test_lines_of_megabytes(line):
    """The time for a line grows with its length, not with the square of it."""
    started = time.process_time()
    done = command("--demo", "--quiet", stdin=line + "a" * 3_000_000 + "\nop -select params\n")
    assert time.process_time() - started < 10
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert done.out.startswith("node name")
