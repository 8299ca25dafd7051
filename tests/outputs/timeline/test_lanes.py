"""The lanes of a graph timeline: each interval in the first that is free."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfprof.outputs.timeline.lanes import assign_lanes

INTERVALS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(-3, 60)), max_size=200
)


def _first_free(intervals):
    """The definition: the first lane of the device whose last interval has ended."""
    ends, lanes = {}, []
    for device, start, end in intervals:
        last = ends.setdefault(device, [])
        lane = next((i for i, until in enumerate(last) if until <= start), len(last))
        last[lane : lane + 1] = [end]
        lanes.append(lane)
    return lanes


@given(INTERVALS)
def test_each_interval_takes_the_first_free_lane(intervals):
    spans = sorted((device, start, start + length) for device, start, length in intervals)
    columns = np.array(spans, np.int64).reshape(-1, 3).T
    assert assign_lanes(*columns).tolist() == _first_free(spans)


def test_many_lanes_are_assigned_one_by_one():
    """Where every interval overlaps all others, no lane takes more than one."""
    count = 300
    device, start = np.zeros(count, np.int64), np.arange(count)
    assert assign_lanes(device, start, start + 1000).tolist() == list(range(count))
