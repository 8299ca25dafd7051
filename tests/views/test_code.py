"""Code view: the forward node that the name of a gradient node says."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tfprof.views import code

PARTS = st.sampled_from(["gradients/", "_grad/", "a", "é", "/"])
NAMES = st.lists(PARTS, max_size=8).map("".join)
GRADIENTS = NAMES.filter(lambda name: "gradients/" in name and "_grad/" in name)


def _strict(name):
    forward, mark, _ = name.partition("gradients/")[2].partition("_grad/")
    return forward if mark and forward else None


def _loose(name):
    start = name.find("gradients/") + len("gradients/")
    end = name.find("_grad/")
    if end == start:
        return None
    return name[start:] if end < start else name[start:end]


@given(st.lists(GRADIENTS, max_size=10))
def test_forward_names(names):
    column = pa.array(["before", *names], pa.string()).slice(1)
    strict = code._forward_names(column, loose=False).to_pylist()
    assert strict == [_strict(name) for name in names]
    loose = code._forward_names(column, loose=True).to_pylist()
    assert loose == [_loose(name) for name in names]
