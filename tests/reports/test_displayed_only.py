"""Which rows add to totals and counts, with and without `account_displayed_op_only`."""

from __future__ import annotations

import pytest

import tfprof
from tests.robustness.models import CPU, graph_of, log_of, run_of
from tfprof.reports.account import DEFINITIONS


@pytest.fixture(scope="module")
def profile():
    """Two nodes in a scope, and one beside it."""
    nodes = {"s/x": ("A", 1), "s/y": ("B", 10), "t": ("B", 100)}
    graph = graph_of(*((name, op) for name, (op, _) in nodes.items()))
    run = run_of(CPU, *((name, 1, micros) for name, (_, micros) in nodes.items()))
    log = log_of({name: [("a.py", "main", 1), ("a.py", name, 2)] for name in nodes})
    return tfprof.load(graph, run, log)


def totals(profile, view, *, compat=False, **options):
    """Name -> inclusive time, own and inclusive count of definitions."""
    names = ("account_type_regexes", "start_name_regexes", "show_name_regexes")
    lists = {name: [".*"] for name in names}
    given = {**lists, "select": ["micros"], "max_depth": 9, "order_by": "name", **options}
    report = profile.report(view, given, compat=compat)
    rows = {
        row.name: (row.total["exec_micros"], row.own[DEFINITIONS], row.total[DEFINITIONS])
        for row in report.rows
    }
    return {"root": rows.pop(report.names[0]), **rows}


X, Y, T = (1, 1, 1), (10, 1, 1), (100, 1, 1)


@pytest.mark.parametrize(
    ("only", "hidden", "rows"),
    [
        (False, "t", {"root": (111, 0, 3), "s": (11, 0, 2), "s/x": X, "s/y": Y}),
        (True, "t", {"root": (11, 0, 2), "s": (11, 0, 2), "s/x": X, "s/y": Y}),
        (True, "s/y", {"root": (101, 0, 2), "s": (1, 0, 1), "s/x": X, "t": T}),
    ],
)
def test_scope_view(profile, only, hidden, rows):
    options = {"account_displayed_op_only": only, "hide_name_regexes": [hidden]}
    assert totals(profile, "scope", **options) == rows


@pytest.mark.parametrize(
    ("only", "hidden", "rows"),
    [
        (False, "t", {"root": (111, 0, 4), "s": (11, 1, 3), "s/x": X, "s/y": Y}),
        (True, "t", {"root": (11, 0, 4), "s": (11, 1, 3), "s/x": X, "s/y": Y}),
        (True, "s/y", {"root": (101, 0, 4), "s": (1, 1, 2), "s/x": X, "t": T}),
    ],
)
def test_scopes_of_the_original_are_definitions(profile, only, hidden, rows):
    """As is its root, where only displayed rows count."""
    options = {"account_displayed_op_only": only, "hide_name_regexes": [hidden]}
    assert totals(profile, "scope", compat=True, **options) == rows


@pytest.mark.parametrize(("compat", "count"), [(False, 2), (True, 3)])
def test_graph_view(profile, compat, count):
    options = {"account_displayed_op_only": True, "hide_name_regexes": ["t"], "compat": compat}
    assert totals(profile, "graph", **options) == {"root": (11, 0, count), "s/x": X, "s/y": Y}


def test_code_view_counts_everything(profile):
    options = {"hide_name_regexes": [".*:2:t.*"]}
    rows = totals(profile, "code", account_displayed_op_only=True, **options)
    assert rows == totals(profile, "code", **options)
    assert rows["root"][0] == 111


def test_rows_that_do_not_match_add_nothing(profile):
    options = {"account_type_regexes": ["A", "_kTFScopeParent"], "account_displayed_op_only": True}
    assert totals(profile, "scope", **options) == {"root": (1, 0, 1), "s": (1, 0, 1), "s/x": X}


@pytest.mark.parametrize(
    ("only", "rows"),
    [
        (False, {"root": (111, 0, 3), "A": (111, 1, 3), "C": (100, 1, 1)}),
        (True, {"root": (101, 0, 2), "A": (101, 1, 2), "C": (100, 1, 1)}),
    ],
)
def test_op_view(only, rows):
    nodes = (("x", "A", 1), ("y", "B", 10), ("z", "C", 100))
    graph = graph_of(*((name, op) for name, op, _ in nodes))
    profile = tfprof.load(graph, run_of(CPU, *((name, 1, micros) for name, _, micros in nodes)))
    options = {"account_displayed_op_only": only, "hide_name_regexes": ["B"]}
    assert totals(profile, "op", **options) == rows


def test_the_first_node_adds_nothing_if_it_does_not_match():
    graph = graph_of(("a", "A"), ("b", "B"))
    profile = tfprof.load(graph, run_of(CPU, ("a", 1, 1), ("b", 1, 10)))
    assert totals(profile, "scope", account_type_regexes=["B"])["root"] == (10, 0, 1)
