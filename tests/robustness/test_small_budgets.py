"""Small budgets that once took minutes or gigabytes: each keeps a budget of 2 s and 300 MB."""

from __future__ import annotations

import pytest

from tests.robustness.budget import run_measured
from tfprof.protos.graph_pb2 import GraphDef

_COUNT = 3000


@pytest.fixture
def gate(tmp_path):
    """Judges a graph of variables, each in a scope, with the text of a budget."""
    graph = GraphDef()
    for i in range(_COUNT):
        node = graph.node.add(name=f"s{i}/a", op="VarHandleOp")
        node.attr["dtype"].type = 1
        node.attr["shape"].shape.dim.add(size=3)
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.SerializeToString())

    def judge(text):
        (tmp_path / "budget.toml").write_text(text)
        return run_measured("gate", path, path, "--budget", tmp_path / "budget.toml").check()

    return judge


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"a{'.a' * 50_000} = 1", "line 1 has a key of over 100 parts"),
        (f"\n[budget{'.a' * 50_000}]\nparams = 1", "line 2 has a key of over 100 parts"),
        (f"[budget]\nparams = {'9' * 5000}", "has an integer of too many digits"),
        (
            f"[budget]\nparams = 0x{'f' * 5000}",
            "params = a number of more than 64 bits is no limit",
        ),
        (f"[budget]\nparams = 1\n[bind]\nB = 0x{'f' * 5000}", "B = a number of more than 64 bits"),
    ],
    ids=["key", "table", "digits", "hex", "bind"],
)
def test_refused(text, says, gate):
    done = gate(text)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert says in done.err


@pytest.mark.parametrize(
    ("part", "limits"),
    [
        ("scope", ("params", "float_ops", "macs")),
        ("scope", ("static_memory",)),
        ("layer", ("params",)),
    ],
    ids=["numbers", "static_memory", "layers"],
)
def test_many_limits(part, limits, gate):
    lines = "".join(f"{name} = 3\n" for name in limits)
    done = gate("".join(f"[budget.{part}.s{i}]\n{lines}" for i in range(_COUNT)))
    assert f"of {_COUNT * len(limits)} checks" in done.out


def test_dots_in_names_and_comments_are_no_parts_of_keys(gate):
    dots = "." * 200
    done = gate(f'# {dots}\n[budget]\nparams = 9000\n[budget.scope."{dots}"]\nparams = 1')
    assert "no scope has this name" in done.err


def test_unknown_scope_of_a_graph_with_deep_names(tmp_path):
    graph = GraphDef()
    graph.node.add(name="b", op="A", input=["c"], device="/cpu:0")
    graph.node.add(name="/".join(["a"] * 50_000), op="A")
    (tmp_path / "graph.pb").write_bytes(graph.SerializeToString())
    (tmp_path / "budget.toml").write_text("[budget.scope.zz]\nparams = 1")
    done = run_measured("gate", tmp_path / "graph.pb", "--budget", tmp_path / "budget.toml")
    assert "no scope has this name; known are a, b, a/a…" in done.check().err
