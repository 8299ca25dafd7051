"""Ours answers random cases as the original does."""

from __future__ import annotations

import pytest

from tests.oracle.compare import MODES, check
from tests.oracle.original import Original

SEED = 20_180_101
CHUNK = 25
CHUNKS = 20


@pytest.mark.parametrize(
    ("mode", "chunk"),
    # Explaining takes longer, so fewer cases of it.
    [(mode, chunk) for mode in MODES for chunk in range(5 if mode == "explained" else CHUNKS)],
)
def test_same_as_original(mode: str, chunk: int, original: Original) -> None:
    """No call of any case is answered differently."""
    first = SEED + chunk * CHUNK
    outcomes = check(range(first, first + CHUNK), mode, original)
    differences = [str(difference) for outcome in outcomes for difference in outcome.differences]
    assert not differences, "\n\n".join(differences[:3])
