"""The rows of an overview: few, the largest ones, and with their ancestors where they nest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfprof
from tests.outputs.samples import random_profile, report_of
from tests.reports.test_symbolic_counts import add, log, sequence
from tests.test_goldens import CPU, graph_of, run_of
from tfprof.reports.overview import ROWS, make_overview
from tfprof.views import VIEWS

WHOLE = {"order_by": "micros", "select": ["micros"], "max_depth": 10**6}


@pytest.fixture(scope="module")
def deep() -> tfprof.Profile:
    """Scopes a to j, each with scopes 0 to 9 of two nodes; all of `c/7` takes most of the time."""
    names = [f"{x}/{i}/{node}" for x in "abcdefghij" for i in range(10) for node in ("mul", "add")]
    micros = {"c/7/add": 10_000, "c/7/mul": 7_000, "c/3/mul": 900, "e/1/add": 600}
    records = [(name, 1, micros.get(name, 1 + i)) for i, name in enumerate(names)]
    return tfprof.load(graph_of(*((name, "Mul") for name in names)), run_of(CPU, *records))


def test_the_hot_path_comes_first(deep: tfprof.Profile) -> None:
    shown = make_overview(deep.report("scope", WHOLE)).report
    assert shown.names[:4] == ["_TFProfRoot", "c", "c/7", "c/7/add"]
    assert shown["c/7/mul"].parent == shown["c/7"]
    largest = sorted(shown.root.children, key=lambda row: -row.total["exec_micros"])
    assert shown.root.children == largest


def test_siblings_of_the_path_come_before_other_rows(deep: tfprof.Profile) -> None:
    report = deep.report("scope", WHOLE)
    shown = make_overview(report).report
    # All ten scopes and all ten in `c` are siblings of the path; `e/1` has more time than many.
    assert set("abcdefghij") <= set(shown.names)
    assert {f"c/{i}" for i in range(10)} <= set(shown.names)
    assert "e/1" in shown.names
    assert len(shown) == ROWS + 1


@pytest.mark.parametrize("view", ["op", "graph"])
def test_lists_and_graphs_show_the_largest_self_values(
    demo_profile: tfprof.Profile, view: str
) -> None:
    report = demo_profile.report(view, WHOLE)
    overview = make_overview(report)
    own = np.sort(report.own[1:, "exec_micros"])[::-1]
    shown = np.sort(overview.report.own[1:, "exec_micros"])[::-1]
    assert shown.tolist() == own[: len(shown)].tolist()
    hidden = 1 - shown.sum() / own.sum()
    assert overview.omitted.endswith(f"are not shown ({hidden:.1%} of execution time)")


def test_code_shows_lines_of_the_users_code(demo_profile: tfprof.Profile) -> None:
    report = demo_profile.report("code", WHOLE)
    overview = make_overview(report)
    assert {name.partition(":")[0] for name in overview.report.names[1:]} == {
        "resnet_main.py",
        "resnet_model.py",
    }
    assert overview.omitted == "3,189 of 3,219 lines are not shown, among them library code"
    for row in overview.report:
        numbers = [child.total["exec_micros"] for child in row.children]
        assert numbers == sorted(numbers, reverse=True)


def test_a_small_report_is_shown_whole() -> None:
    names = [f"node_{i}" for i in range(ROWS)]
    profile = tfprof.load(graph_of(*((name, name) for name in names)))
    for view in ("scope", "graph", "op"):
        report = profile.report(view, {**WHOLE, "select": ["micros"]})
        assert make_overview(report).report is report
        assert make_overview(report).omitted == ""


def test_without_numbers_the_first_rows_are_shown() -> None:
    names = [f"node_{i:03}" for i in range(100)]
    profile = tfprof.load(graph_of(*((name, name) for name in names)))
    for view in ("scope", "graph", "op"):
        overview = make_overview(profile.report(view, WHOLE))
        assert overview.report.names[1:] == names[:ROWS]
        assert overview.omitted.startswith("70 of 100 ")


def test_numbers_of_any_size() -> None:
    graph = graph_of(*((f"a/{i}", "VariableV2") for i in range(50)))
    for i, node in enumerate(graph.node):
        for size in (2**40, 2**40, i):
            node.attr["shape"].shape.dim.add(size=size)
    options = {**WHOLE, "order_by": "params", "select": ["params"]}
    shown = make_overview(tfprof.load(graph).report("scope", options)).report
    assert shown.names == ["_TFProfRoot", "a", *(f"a/{i}" for i in range(49, 20, -1))]


@pytest.mark.parametrize(
    ("view", "largest"),
    [
        ("scope", "sequence/Attention"),
        ("graph", "sequence/Attention"),
        ("op", "BatchMatMulV2"),
        ("code", "model.py:13:BatchMatMulV2:none"),
    ],
)
def test_numbers_with_symbols(view: str, largest: str) -> None:
    graph = sequence()
    for i in range(40):
        add(graph, f"more/Type{i}", f"Type{i}", "tokens")
    profile = tfprof.load(graph, op_log=log(graph))
    options = {**WHOLE, "order_by": "float_ops", "select": ["float_ops"]}
    overview = make_overview(profile.report(view, options))
    assert largest in overview.report.names[:3]
    assert overview.omitted
    assert "%" not in overview.omitted


@pytest.mark.parametrize("view", VIEWS)
@given(seed=st.integers(0, 10**6))
def test_an_overview_has_rows_of_the_report(view: str, seed: int) -> None:
    report = report_of(random_profile(seed), view, order_by="micros", select=["micros"])
    if report is None:
        return
    shown = make_overview(report).report
    assert len(shown) <= ROWS + 1
    assert shown.names[0] == "_TFProfRoot"
    assert set(shown.view_positions.tolist()) <= set(report.view_positions.tolist())
    totals = dict(zip(report.view_positions.tolist(), report.total[:, "exec_micros"], strict=True))
    assert shown.total[:, "exec_micros"].tolist() == [totals[i] for i in shown.view_positions]
    if view == "scope":
        parents = {row.name: row.parent and row.parent.name for row in report}
        assert all((row.parent and row.parent.name) == parents[row.name] for row in shown)
