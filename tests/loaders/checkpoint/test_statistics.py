"""Statistics agree with NumPy's, count what is not finite, and survive the largest numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfprof.loaders.checkpoint import Statistics, open_checkpoint
from tfprof.loaders.checkpoint.statistics import statistics_of


def test_in_several_slices() -> None:
    values = np.random.default_rng(3).normal(1e6, 1, (1500, 1501))
    found = statistics_of(values)
    assert found.mean == pytest.approx(values.mean(), rel=1e-13)
    assert found.std == pytest.approx(values.std(), rel=1e-9)
    assert (found.min, found.max) == (values.min(), values.max())


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([0.0, -2.0, np.nan, np.inf, -np.inf, 4.0, -0.0, -2.0], "f4"),
         Statistics(-2.0, 4.0, 0.0, np.sqrt(24 / 5), 2, 1, 2, 8)),
        (np.array([], "f4"), Statistics(None, None, None, None, 0, 0, 0, 0)),
        (np.array([np.nan]), Statistics(None, None, None, None, 0, 1, 0, 1)),
        (np.array([True, False]), Statistics(0, 1, 0.5, 0.5, 1, 0, 0, 2)),
        (np.array([3 + 4j, 0]), Statistics(0.0, 5.0, 2.5, 2.5, 1, 0, 0, 2)),
        (np.array([1e308, -1e308]), Statistics(-1e308, 1e308, 0.0, 1e308, 0, 0, 0, 2)),
        (np.array([60000] * 4, "f2"), Statistics(60000.0, 60000.0, 60000.0, 0.0, 0, 0, 0, 4)),
        (np.array([2**64 - 1], "u8"), Statistics(2**64 - 1, 2**64 - 1, 2.0**64, 0.0, 0, 0, 0, 1)),
        (np.array([b"a", b""], object), Statistics(None, None, None, None, 0, 0, 0, 2)),
    ],
)  # fmt: skip
def test_small(values: Any, expected: Statistics) -> None:
    assert statistics_of(values) == expected


def test_of_every_tensor(all_types: Path) -> None:
    ours = open_checkpoint(all_types)
    for name in ours.tensors:
        assert ours.statistics(name).count == ours.read(name).size
