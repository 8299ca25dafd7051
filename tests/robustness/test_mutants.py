"""The list of `make mutants` fits the sources: each change is of exactly one place."""

from __future__ import annotations

import pytest

from tools.mutants import MUTANTS, ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.file}-{mutant.old[:30]}")
def test_place_of_a_mutant(mutant):
    source = (ROOT / "src" / "tfprof" / mutant.file).read_text()
    assert source.count(mutant.old) == 1
    assert mutant.old != mutant.new
    for path in mutant.tests.split():
        assert (ROOT / path).exists()
