"""Scope view: the order of names, by the definition that reads most simply."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import given
from hypothesis import strategies as st

from tfprof.views import scope

NAMES = st.lists(st.text("a/.\0\x01é", max_size=6), unique=True, max_size=20)


def _column(names):
    """A column that does not start at the first byte of its buffer."""
    return pa.array(["before", *names], pa.string()).slice(1)


@given(NAMES)
def test_every_name_follows_its_scope(names):
    order = scope._preorder(_column(names))
    assert [names[row] for row in order] == sorted(names, key=lambda name: name.split("/"))


@given(NAMES)
def test_slashes_are_counted(names):
    column = _column(names)
    counts = scope._count_slashes(column).tolist()
    assert counts == pc.count_substring(column, "/").to_pylist()


@given(NAMES)
def test_scopes_are_what_comes_before_the_last_slash(names):
    found = scope._scopes_of(_column(names)).to_pylist()
    expected = {name.rpartition("/")[0] for name in names if "/" in name}
    assert sorted(found) == sorted(expected)
