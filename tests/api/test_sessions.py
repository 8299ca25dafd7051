"""Several steps in one profiler: what views show, and which messages come when."""

from __future__ import annotations

import pytest

import tfprof
from tests.robustness.models import CPU, graph_of, log_of, run_of
from tfprof.protos.log_pb2 import ProfileProto
from tfprof.protos.run_metadata_pb2 import RunMetadata

MODEL = (("a", "A"), ("b", "B", "a"))
STACK = {"a": [("f.py", "f", 1), ("g.py", "g", 2)]}
LOST = {**STACK, "gradients/nowhere_grad/x": [("f.py", "f", 3)]}
TIMES = {"select": ["micros"], "output": "none"}


def profiler(*nodes: tuple[str, ...], log=None, compat: bool = True) -> tfprof.Profiler:
    return tfprof.Profiler(graph_of(*MODEL, *nodes), log and log_of(log), compat=compat)


def odd_run() -> RunMetadata:
    """A record with two GPU allocators, one that did not start, and one more with two."""
    run = run_of(CPU, ("a", 3, 5), ("b", 0, 5), ("b", 4, 5))
    records = run.step_stats.dev_stats[0].node_stats
    for record in (records[0], records[2]):
        for name in ("GPU_0_bfc", "GPU_1_bfc"):
            record.memory.add(allocator_name=name, total_bytes=8)
    return run


@pytest.mark.parametrize(("compat", "total"), [(True, 7), (False, 16)])
def test_advice_fixes_the_views_only_in_compat(compat: bool, total: int) -> None:
    session = profiler(compat=compat)
    session.add_step(0, run_of(CPU, ("a", 1, 7)))
    session.advise()
    session.add_step(0, run_of(CPU, ("late", 9, 9)))
    options = {"select": ["micros"], "account_type_regexes": [".*"]}
    for view in ("scope", "graph", "op"):
        assert session.report(view, options).total[0, "exec_micros"] == total, view
    session.add_step(0, run_of(CPU, ("new", 20, 1)), graph=graph_of(("new", "New")))
    assert session.report("scope", options).total[0, "exec_micros"] == 17


def test_compat_reports_records_when_they_are_added(capfd) -> None:
    session = profiler()
    session.add_step(0, run_of(CPU, ("a", 1, 1)))
    session.add_step(1, odd_run())
    found = "found 2 gpu allocator for 1 node\n"
    assert capfd.readouterr().err == f"{found}b has no start time, skipping\n{found}"
    session.profile_name_scope(TIMES)
    session.advise({"ExpensiveOperationChecker": {}})
    assert "start time" not in capfd.readouterr().err


def test_compat_reports_records_of_one_shot_calls(capfd) -> None:
    tfprof.profile(graph_of(*MODEL), odd_run(), None, "op", TIMES, compat=True)
    assert capfd.readouterr().err.count("start time") == 1
    tfprof.advise(graph_of(*MODEL), odd_run(), {"OperationChecker": {}}, compat=True)
    assert capfd.readouterr().err.count("start time") == 1


def test_by_default_records_are_reported_with_each_report(capfd) -> None:
    session = profiler(compat=False)
    session.add_step(1, odd_run())
    assert not capfd.readouterr().err
    for _ in range(2):
        session.profile_name_scope(TIMES)
        assert capfd.readouterr().err == "b has no start time, skipping\n"


def test_lost_gradients_are_reported_when_code_view_is_built(capfd) -> None:
    lost = ("gradients/nowhere_grad/x", "A")
    session = profiler(lost, log=LOST)
    session.profile_python(TIMES)
    assert capfd.readouterr().err == "1 gradient nodes not accounted\n"
    session.profile_python(TIMES)
    session.advise({"OperationChecker": {}})
    assert not capfd.readouterr().err
    other = profiler(lost, log=LOST)
    other.advise({"OperationChecker": {}})
    assert capfd.readouterr().err == "1 gradient nodes not accounted\n"
    other.profile_python(TIMES)
    assert not capfd.readouterr().err


def test_code_view_says_that_it_has_no_values(capfd) -> None:
    options = {"select": ["tensor_value"], "output": "none"}
    options |= {"account_type_regexes": [".*"], "start_name_regexes": [".*"]}
    options |= {"show_name_regexes": [".*"], "max_depth": 9}
    profiler(log=STACK).profile_python(options)
    assert capfd.readouterr().err == "code view has no tensor value to show\n" * 3
    profiler(log=STACK, compat=False).profile_python(options)
    assert capfd.readouterr().err.count("tensor_value: code view shows no values") == 1


def test_a_refused_output_is_all_that_is_said(capfd, tmp_path) -> None:
    options = {"select": ["tensor_value"], "output": f"pprof:outfile={tmp_path}/out"}
    profiler(log=STACK).profile_python({**options, "account_displayed_op_only": True})
    assert capfd.readouterr().err == "pprof doesn't support -select=tensor_value\n"


@pytest.mark.parametrize("compat", [True, False])
def test_nodes_have_an_empty_trace_once_loaded_in_compat(compat: bool) -> None:
    session = profiler(log=STACK, compat=compat)
    loaded = tfprof.Profiler.load(session.serialize_to_string(), compat=compat)
    loaded.add_step(0, run_of(CPU, ("late", 9, 9)), op_log=log_of({"b": [("b.py", "b", 7)]}))
    nodes = ProfileProto.FromString(loaded.serialize_to_string()).nodes.values()
    frames = {node.name: len(node.trace.traces) for node in nodes if node.HasField("trace")}
    assert frames == ({"a": 2, "b": 0} if compat else {"a": 2, "b": 1})
    whole = tfprof.load(profile=session.serialize_to_string(), compat=compat)
    nodes = ProfileProto.FromString(whole.serialize(compat=compat)).nodes.values()
    assert sum(node.HasField("trace") for node in nodes) == (2 if compat else 1)
