"""Which values the `-min_…` options test: self or inclusive ones, by view and by name."""

from __future__ import annotations

import re

import pytest

import tfprof
from tests.cli.conftest import Tfprof, call
from tests.test_goldens import CPU, DEFAULTS, graph_of, run_of
from tfprof.definitions.metrics import METRICS
from tfprof.definitions.options import OPTIONS
from tfprof.protos.log_pb2 import OpLogProto
from tfprof.reports.report import Row
from tfprof.views import VIEWS

MINIMA = [name for name, metric in METRICS.items() if metric.minimum]
TREES = ("scope", "graph")
DEEP = {"max_depth": 10**6, "order_by": "name"}


def measure_of(metric: str, view: str) -> str:
    """The number that a minimum tests: executions of nodes, or nodes of types and lines."""
    if metric == "occurrence":
        return "run_count" if view in TREES else "definition_count"
    return METRICS[metric].measure


def passing(
    profile: tfprof.Profile, view: str, metric: str, *, of_self: bool
) -> tuple[int, list[str]]:
    """A minimum between the values of a view, and the names of the rows that pass it."""

    def value(row: Row) -> int:
        return (row.own if of_self else row.total)[measure_of(metric, view)]

    rows = list(profile.report(view, DEEP))[1:]
    values = sorted({value(row) for row in rows if value(row) > 0})
    least = values[len(values) // 2] if values else 1
    return least, sorted(row.name for row in rows if value(row) >= least)


@pytest.mark.parametrize("metric", MINIMA)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(("form", "of_self"), [("min_self_", True), ("min_total_", False)])
def test_a_minimum_can_say_which_value_it_tests(
    demo_profile: tfprof.Profile, view: str, metric: str, form: str, of_self: bool
) -> None:
    least, names = passing(demo_profile, view, metric, of_self=of_self)
    report = demo_profile.report(view, DEEP, **{f"{form}{metric}": least})
    assert sorted(report.names[1:]) == names


@pytest.mark.parametrize("metric", [name for name in MINIMA if name != "occurrence"])
@pytest.mark.parametrize("view", VIEWS)
def test_scope_and_graph_test_self_values_and_the_others_inclusive_ones(
    demo_profile: tfprof.Profile, view: str, metric: str
) -> None:
    least, names = passing(demo_profile, view, metric, of_self=view in TREES)
    report = demo_profile.report(view, DEEP, **{f"min_{metric}": least})
    assert sorted(report.names[1:]) == names


@pytest.mark.parametrize(
    ("view", "of_self"), [("scope", True), ("graph", True), ("op", True), ("code", False)]
)
def test_occurrence(demo_profile: tfprof.Profile, view: str, of_self: bool) -> None:
    least, names = passing(demo_profile, view, "occurrence", of_self=of_self)
    assert sorted(demo_profile.report(view, DEEP, min_occurrence=least).names[1:]) == names


@pytest.mark.parametrize("view", TREES)
@pytest.mark.parametrize(
    ("metric", "of_self"), [("micros", False), ("bytes", False), ("params", True)]
)
def test_compat_tests_inclusive_time_and_memory(
    demo_profile: tfprof.Profile, view: str, metric: str, of_self: bool
) -> None:
    lists = ("account_type_regexes", "start_name_regexes", "show_name_regexes")
    everything = {**DEEP, **{key: [".*"] for key in lists}}
    measure, least = METRICS[metric].measure, 1000
    rows = list(demo_profile.report(view, everything, compat=True))[1:]
    by_self = sorted(row.name for row in rows if row.own[measure] >= least)
    inclusive = sorted(row.name for row in rows if row.total[measure] >= least)
    assert by_self != inclusive
    report = demo_profile.report(view, everything, compat=True, **{f"min_{metric}": least})
    assert sorted(report.names[1:]) == (by_self if of_self else inclusive)


def test_compat_ignores_occurrence_in_code_view(demo_profile: tfprof.Profile) -> None:
    lists = ("account_type_regexes", "start_name_regexes", "show_name_regexes")
    everything = {**DEEP, **{key: [".*"] for key in lists}}
    count = len(demo_profile.report("code", everything, compat=True))
    for option, view, shown in (
        ("min_occurrence", "code", count),
        ("min_occurrence", "scope", 1),
        ("min_micros", "code", 1),
    ):
        options = {**everything, option: 10**9}
        assert len(demo_profile.report(view, options, compat=True)) == shown


@pytest.mark.parametrize(("compat", "names"), [(False, ["a", "b"]), (True, ["a"])])
def test_a_minimum_of_0_hides_what_is_negative_in_compat(compat: bool, names: list[str]) -> None:
    log = OpLogProto()
    log.log_entries.add(name="b", float_ops=-5)
    run = run_of(CPU, ("a", 1, 5), ("b", 1, 7))
    profile = tfprof.load(graph_of(("a", "Op"), ("b", "Op")), run, log)
    assert profile.report("scope", DEFAULTS, compat=compat).names[1:] == names


def test_several_minima_hold_together(demo_profile: tfprof.Profile) -> None:
    options = {"min_self_micros": 100, "min_total_params": 1, "min_occurrence": 1}
    rows = list(demo_profile.report("scope", DEEP, **options))[1:]
    assert all(
        r.own["exec_micros"] >= 100 and r.total["parameters"] and r.own["run_count"] for r in rows
    )


def test_the_command_takes_them(run_demo: Tfprof) -> None:
    done = run_demo("graph", "-min_self_micros", "20000", "-max_depth=99", "-select", "micros")
    times = re.findall(r"\(([\d.]+)ms/", done.text)
    assert times
    assert min(map(float, times)) >= 20
    assert run_demo("op", "-min_total_micros=10", "--min-self-bytes=5").status == 0


def test_lists_of_options_show_them_where_they_are_set(run_demo: Tfprof) -> None:
    before = run_demo(stdin="\n").text
    assert "-min_micros " in before
    assert "min_self_" not in before
    after = run_demo(stdin="set -min_self_bytes 7\n\n").text
    assert "-min_self_bytes             7" in after
    for name in MINIMA:
        for form in ("min_self_", "min_total_"):
            assert METRICS[name].minimum in call("help", f"-{form}{name}").text
            assert OPTIONS[f"{form}{name}"].extension


def test_compat_does_not_know_those_of_new_metrics(run_demo: Tfprof) -> None:
    for form in ("min_", "min_self_", "min_total_"):
        done = run_demo("--compat", "op", f"-{form}macs", "1")
        assert (done.status, done.out) == (2, b"")
        assert f"unknown option '{form}macs'" in done.err
