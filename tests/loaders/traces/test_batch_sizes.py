"""Batch sizes of runs, from the shapes of the ops that read a model's input."""

from __future__ import annotations

import pytest

from tfprof.loaders.traces.batch_sizes import Readers, find_readers
from tfprof.profiles.trace_facts import TraceFacts
from tfprof.protos.graph_pb2 import GraphDef

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
