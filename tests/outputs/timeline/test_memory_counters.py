"""The numbers of memory counters."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfprof.outputs.timeline.memory_counters import _megabytes, plotted_samples

SIZES = st.one_of(
    st.integers(0, 2**40),
    st.integers(0, 10**9).map(lambda half: half * 10_000 + 5_000),
    st.integers(-(2**63), 2**63 - 1),
)


@given(st.lists(SIZES, max_size=50))
def test_megabytes_are_rounded_as_numbers_are(sizes):
    expected = [f"{size / 1e6:.2f}" for size in sizes]
    assert _megabytes(np.array(sizes, np.int64)).to_pylist() == expected


@given(st.sets(st.one_of(st.integers(1, 2_000), st.integers(2**63 - 300, 2**63 - 1)), max_size=50))
def test_samples_are_not_too_close(times):
    kept, last = [], 0
    for i, time in enumerate(sorted(times)):
        if time - last >= 100:
            kept.append(i)
            last = time
    assert plotted_samples(np.array(sorted(times), np.int64)).tolist() == kept
