"""Inputs that once broke something, found by `python -m fuzz`: none may do so again."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fuzz.guard import failure_of
from fuzz.mutate import MUTATORS
from fuzz.targets import targets

BAD = Path(__file__).parents[1] / "data" / "bad"
FILES = sorted(path for path in BAD.rglob("*") if path.is_file())
TARGETS = targets()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_bad_file(path):
    started = time.process_time()
    failure = failure_of(TARGETS[path.parent.name], path.read_bytes())
    assert failure is None, failure
    assert time.process_time() - started < 10


@pytest.mark.parametrize("name", list(TARGETS))
def test_seeds_and_some_mutations(name):
    """A short run of the fuzzer, the same each time: the targets themselves must work."""
    import random

    target, dice = TARGETS[name], random.Random(name)
    for data in target.seeds()[:20]:
        assert failure_of(target, data) is None
    for _ in range(25):
        data = MUTATORS[target.mutator](dice.choice(target.seeds()), dice)
        assert failure_of(target, data) is None, data


def test_every_folder_is_a_target():
    assert {path.parent.name for path in FILES} <= set(TARGETS)
