"""Small graphs whose memory once took long to predict or failed: each keeps 2 s and 300 MB."""

from __future__ import annotations

import pytest

from tests.robustness.budget import run_measured
from tfprof.protos.graph_pb2 import GraphDef


def _add(graph, name, op, *inputs, shape=None):
    node = graph.node.add(name=name, op=op, input=inputs)
    node.attr["T" if shape is None else "dtype"].type = 1
    for size in shape or ():
        node.attr["shape"].shape.dim.add(size=size)


@pytest.fixture
def run(tmp_path):
    """Runs a command on a graph with the placeholder `x` of a shape, and other nodes."""

    def write(shape, nodes, *argv):
        graph = GraphDef()
        _add(graph, "x", "Placeholder", shape=shape)
        for name, op, *inputs in nodes:
            _add(graph, name, op, *inputs)
        (tmp_path / "graph.pb").write_bytes(graph.SerializeToString())
        return run_measured(*argv, cwd=tmp_path).check()

    return write


@pytest.mark.parametrize("shape", ["chain", "fan"])
def test_largest_size(shape, run):
    names = [f"n{i}" for i in range(4000)]
    inputs = ["x", *names] if shape == "chain" else ["x"] * len(names)
    nodes = [(name, "Relu", source) for name, source in zip(names, inputs, strict=False)]
    nodes += [] if shape == "chain" else [("sum", "AddN", *names)]
    done = run([-1, 4], nodes, "graph.pb", "fit", "--largest", "B", "--memory", "16GB")
    assert done.status == 0
    assert "is the largest that fits" in done.out


@pytest.mark.parametrize("op", ["Conv2DBackpropInput", "Conv2DBackpropFilter", "MaxPoolGrad"])
@pytest.mark.parametrize("inputs", [("x", "x", "x"), ("x",), ("^x",)], ids=["all", "one", "none"])
def test_kernels_of_nothing(op, inputs, run):
    done = run([0, 0, 0, 0], [("a", op, *inputs), ("b", "Relu", "x")], "graph.pb", "fit")
    assert done.status == 0


def test_more_bytes_than_64_bits_count(run, tmp_path):
    """Two tensors, each of 2^82 bytes, one of them fed."""
    nodes = [("a", "Relu", "x")]
    assert "9671406556917032960.00MB" in run([2**40] * 2, nodes, "graph.pb", "fit").out
    (tmp_path / "tfprof.toml").write_text("[budget]\nstatic_memory = 5\n")
    done = run([2**40] * 2, nodes, "gate", "graph.pb")
    assert done.status == 1
    assert f"{2**82:,}" in done.out


@pytest.mark.parametrize("argv", [("graph.pb", "fit"), ("gate", "graph.pb")], ids=["fit", "gate"])
def test_more_bytes_than_floats_count(argv, run, tmp_path):
    (tmp_path / "tfprof.toml").write_text("[budget]\nstatic_memory = 5\n")
    done = run([2**62] * 250, [("a", "Relu", "x")], *argv)
    assert (done.status, done.err) == (
        2,
        "tfprof: memory: a tensor of the graph has more than 1e150 bytes\n",
    )
