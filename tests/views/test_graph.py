"""Graph view: under which of its consumers a node is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import tfprof
from tests.test_goldens import CPU, graph_of, run_of
from tfprof.profiles.schema import Edges
from tfprof.views.view import ROOT


def parents(profile: tfprof.Profile) -> list[tuple[str, str]]:
    """The nodes in the order of the walk, each with what it is under."""
    report = profile.report("graph", max_depth=99, order_by="depth")
    return [(row.name, row.parent.name) for row in report if row.parent]


def test_a_node_is_under_the_first_consumer_by_name() -> None:
    graph = graph_of(("x", "Const"), ("b", "Relu", "x"), ("a", "Relu", "x"))
    assert parents(tfprof.load(graph)) == [("a", ROOT), ("x", "a"), ("b", ROOT)]


def test_inputs_are_visited_in_their_order() -> None:
    """Also if the edges are not sorted by consumer, as those of functions are not."""
    inputs = [f"n{i}" for i in reversed(range(200))]
    of_a, of_b = inputs[::2], inputs[1::2]
    nodes = (*((name, "Const") for name in inputs), ("a", "AddN", *of_a), ("b", "AddN", *of_b))
    profile = tfprof.load(graph_of(*nodes))
    rows = np.arange(200).reshape(2, 100).T.ravel()
    mixed = Edges(*(column.take(rows) for column in profile.edges.columns()))
    for edges in (profile.edges, mixed):
        names = [name for name, _ in parents(profile.replace(edges=edges))]
        assert names == ["a", *of_a, "b", *of_b]


def test_a_cycle_starts_with_its_first_node_by_name() -> None:
    """If no other cycle consumes it."""
    graph = graph_of(("z", "Z", "y"), ("y", "Y", "z", "a"), ("b", "B", "a"), ("a", "A", "b"))
    assert parents(tfprof.load(graph)) == [("y", ROOT), ("z", "y"), ("a", "y"), ("b", "a")]


def test_cycles_are_in_the_order_of_their_first_nodes() -> None:
    pairs = [("a", "b"), ("c", "d"), ("e", "f")]
    nodes = ((name, "A", other) for pair in pairs for name, other in (pair, pair[::-1]))
    found = parents(tfprof.load(graph_of(*nodes)))
    assert found == [row for a, b in pairs for row in ((a, ROOT), (b, a))]


def test_nodes_of_copies_are_left_out() -> None:
    """Also if they are in a cycle, or consume what is in the graph."""
    run = run_of(CPU, ("copy:MEMCPYHtoD", 1, 1), ("b", 1, 1))
    profile = tfprof.load(graph_of(("a", "A"), ("b", "B", "a"), ("c", "C", "c")), run)
    copy = profile.nodes.name.index("copy").as_py()
    of_copy = Edges(
        np.array([copy], np.int32), np.zeros(1, np.int32), pa.array(["b"]), np.zeros(1, np.int32)
    )
    profile = profile.replace(edges=profile.edges.concat(of_copy))
    assert parents(profile) == [("b", ROOT), ("a", "b"), ("c", ROOT)]
