"""Scope view: the order of names, by the definition that reads most simply."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfprof
from tests.test_goldens import CPU, graph_of, run_of
from tfprof.definitions.quirks import ORIGINAL, REPAIRED
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


def test_only_the_original_makes_nodes_of_copies():
    run = run_of(CPU, ("edge_1_x:MEMCPYHtoD", 1, 1), ("s/x", 1, 1))
    profile = tfprof.load(graph_of(("a", "A")), run)
    view = scope.build(profile, REPAIRED)
    assert view.name.to_pylist()[1:] == ["a", "s", "s/x"]
    assert profile.nodes.name.take(pa.array(view.node[[1, 3]])).to_pylist() == ["a", "s/x"]
    assert scope.build(profile, ORIGINAL).name.to_pylist()[1:] == ["a", "edge_1_x", "s", "s/x"]


def test_scopes_take_bounded_memory(monkeypatch):
    names = pa.array(["a/b/c/d", "e/f"])
    levels = [scope._scopes_of(names)]
    while len(levels[-1]):
        levels.append(scope._scopes_of(levels[-1]))
    size = sum(level.nbytes for level in levels)
    monkeypatch.setattr(scope, "max_scope_bytes", lambda _: size)
    assert sorted(scope._missing_scopes(names).to_pylist()) == ["a", "a/b", "a/b/c", "e"]
    monkeypatch.setattr(scope, "max_scope_bytes", lambda _: size - 1)
    with pytest.raises(tfprof.LoadError, match="use op, graph or code view"):
        scope._missing_scopes(names)


def test_depths_count_the_parts_of_names():
    view = scope.build(tfprof.load(graph_of(("a/b/c", "A"), ("d", "D"))), REPAIRED)
    assert (view.tree.depth.tolist(), view.tree.parent.tolist()) == (
        [1, 2, 3, 4, 2],
        [-1, 0, 1, 2, 0],
    )
