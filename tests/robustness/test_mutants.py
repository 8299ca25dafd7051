"""`make mutants` changes what it says, and a mutant dies if a test notices the change."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tools.mutants.__main__ import FILES, ROOT, SOURCE, TESTS
from tools.mutants.generate import generate_mutants

_CODE = '''
"""A text."""

def f(x: int | None = 1) -> bool | None:
    """Another text."""
    if x and not g(x, key="é", step=2):
        raise ValueError(f"{x + 1}")
    x += 1
    return [-y for y in x if y < 3 <= x]
'''
_CHANGES = [
    ("1", "2"),
    ('x and not g(x, key="é", step=2)', "x or not g(x, key='é', step=2)"),
    ("x", "not x"),
    ('not g(x, key="é", step=2)', "g(x, key='é', step=2)"),
    ('g(x, key="é", step=2)', "g(x, step=2)"),
    ('g(x, key="é", step=2)', "g(x, key='é')"),
    ("2", "3"),
    ('raise ValueError(f"{x + 1}")', "pass"),
    ("x += 1", "x -= 1"),
    ("1", "2"),
    ("-y", "y"),
    ("y < 3 <= x", "y <= 3 <= x"),
    ("y < 3 <= x", "y < 3 < x"),
    ("3", "4"),
]


def test_changes():
    mutants = list(generate_mutants(_CODE))
    assert [(mutant.old, mutant.new) for mutant in mutants] == _CHANGES
    condition = mutants[1]
    assert condition.lines == range(6, 7)
    assert condition.source == _CODE.replace(condition.old, f"({condition.new})")


@pytest.mark.parametrize("name", FILES)
def test_mutants_of_a_file(name):
    source = (SOURCE / name).read_text()
    for mutant in generate_mutants(source):
        assert mutant.source != source
        compile(mutant.source, name, "exec")


def test_folders_of_tests():
    assert all((ROOT / "tests" / name).exists() for name in TESTS)


@pytest.mark.parametrize(
    ("old", "new", "dies"),
    [("value >= size", "value > size", True), ("value >= size", "size <= value", False)],
)
def test_whether_a_mutant_dies(old, new, dies):
    source = (SOURCE / "definitions/units.py").read_text()
    assert source.count(old) == 1
    test = "tests/definitions/test_units.py::test_formats[number-1000-1.00k]"
    task = "tfprof.definitions.units", source.replace(old, new), [test]
    program = f"import sys, tools.mutants.try_mutant as t; sys.exit(t.dies(*{task!r}))"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "TFPROF_LOWEST": "1"}
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, check=False)
    assert done.returncode == dies
