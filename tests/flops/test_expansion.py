"""Expanded functions: runtime names, nesting, recursion, bounds."""

from __future__ import annotations

from typing import Any

from tfprof.functions.expand import MAX_DEPTH, ExpandedGraph, InlinedBody, expand
from tfprof.protos.graph_pb2 import FunctionDef, GraphDef, NodeDef


def nodes_of(expanded: ExpandedGraph) -> dict[str, tuple[InlinedBody, NodeDef]]:
    """Runtime name -> body and node."""
    return {
        inlined.prefix + node.name: (inlined, node)
        for inlined in expanded.bodies
        for node in inlined.body.nodes
    }


def ours(graph: Any) -> GraphDef:
    return GraphDef.FromString(graph.as_graph_def(add_shapes=True).SerializeToString())


def function(graph: GraphDef, name: str, nodes: list[tuple[str, str, list[str]]]) -> FunctionDef:
    made = graph.library.function.add()
    made.signature.name = name
    made.signature.input_arg.add(name="x")
    made.signature.output_arg.add(name="y")
    for node, op, inputs in nodes:
        added = made.node_def.add(name=node, op=op, input=inputs)
        if op == "PartitionedCall":
            added.attr["f"].func.name = node
    made.ret["y"] = f"{nodes[-1][0]}:0"
    return made


def caller(graph: GraphDef, name: str, callee: str, source: str) -> None:
    node = graph.node.add(name=name, op="PartitionedCall", input=[source])
    node.attr["f"].func.name = callee


def test_nested_calls() -> None:
    graph = GraphDef()
    graph.node.add(name="in", op="Placeholder")
    function(graph, "inner", [("neg", "Neg", ["x"])])
    function(graph, "outer", [("pre", "Exp", ["x"]), ("inner", "PartitionedCall", ["pre:y:0"])])
    caller(graph, "c", "outer", "in")
    graph.node.add(name="out", op="Log", input=["c:0"])
    names = nodes_of(expand(graph))
    assert list(names) == ["in", "c", "out", "c/pre", "c/inner", "c/inner/neg"]
    inner, node = names["c/inner/neg"]
    assert (inner.prefix, inner.parent) == ("c/inner/", names["c/pre"][0])
    assert node is graph.library.function[0].node_def[0]


def test_recursion_is_not_expanded() -> None:
    graph = GraphDef()
    function(graph, "f", [("a", "Neg", ["x"]), ("f", "PartitionedCall", ["a:0"])])
    caller(graph, "c", "f", "nowhere")
    caller(graph, "d", "absent", "c:0")
    expanded = expand(graph)
    assert list(nodes_of(expanded)) == ["c", "d", "c/a", "c/f"]
    assert expanded.warnings == [
        "function 'absent' is not in the library",
        "function 'f' calls itself",
    ]


def test_bounds() -> None:
    graph = GraphDef()
    for depth in range(MAX_DEPTH + 100):
        function(graph, f"f{depth}", [(f"f{depth + 1}", "PartitionedCall", ["x"])])
    caller(graph, "c", "f0", "x")
    expanded = expand(graph)
    assert len(nodes_of(expanded)) == MAX_DEPTH + 1
    assert expanded.warnings == [f"calls nested deeper than {MAX_DEPTH} are not expanded"]

    doubling = GraphDef()
    for depth in range(60):
        made = function(doubling, f"g{depth}", [("a", "Neg", ["x"]), ("b", "Neg", ["x"])])
        for node in made.node_def:
            node.op = f"g{depth + 1}" if depth < 59 else "Neg"
    doubling.node.add(name="c", op="g0")
    (warning,) = expand(doubling, max_nodes=10_000).warnings
    assert warning.startswith("calls that need more than 10000 nodes are not expanded")


def test_runtime_names(tf: Any) -> None:
    @tf.function
    def double(x: Any) -> Any:
        return x + x

    def model(x: Any, n: Any) -> Any:
        y = double(x)
        z = tf.while_loop(lambda i, _: i < n, lambda i, a: (i + 1, tf.matmul(a, a)), (0, y))[1]
        return tf.cond(n > 3, lambda: tf.exp(z), lambda: z)

    concrete = tf.function(model).get_concrete_function(
        tf.TensorSpec((4, 4)), tf.TensorSpec((), tf.int32)
    )
    names = nodes_of(expand(ours(concrete.graph)))
    assert "PartitionedCall/add" in names
    assert "while/cond/while/Less" in names
    assert "cond/then/cond/Exp" in names
    assert names["while/body/while/MatMul"][0].call.kind == "body"
