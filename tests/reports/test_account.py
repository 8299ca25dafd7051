"""Which types the account regexes match, and how often a node counts."""

from __future__ import annotations

from itertools import pairwise

import pytest

import tfprof
from tests.robustness.models import CPU, graph_of, log_of, run_of
from tfprof.definitions.quirks import REPAIRED
from tfprof.protos.log_pb2 import OpLogProto
from tfprof.reports.account import type_lists

GPU = "/device:GPU:0"


@pytest.fixture(scope="module")
def profile() -> tfprof.Profile:
    """Nodes of one op type; one ran on another device, and one has a type of its own."""
    graph = graph_of(*((name, "Op") for name in ("a", "b", "c", "d")))
    run = run_of(CPU, ("a", 1, 1), ("b", 1, 10), ("c", 1, 100))
    run.step_stats.MergeFrom(run_of(GPU, ("d", 1, 1000)).step_stats)
    log = OpLogProto()
    log.log_entries.add(name="b").types.append("mine")
    return tfprof.load(graph, run, log)


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
@pytest.mark.parametrize(
    ("regex", "micros"),
    [("Op", 1111), ("mine", 10), (".*gpu:0", 1000), (".*cpu:0", 111), ("mine|.*gpu:0", 1010)],
)
def test_op_types_devices_and_custom_types(
    profile: tfprof.Profile, view: str, regex: str, micros: int
) -> None:
    report = profile.report(view, account_type_regexes=[regex], select=["micros"])
    assert report.total["micros"] == micros


def test_all_rows_of_a_list_match(profile: tfprof.Profile) -> None:
    assert profile.report("op").matched.tolist() == [False, True]


@pytest.mark.parametrize(("compat", "micros"), [(False, 1111), (True, 2222)])
def test_the_original_counts_a_node_once_per_regex(
    profile: tfprof.Profile, compat: bool, micros: int
) -> None:
    options = {"account_type_regexes": ["Op", "O."], "start_name_regexes": [".*"]}
    options |= {"show_name_regexes": [".*"], "select": ["micros"]}
    report = profile.report("op", options, max_depth=9, compat=compat)
    assert report.root.total["exec_micros"] == micros


@pytest.mark.parametrize(
    ("regex", "names"), [("_kTFScopeParent", ["s"]), ("A", ["s/x"]), ("B", ["t"]), ("C", ["t/y"])]
)
def test_scopes_have_a_type_of_their_own(regex: str, names: list[str]) -> None:
    graph = graph_of(("t/y", "C"), ("t", "B"), ("s/x", "A"))
    report = tfprof.load(graph).report("scope", account_type_regexes=[regex])
    assert report.names[1:] == names


def test_type_lists_are_sorted(profile: tfprof.Profile) -> None:
    offsets, indices, names = type_lists(profile, REPAIRED)
    lists = [[names[i] for i in indices[slice(*ends)]] for ends in pairwise(offsets)]
    cpu, gpu = "/device:cpu:0", "/device:gpu:0"
    assert lists == [[cpu, "Op"], [cpu, "Op", "mine"], [cpu, "Op"], [gpu, "Op"]]


def test_type_lists_of_nodes_of_several_types() -> None:
    log = OpLogProto()
    log.log_entries.add(name="a").types.extend(["third", "second"])
    log.log_entries.add(name="b").types.append("first")
    profile = tfprof.load(graph_of(("a", "A"), ("b", "B")), run_of(CPU, ("b", 1, 1)), log)
    offsets, indices, names = type_lists(profile, REPAIRED)
    lists = [[names[i] for i in indices[slice(*ends)]] for ends in pairwise(offsets)]
    assert lists == [["A", "second", "third"], ["/device:cpu:0", "B", "first"]]


@pytest.mark.parametrize("view", ["scope", "graph"])
def test_the_original_counts_scopes_of_what_matches(view: str) -> None:
    """A node that does not match counts in scope view if one below it does."""
    nodes = {"s": ("B", 10), "s/x": ("A", 1), "t": ("B", 100), "t/y": ("B", 1000)}
    graph = graph_of(*((name, op) for name, (op, _) in nodes.items()))
    run = run_of(CPU, *((name, 1, micros) for name, (_, micros) in nodes.items()))
    options = {"account_type_regexes": ["A"], "start_name_regexes": [".*"], "max_depth": 9}
    options |= {"show_name_regexes": [".*"], "select": ["micros"]}
    profile = tfprof.load(graph, run)
    assert profile.report(view, options).root.total["exec_micros"] == 1
    original = profile.report(view, options, compat=True)
    assert original.root.total["exec_micros"] == (11 if view == "scope" else 1)


def test_frames_without_nodes_match_only_everything() -> None:
    main = ("a.py", "main", 1)
    log = log_of({"x": [main, ("a.py", "f", 2)], "y": [main, ("a.py", "g", 3)]})
    profile = tfprof.load(graph_of(("x", "A"), ("y", "B")), op_log=log)
    everything, some = (
        profile.report("code", account_type_regexes=[regex], max_depth=9) for regex in (".*", "A")
    )
    assert everything.matched.tolist() == [False, True, True, True]
    assert dict(zip(some.names, some.matched.tolist(), strict=True)) == {
        some.names[0]: False,
        "a.py:1:main": False,
        "a.py:2:f": True,
    }
