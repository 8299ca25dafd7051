"""The largest allocations, against the definition: all that exist, the largest first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.outputs.timeline import top_allocations
from tfprof.outputs.timeline.allocation_history import AllocationHistory

SIZES = st.lists(st.integers(1, 50), max_size=200).map(lambda sizes: sorted(sizes, reverse=True))


def _expected(changes, sizes, in_use):
    """The definition."""
    allocated, tops, rests = set(), [], []
    for sample, rest in enumerate(in_use):
        for when, old, new in changes:
            if when == sample:
                allocated -= {old}
                allocated |= {new} - {-1}
        top = []
        for index in sorted(allocated):
            if sizes[index] <= rest and len(top) < top_allocations.TOP:
                top.append(index)
                rest -= sizes[index]
        tops.append(top + [-1] * (top_allocations.TOP - len(top)))
        rests.append(rest)
    return tops, rests


@st.composite
def _histories(draw):
    """Nodes that change their size a few times: every allocation exists once, for a while."""
    sizes = draw(SIZES)
    in_use = draw(st.lists(st.integers(-5, 400), max_size=12))
    changes = []
    indices = iter(draw(st.permutations(range(len(sizes)))))
    if in_use:
        for new in indices:
            samples = draw(st.sets(st.integers(0, len(in_use) - 1), max_size=3))
            old = -1
            for sample in sorted(samples):
                changes.append((sample, old, new))
                old, new = new, next(indices, -1)
    return sorted(changes, key=lambda change: change[0]), sizes, in_use


def _concat(histories):
    """Several devices, one after the other."""
    changes, sizes, in_use = [], [], []
    sample_offsets, size_offsets = [0], [0]
    for own_changes, own_sizes, own_in_use in histories:
        changes += [(when + len(in_use), old, new) for when, old, new in own_changes]
        sizes += own_sizes
        in_use += own_in_use
        sample_offsets.append(len(in_use))
        size_offsets.append(len(sizes))
    sample, old, new = np.array(changes, np.int64).reshape(-1, 3).T
    arrays = (np.array(values, np.int64) for values in (sizes, sample_offsets, size_offsets))
    return AllocationHistory(sample, old, new, *arrays), np.array(in_use, np.int64)


@pytest.mark.parametrize("block", [1, 8, top_allocations._BLOCK])
@given(histories=st.lists(_histories(), max_size=4))
def test_the_largest_that_fit(block, histories):
    tops, rests, offset = [], [], 0
    for history in histories:
        top, rest = _expected(*history)
        tops += [[index + offset if index >= 0 else -1 for index in row] for row in top]
        rests += rest
        offset += len(history[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(top_allocations, "_BLOCK", block)
        top, rest = top_allocations.find_top_allocations(*_concat(histories))
    assert (top.tolist(), rest.tolist()) == (tops, rests)


def test_far_apart_and_extreme():
    """An allocation thousands of bits away is found; no number is too large or too small."""
    count = 20_000
    history = [(0, -1, count - 1)], [2**62] * (count - 1) + [7], [2**63 - 1, -(2**63), 0, 7]
    top, rest = top_allocations.find_top_allocations(*_concat([history]))
    assert top[:, 0].tolist() == [count - 1, -1, -1, count - 1]
    assert (top[:, 1:] == -1).all()
    assert rest.tolist() == [2**63 - 8, -(2**63), 0, 0]
