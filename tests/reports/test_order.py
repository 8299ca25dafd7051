"""The order of rows: by default the largest first in op and code view, by name in the others."""

from __future__ import annotations

import numpy as np
import pytest

import tfprof
from tests.cli.conftest import Tfprof
from tests.test_goldens import CPU, graph_of, run_of
from tfprof.definitions.metrics import METRICS, default_order
from tfprof.definitions.quirks import ORIGINAL
from tfprof.reports.filters import descending_key
from tfprof.views import VIEWS


@pytest.mark.parametrize("view", ["op", "code"])
@pytest.mark.parametrize("select", [("bytes", "micros"), ("device", "params"), ("float_ops",)])
def test_lists_begin_with_the_largest(
    demo_profile: tfprof.Profile, view: str, select: tuple[str, ...]
) -> None:
    metric = next(METRICS[name] for name in select if METRICS[name].measure)
    report = demo_profile.report(view, select=select, max_depth=100)
    for row in report:
        children = row.children
        numbers = [(c.own if view == "op" else c.total)[metric.measure] for c in children]
        assert numbers == sorted(numbers, reverse=True)
    assert report.names != demo_profile.report(view, max_depth=100, order_by="name").names


@pytest.mark.parametrize("view", ["scope", "graph"])
def test_trees_are_sorted_by_name(demo_profile: tfprof.Profile, view: str) -> None:
    by_name = demo_profile.report(view, select=["micros"], order_by="name").names
    assert demo_profile.report(view, select=["micros"]).names == by_name


@pytest.mark.parametrize("view", VIEWS)
def test_what_cannot_be_sorted_by_is_sorted_by_name(view: str) -> None:
    assert default_order(view, ("device", "tensor_value")) == "name"
    assert default_order(view, ()) == "name"
    assert default_order(view, ("micros",), ORIGINAL) == "name"


def test_an_order_that_is_given_holds(demo_profile: tfprof.Profile) -> None:
    names = demo_profile.report("op", {"order_by": "name"}, max_depth=100).names[1:]
    assert names == sorted(names)
    options = tfprof.Options(max_depth=100)
    assert demo_profile.report("op", options).names[1:] == names
    compat = {"account_type_regexes": [".*"], "show_name_regexes": [".*"], "max_depth": 100}
    assert demo_profile.report("op", compat, compat=True).names[1:] == names


def test_the_costliest_op_type_comes_first(run_demo: Tfprof) -> None:
    for words in (["op"], ["op", "-select=micros"], ["op", "-select=micros,bytes"]):
        rows = run_demo(*words).lines
        assert rows[1].startswith("Conv2DBackpropFilter")
    assert run_demo("--compat", "op").text.partition("Profile:\n")[2].splitlines()[1][:4] == "AddN"


def test_depth_keeps_the_order_of_the_view(demo_profile: tfprof.Profile) -> None:
    options = {"max_depth": 10**6, "show_name_regexes": [".*"], "account_type_regexes": [".*"]}
    options |= {"start_name_regexes": [".*"]}
    by_input = demo_profile.report("graph", options, order_by="depth")
    assert by_input.view_positions.tolist() == list(range(len(by_input)))
    by_name = demo_profile.report("graph", options, order_by="name", compat=True).names
    assert demo_profile.report("graph", options, order_by="depth", compat=True).names == by_name
    assert by_input.names != by_name


def test_the_smallest_number_of_64_bits_comes_last():
    """Its negative is itself."""
    values = np.array([0, -(2**63), 5, 2**63 - 1])
    assert np.argsort(descending_key(values)).tolist() == [3, 2, 0, 1]


def test_numbers_of_more_than_64_bits_are_sorted_by_their_rank():
    key = descending_key(np.array([2**64, -(2**70), 2**64, 2**80], object))
    assert key.dtype == np.int64
    assert np.argsort(key, kind="stable").tolist() == [3, 0, 2, 1]


@pytest.mark.parametrize("view", ["op", "scope", "graph"])
def test_equal_numbers_are_sorted_by_name(view: str) -> None:
    names = [f"Op{i:03}" for i in range(200)]
    run = run_of(CPU, *((name, 1, 1 + i % 3) for i, name in enumerate(names)))
    profile = tfprof.load(graph_of(*((name, name) for name in names)), run)
    report = profile.report(view, order_by="micros", max_depth=10**6)
    assert report.names[1:] == names[2::3] + names[1::3] + names[::3]


def test_occurrence_sorts_lists_by_the_number_of_nodes() -> None:
    """Trees are sorted by name."""
    types = ["A", "B", "C", "B", "C", "C"]
    nodes = [(f"n{5 - i}", op) for i, op in enumerate(types)]
    profile = tfprof.load(graph_of(*nodes), run_of(CPU, *((name, 1, 1) for name, _ in nodes)))
    assert profile.report("op", order_by="occurrence").names[1:] == ["C", "B", "A"]
    assert profile.report("scope", order_by="occurrence").names[1:] == [f"n{i}" for i in range(6)]
