"""The largest holders of memory, against the definition: all that is held, the largest first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.outputs.timeline import top_allocations

SIZES = st.lists(st.integers(1, 50), max_size=200).map(lambda sizes: sorted(sizes, reverse=True))


def _defined(changes, sizes, in_use):
    held, tops, rests = set(), [], []
    for sample, left in enumerate(in_use):
        for when, before, now in changes:
            if when == sample:
                held -= {before}
                held |= {now} - {-1}
        top = []
        for place in sorted(held):
            if sizes[place] <= left and len(top) < top_allocations.TOP:
                top.append(place)
                left -= sizes[place]
        tops.append(top + [-1] * (top_allocations.TOP - len(top)))
        rests.append(left)
    return tops, rests


@st.composite
def _histories(draw):
    """Holders that change their size a few times: every place is held once, for a while."""
    sizes = draw(SIZES)
    in_use = draw(st.lists(st.integers(-5, 400), max_size=12))
    changes = []
    places = iter(draw(st.permutations(range(len(sizes)))))
    if in_use:
        for place in places:
            moments = draw(st.sets(st.integers(0, len(in_use) - 1), max_size=3))
            before = -1
            for moment in sorted(moments):
                changes.append((moment, before, place))
                before, place = place, next(places, -1)
    return sorted(changes, key=lambda change: change[0]), sizes, in_use


def _together(histories):
    """Several devices, one after the other; places and samples are numbered through."""
    changes, sizes, in_use = [], [], []
    first_sample, first_place = [0], [0]
    for own_changes, own_sizes, own_in_use in histories:
        changes += [(when + len(in_use), before, now) for when, before, now in own_changes]
        sizes += own_sizes
        in_use += own_in_use
        first_sample.append(len(in_use))
        first_place.append(len(sizes))
    sample, before, now = np.array(changes, np.int64).reshape(-1, 3).T
    arrays = (np.array(values, np.int64) for values in (sizes, first_sample, first_place))
    return top_allocations.Histories(sample, before, now, *arrays), np.array(in_use, np.int64)


@pytest.mark.parametrize("block", [1, 8, top_allocations._BLOCK])
@given(histories=st.lists(_histories(), max_size=4))
def test_the_largest_that_fit(block, histories):
    tops, rests, places = [], [], 0
    for history in histories:
        top, rest = _defined(*history)
        tops += [[place + places if place >= 0 else -1 for place in row] for row in top]
        rests += rest
        places += len(history[1])
    kept, top_allocations._BLOCK = top_allocations._BLOCK, block
    try:
        top, rest = top_allocations.find_top_allocations(*_together(histories))
    finally:
        top_allocations._BLOCK = kept
    assert (top.tolist(), rest.tolist()) == (tops, rests)


def test_far_apart_and_extreme():
    """A holder thousands of places away is found; no number is too large or too small."""
    count = 20_000
    history = [(0, -1, count - 1)], [2**62] * (count - 1) + [7], [2**63 - 1, -(2**63), 0, 7]
    top, rest = top_allocations.find_top_allocations(*_together([history]))
    assert top[:, 0].tolist() == [count - 1, -1, -1, count - 1]
    assert (top[:, 1:] == -1).all()
    assert rest.tolist() == [2**63 - 8, -(2**63), 0, 0]
