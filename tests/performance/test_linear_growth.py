"""Cost, layer table and views call as many functions per node on large graphs as on small ones.

`make growth` does the same up to 100,000 nodes.
"""

from __future__ import annotations

import pytest

from benchmarks.growth import ANALYSES, MAX_GROWTH, calls_per_node
from benchmarks.random_graphs import KINDS

SMALL, LARGE = 500, 2_000


@pytest.mark.parametrize("analysis", ANALYSES)
@pytest.mark.parametrize("kind", KINDS)
def test_calls_per_node(kind: str, analysis: str) -> None:
    calls_per_node(kind, 50, analysis)  # imports and caches
    small = calls_per_node(kind, SMALL, analysis)
    assert calls_per_node(kind, LARGE, analysis) < MAX_GROWTH * small
