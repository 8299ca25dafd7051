"""Small models with stacks that once took minutes: each keeps a budget of 2 s and 300 MB."""

from __future__ import annotations

from tests.robustness import hostile_stacks
from tests.robustness.budget import run_measured
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.log_pb2 import CodeDef, OpLogProto

_FUNCTION = hostile_stacks.FUNCTION
_ALL = "code", "-account_type_regexes", ".*", "-select", "occurrence"


def test_gradients_of_scopes_with_a_long_stack(tmp_path):
    """The gradients of a scope have the frames that all stacks of the scope share."""
    nodes = [(f"s{i}/x{k}", k) for i in range(1500) for k in range(2)]
    gradients = [(f"gradient_tape/s{i}/y", 0) for i in range(1500)]
    hostile_stacks.write_model(tmp_path, nodes + gradients, [[1] * 2000, [1] * 1999 + [2]])
    done = run_measured(tmp_path, *_ALL, "-max_depth", "1").check()
    assert done.status == 0


def test_gradient_in_many_scopes(tmp_path):
    nodes = [("call/gradient_tape/" + "a/" * 100_000 + "b", 0), ("c", 0)]
    hostile_stacks.write_model(tmp_path, nodes, [[1]])
    assert run_measured(tmp_path, *_ALL, "-max_depth", "1").check().status == 0


def test_compiled_gradients_of_a_scope_with_many_nodes(tmp_path):
    names = [f"s/x{i}" for i in range(2000)]
    info = hostile_stacks.debug_info([(f"{name}@{_FUNCTION}", 0) for name in names], [[1] * 20])
    program = hostile_stacks.compiled_ops(f"gradient_tape/s/y{i}" for i in range(2000))
    hostile_stacks.write_capture(tmp_path, hostile_stacks.graph_of_function(names), program, info)
    assert run_measured(tmp_path, "code").check().status == 0


def test_compiled_ops_with_one_long_stack(tmp_path):
    names = [f"x{i}" for i in range(2000)]
    info = hostile_stacks.debug_info([(f"{name}@{_FUNCTION}", 0) for name in names], [[1] * 2000])
    program = hostile_stacks.compiled_ops(names)
    hostile_stacks.write_capture(tmp_path, hostile_stacks.graph_of_function(names), program, info)
    assert run_measured(tmp_path, "op").check().status == 0


def test_captured_functions_that_call_each_other_in_a_chain(tmp_path):
    graph = hostile_stacks.graph_of_function(())
    for i in range(8000):
        function = graph.library.function.add()
        function.signature.name = f"g{i}"
        call = function.node_def.add(name="call", op="PartitionedCall")
        call.attr["f"].func.name = f"g{i + 1}"
    graph.node.add(name="chain", op="PartitionedCall").attr["f"].func.name = "g0"
    # A function without a name is not the graph that calls it.
    graph.node.add(name="nameless", op="PartitionedCall").attr["f"].func.name = ""
    graph.library.function.add().node_def.add(name="x", op="A")
    hostile_stacks.write_capture(tmp_path, graph, hostile_stacks.compiled_ops(["x"]))
    assert run_measured(tmp_path, "op").check().status == 0


def test_stack_of_100_000_frames(tmp_path):
    """Also two that have all frames but the last in common."""
    graph, log = GraphDef(), OpLogProto()
    for name in ("a", "b"):
        graph.node.add(name=name, op="A")
        traces = log.log_entries.add(name=name).code_def.traces
        traces.extend([CodeDef.Trace()] * 50_000)
        traces.add(lineno=len(graph.node))
    paths = tmp_path / "graph", tmp_path / "log"
    for path, message in zip(paths, (graph, log), strict=True):
        path.write_bytes(message.SerializeToString())
    inputs = f"--graph_path={paths[0]}", f"--op_log_path={paths[1]}"
    assert run_measured(*inputs, *_ALL, "-max_depth", "1").check().status == 0
    done = run_measured(*inputs, "summary").check()
    assert "2 nodes, code traces" in done.out
