"""The pager: which one, and that lines are made as it reads them."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import environment
from tfprof.api.pager import page, pager_command


@pytest.mark.parametrize(
    ("variables", "command"),
    [
        ({}, ["less"]),
        ({"PAGER": "more -f"}, ["more", "-f"]),
        ({"PAGER": "more", "TFPROF_PAGER": "most"}, ["most"]),
        ({"PAGER": "cat"}, []),
        ({"PAGER": ""}, []),
        ({"PAGER": "less", "TFPROF_PAGER": ""}, []),
        ({"PAGER": "'unclosed"}, []),
    ],
)
def test_which_pager(variables: dict[str, str], command: list[str]) -> None:
    assert pager_command(variables) == command


def test_without_a_pager_nothing_is_made() -> None:
    lines = (1 / 0 for _ in range(1))
    assert not page(map(str, lines), {"PAGER": ""})
    assert not page(map(str, lines), {"PAGER": "/nonexistent/pager"})


def test_lines_are_made_as_they_are_read(tmp_path: Path) -> None:
    made = 0

    def lines() -> itertools.chain[str]:
        nonlocal made
        for made in itertools.count(1):
            yield f"line {made}\n"

    pager = tmp_path / "pager.py"
    pager.write_text("import os, sys; print(os.environ['LESS'], sys.stdin.readline())")
    assert page(lines(), environment(PAGER=f"{sys.executable} {pager}", LESS=""))
    assert 0 < made < 1_000_000


@pytest.mark.parametrize(("given", "seen"), [({}, "FRX"), ({"LESS": "-S"}, "-S")])
def test_less_gets_the_settings_of_git(tmp_path: Path, given: dict[str, str], seen: str) -> None:
    pager = tmp_path / "pager.py"
    pager.write_text("import os, sys; print(sys.stdin.read() + os.environ['LESS'])")
    variables = {"PAGER": f"{sys.executable} {pager}", **given}
    script = f"from tfprof.api.pager import page; page(['é '], {variables!r})"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, env=environment(), check=True
    )
    assert done.stdout.decode() == f"é {seen}\n"
