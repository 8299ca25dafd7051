"""Numbers of nodes that come near the limits of 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.robustness.models import CPU, loaded, run_of
from tfprof.definitions.quirks import ORIGINAL, REPAIRED, Quirks
from tfprof.flops.node_flops import lazy_flops
from tfprof.memory.peaks import step_memory
from tfprof.reports.measures import NodeSums

HUGE = 10**30


def product(float_ops: list[int], executions: list[int], quirks: Quirks) -> Any:
    """The float operations of all executions of two nodes, whatever ran."""
    profile = loaded(("a", "A"), ("b", "B"), run=run_of(CPU, ("a", 1, 1)))
    flops = lazy_flops(profile, quirks)
    sums = NodeSums(profile, step_memory(profile, quirks), flops, quirks, step=None)
    sums.__dict__["_executions"] = np.array(executions)
    return sums._over_executions(np.array(float_ops))


@pytest.mark.parametrize("quirks", [ORIGINAL, REPAIRED])
@pytest.mark.parametrize(
    ("float_ops", "executions"),
    [
        ([0, 3], [HUGE, 2]),  # a loop whose trip count is huge, and nothing to count in it
        ([0, 0], [HUGE, HUGE]),
        ([5, 3], [HUGE, 2]),
        ([HUGE, 3], [1, 2]),
        ([HUGE, 0], [HUGE, 0]),
        ([-HUGE, HUGE], [1, 1]),
        ([10**150, 1], [10**150, 1]),
        ([7, 3], [0, 2]),
    ],
)
def test_float_ops_of_all_executions_are_exact(
    float_ops: list[int], executions: list[int], quirks: Quirks
) -> None:
    found = product(float_ops, executions, quirks)
    assert found.tolist() == [a * b for a, b in zip(float_ops, executions, strict=True)]
    assert (found.dtype == object) == (max(map(abs, found.tolist())) >= 2**62)


def test_float_ops_beyond_64_bits_wrap_only_in_compat() -> None:
    exact = product([2**62, 2**62], [4, 3], REPAIRED)
    assert exact.tolist() == [2**64, 3 * 2**62]
    wrapped = product([2**62, 2**62], [4, 3], ORIGINAL)
    assert wrapped.dtype == np.int64
    assert wrapped.tolist() == [0, 3 * 2**62 - 2**64]
