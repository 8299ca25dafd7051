"""What kills the original, C1 to C16 of the reference: an answer or one clear error."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

import tfprof
from tests.robustness.models import CPU, command, graph_of, loaded, log_of, run_of
from tfprof.profiles.schema import CONTROL
from tfprof.protos import log_pb2, run_metadata_pb2

ROOT = "_TFProfRoot"
STACKS = {"a": [("f.py", "f", 1), ("g.py", "g", 2)]}


def names_of(report):
    return [row.name for row in report]


@pytest.mark.parametrize("depth", [0, -1, -(2**40)])
def test_C01_code_view_of_no_depth(depth):
    report = loaded(("a", "A"), log=log_of(STACKS)).report("code", max_depth=depth)
    assert names_of(report) == [ROOT]


def test_C02_root_is_never_trimmed():
    report = loaded(("a", "A"), log=log_of(STACKS)).report("code", trim_name_regexes=[".*"])
    assert names_of(report)[0] == ROOT


@pytest.mark.parametrize("stacks", [{"a": []}, {"gradients/a_grad/b": [("f.py", "f", 1)]}])
def test_C03_traces_that_no_node_has(stacks):
    profile = loaded(("a", "A"), log=log_of(stacks))
    with pytest.raises(tfprof.OptionError, match="No code trace information"):
        profile.report("code")
    tfprof.advise(graph=graph_of(("a", "A")))


def test_C04_trace_id_without_a_string():
    log = log_of(STACKS)
    log.id_to_string.clear()
    report = loaded(("a", "A"), log=log).report("code", max_depth=9)
    assert names_of(report)[1:] == ["none:1:none", "none:2:none"]


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
def test_C05_node_named_like_the_root(view):
    run = run_of(CPU, (ROOT, 1, 5), (f"{ROOT}/x", 2, 7))
    report = loaded((ROOT, "A"), (f"{ROOT}/x", "B", ROOT), run=run).report(view)
    assert max(report.total[0].values()) >= 12
    assert len(report) == 3


def test_C06_type_named_like_the_root():
    report = loaded(("a", ROOT), ("b", "B")).report("op", order_by="name")
    assert names_of(report) == [ROOT, "B", ROOT]


def test_C07_chain_of_60_000_nodes():
    names = [f"n{at}" for at in range(60_000)]
    links = [("n0", "A"), *((name, "A", before) for before, name in pairwise(names))]
    report = loaded(*links).report("graph", max_depth=100_000)
    assert len(report) == 60_001
    assert report.rows[-1].depth == 60_000


def test_C08_and_N02_two_profilers():
    graph = graph_of(("a", "A"))
    first, second = tfprof.Profiler(graph), tfprof.Profiler(graph_of(("b", "B"), ("c", "C")))
    options = {"select": ["params"], "output": "none"}
    assert [c.name for c in first.profile_name_scope(options).children] == ["a"]
    assert [c.name for c in second.profile_name_scope(options).children] == ["b", "c"]
    del second
    assert [c.name for c in first.profile_name_scope(options).children] == ["a"]


def test_C09_step_of_an_empty_run():
    profile = loaded(("a", "A"))
    assert profile.add_step(3, run_metadata_pb2.RunMetadata()).steps == ()


def test_C10_profile_file_while_a_profiler_exists(tmp_path):
    profiler = tfprof.Profiler(graph_of(("a", "A")))
    saved = tmp_path / "profile"
    saved.write_bytes(loaded(("b", "B")).serialize())
    assert names_of(tfprof.load(profile=saved).report()) == [ROOT, "b"]
    assert profiler.serialize_to_string()


def test_C11_saving_nodes_with_missing_inputs():
    profile = loaded(("a", "A", "nowhere:1"))
    assert len(tfprof.load(profile=profile.serialize()).nodes) == 1


@pytest.mark.parametrize("view", ["scope", "graph", "code"])
@pytest.mark.parametrize("compat", [False, True])
def test_C12_timeline_of_negative_durations(view, compat, tmp_path):
    run = run_of(CPU, ("a", 1, -5), ("a/b", 2, 10), ("a/c", 3, -100))
    log = log_of({"a": [("f.py", "f", 1)], "a/b": [("f.py", "f", 1), ("g.py", "g", 2)]})
    profile = loaded(("a", "A"), ("a/b", "B", "a"), ("a/c", "B"), run=run, log=log)
    report = profile.report(view, step=0, select=["micros"], compat=compat)
    report.write(f"timeline:outfile={tmp_path / 'out'}")
    for path in tmp_path.iterdir():
        events = json.loads(path.read_bytes())["traceEvents"]
        assert compat or all(event.get("dur", 0) >= 0 for event in events)


def test_C13_lines_of_spaces():
    assert command("--demo", stdin="   \n\t\n \x0b \n") == (0, "", command("--demo", stdin="").err)


def test_C14_bad_output_and_unreadable_graph(tmp_path):
    bad = tmp_path / "graph.pb"
    bad.write_bytes(b"\xff\xff\xff")
    outcomes = [
        command("--demo", "scope", "-output", "printer:x=y"),
        command(f"--graph_path={bad}", "scope"),
        command(f"--graph_path={tmp_path / 'none'}", "scope"),
    ]
    assert [outcome.status for outcome in outcomes] == [2, 1, 1]
    assert all(outcome.out == "" and outcome.err.count("\n") == 1 for outcome in outcomes)


@pytest.mark.parametrize("given", ["a:0:1", "a:x", "a:", "a:-1", ":", "^a:1", "a:99999999999999"])
def test_C15_inputs_with_odd_numbers(given):
    profile = loaded(("a", "A"), ("b", "B", given))
    assert profile.edges.output[0] in ([CONTROL] if given.startswith("^") else [0, 1])
    assert len(profile.report("graph", select=["input_shapes", "micros"])) == 3


def test_C16_profile_whose_inputs_point_nowhere():
    saved = log_pb2.ProfileProto()
    saved.nodes[1].name, saved.nodes[1].op = "a", "A"
    for key, target in ((0, 99), (1, -1), (2**31 - 1, 2**62)):
        saved.nodes[1].inputs[key] = target
    profile = tfprof.load(profile=saved.SerializeToString())
    assert names_of(profile.report("graph")) == [ROOT, "a"]
