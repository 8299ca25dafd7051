"""Which types the account regexes match, and how often a node counts."""

from __future__ import annotations

from itertools import pairwise

import pytest

import tfprof
from tests.test_goldens import CPU, graph_of, run_of
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
