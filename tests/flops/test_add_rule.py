"""A FLOP rule is one entry: one that is added here, from outside, is counted."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

import tfprof
from tfprof.flops import rules
from tfprof.flops.rules.formula import per_output
from tfprof.protos.graph_pb2 import GraphDef

TWO_PER_OUTPUT = per_output(2)


def graph() -> GraphDef:
    model = GraphDef()
    node = model.node.add(name="mine", op="MyOp")
    node.attr["T"].type = 1
    shape = node.attr["_output_shapes"].list.shape.add()
    for size in (3, 5):
        shape.dim.add(size=size)
    return model


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The entry points of another package."""
    values: dict[str, str] = {}

    def find(group: str) -> list[EntryPoint]:
        assert group == rules.ENTRY_POINTS == "tfprof.flop_rules"
        return [EntryPoint(name, value, group) for name, value in values.items()]

    monkeypatch.setattr("importlib.metadata.entry_points", find)
    rules.entry_point_rules.cache_clear()
    yield values
    rules.entry_point_rules.cache_clear()


@pytest.mark.usefixtures("points")
def test_unknown_without_a_rule() -> None:
    cost = tfprof.cost(graph())
    assert (cost.float_ops, [node.kind for node in cost.nodes()]) == (0, ["unknown"])


@pytest.mark.usefixtures("points")
def test_entry_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rules.RULES, "MyOp", TWO_PER_OUTPUT)
    assert tfprof.cost(graph()).float_ops == 2 * 3 * 5


def test_entry_point(points: dict[str, str]) -> None:
    points["MyOp"] = f"{__name__}:TWO_PER_OUTPUT"
    assert tfprof.cost(graph()).float_ops == 2 * 3 * 5


def test_broken_entry_point(points: dict[str, str]) -> None:
    points["MyOp"] = f"{__name__}:NO_SUCH_RULE"
    with pytest.warns(RuntimeWarning, match="FLOP rule MyOp of .* cannot be loaded"):
        assert tfprof.cost(graph()).float_ops == 0
