"""The largest holders of memory, against the definition: all that is held, the largest first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.outputs import holders

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
            if sizes[place] <= left and len(top) < holders.TOP:
                top.append(place)
                left -= sizes[place]
        tops.append(top + [-1] * (holders.TOP - len(top)))
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


@pytest.mark.parametrize("block", [1, holders._BLOCK])
@given(history=_histories())
def test_the_largest_that_fit(block, history):
    changes, sizes, in_use = history
    sample, before, now = np.array(changes, np.int64).reshape(-1, 3).T
    numbers = np.array(sizes, np.int64), np.array(in_use, np.int64)
    kept, holders._BLOCK = holders._BLOCK, block
    try:
        top, rest = holders.swept(sample, before, now, *numbers)
    finally:
        holders._BLOCK = kept
    assert (top.tolist(), rest.tolist()) == _defined(changes, sizes, in_use)


def test_far_apart_and_extreme():
    """A holder thousands of places away is found; no number is too large or too small."""
    count = 20_000
    sizes = np.full(count, 2**62, np.int64)
    sizes[-1] = 7
    one = np.zeros(1, np.int64)
    in_use = np.array([2**63 - 1, -(2**63), 0, 7], np.int64)
    top, rest = holders.swept(one, one - 1, one + count - 1, sizes, in_use)
    assert top[:, 0].tolist() == [count - 1, -1, -1, count - 1]
    assert (top[:, 1:] == -1).all()
    assert rest.tolist() == [2**63 - 8, -(2**63), 0, 0]
