"""Batch sizes of runs, from the shapes of the ops that read a model's input."""

from __future__ import annotations

import time

import pytest

from tests.robustness.budget import slowness
from tfprof.loaders.traces.batch_sizes import Readers, find_readers
from tfprof.loaders.traces.run_columns import scopes_of_roots
from tfprof.profiles.trace_facts import TraceFacts
from tfprof.protos.graph_pb2 import FunctionDef, GraphDef, NodeDef

READERS = Readers({"a/MatMul": {0: (-1, 20)}, "b": {1: (-1,)}})


@pytest.mark.parametrize(
    ("op", "shapes", "size"),
    [
        ("a/MatMul", "(float[8,20];float[20,30])", 8),
        ("b", "(float[];int64[16])", 16),
        # Another op reads other inputs, as a fused one does.
        ("a/MatMul", "(float[8,21];float[20,30])", 0),
        ("a/MatMul", "(float[8];float[20,30])", 0),
        ("b", "(float[])", 0),
        ("c", "(float[8,20])", 0),
        ("a/MatMul", f"(float[{5000 * '9'},20])", 0),
        ("a/MatMul", "(float[,20])", 0),
        ("a/MatMul", "", 0),
    ],
)
def test_shapes_of_inputs(op: str, shapes: str, size: int) -> None:
    assert READERS.batch_size(op, shapes) == size


def _graph() -> GraphDef:
    """`fit` gets a batch from an iterator and passes it to `step`, which passes it to itself."""
    graph = GraphDef()
    call = graph.node.add(name="fit", op="StatefulPartitionedCall", input=["fit_args/iterator"])
    call.attr["f"].func.name = "fit_1"
    fit = graph.library.function.add()
    fit.signature.name = "fit_1"
    fit.signature.input_arg.add(name="iterator")
    batch = fit.node_def.add(name="next", op="IteratorGetNext", input=["iterator"])
    for sizes in ((-1, 20), (5,)):
        shape = batch.attr["output_shapes"].list.shape.add()
        for size in sizes:
            shape.dim.add(size=size)
    inputs = ["next:components:0", "next:components:1"]
    called = fit.node_def.add(name="call", op="PartitionedCall", input=inputs)
    called.attr["f"].func.name = "step_2"
    step = graph.library.function.add()
    step.signature.name = "step_2"
    for name in ("x", "y"):
        step.signature.input_arg.add(name=name)
    step.node_def.add(name="dense/MatMul", op="MatMul", input=["x", "w"])
    step.node_def.add(name="loss", op="Sub", input=["y", "y"])
    again = step.node_def.add(name="again", op="PartitionedCall", input=["x", "y"])
    again.attr["f"].func.name = "step_2"
    return graph


def test_ops_that_read_an_input() -> None:
    """Each function is followed once."""
    assert find_readers(_graph()).shapes == {
        "call": {0: (-1, 20)},
        "call/dense/MatMul": {0: (-1, 20)},
        "call/again": {0: (-1, 20)},
    }


@pytest.mark.parametrize("sizes", [[], {"x": {}}, {"1": 3}, {"1": {"fit": "3"}}, {"1": {"fit": 0}}])
def test_facts_that_are_wrong(sizes: object) -> None:
    facts = {**TraceFacts(batch_sizes={1: {"fit": 64}}).to_dict(), "batch_sizes": sizes}
    with pytest.raises((TypeError, ValueError)):
        TraceFacts.from_dict(facts)


def test_facts_are_kept() -> None:
    facts = TraceFacts(batch_sizes={1: {"fit": 64}})
    assert TraceFacts.from_dict(facts.to_dict()) == facts


def _function(graph: GraphDef, name: str, arguments: int) -> FunctionDef:
    function = graph.library.function.add()
    function.signature.name = name
    for i in range(arguments):
        function.signature.input_arg.add(name=f"x{i}")
    return function


def _call(node: NodeDef, function: str, inputs: list[str]) -> None:
    node.op = "PartitionedCall"
    node.input.extend(inputs)
    node.attr["f"].func.name = function


def _open_inputs(count: int) -> GraphDef:
    graph = GraphDef()
    for i in range(count):
        node = graph.node.add(name=f"x{i}", op="Placeholder")
        node.attr["shape"].shape.dim.add(size=-1)
    return graph


def _calls_with_other_arguments(count: int) -> GraphDef:
    """Functions that each call the next one twice, once without one of the arguments."""
    graph = _open_inputs(count)
    names = [f"x{i}" for i in range(count)]
    _call(graph.node.add(name="call"), "f0", names)
    for i in range(count):
        function = _function(graph, f"f{i}", count)
        _call(function.node_def.add(name="a"), f"f{i + 1}", names)
        _call(function.node_def.add(name="b"), f"f{i + 1}", [*names[:i], "", *names[i + 1 :]])
    return graph


def _calls_of_one_function(count: int) -> GraphDef:
    graph = _open_inputs(1)
    function = _function(graph, "f", 1)
    for i in range(count):
        function.node_def.add(name=f"n{i}", op="A", input=["x0"])
        _call(graph.node.add(name=f"c{i}"), "f", ["x0"])
    return graph


def _chain_of_calls(count: int) -> GraphDef:
    graph = _open_inputs(1)
    _call(graph.node.add(name="call"), "f0", ["x0"])
    for i in range(count):
        function = _function(graph, f"f{i}", 1)
        _call(function.node_def.add(name="call"), f"f{i + 1}", ["x0"])
    return graph


@pytest.mark.parametrize(
    "graph",
    [_calls_with_other_arguments(30), _calls_of_one_function(2000), _chain_of_calls(8000)],
    ids=["arguments", "calls", "chain"],
)
def test_search_is_bounded(graph: GraphDef) -> None:
    started = time.process_time()
    shapes = find_readers(graph).shapes
    assert time.process_time() - started < 2 * slowness()
    assert sum(map(len, shapes)) < 30_000_000


def test_functions_of_one_name_have_scopes_of_their_own() -> None:
    functions = [f"__inference_f_{i}" for i in range(20_000)]
    started = time.process_time()
    scopes = scopes_of_roots([*functions, "__inference_g_1"], {"__inference_h_1": "f_1"})
    assert time.process_time() - started < slowness()
    assert scopes[:3] == ["f", "f_2", "f_3"]
    assert len(set(scopes)) == len(scopes)
    assert scopes[-1] == "g"
