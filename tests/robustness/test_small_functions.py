"""Small graphs whose functions, once inlined, took minutes, gigabytes or an unexpected error."""

from __future__ import annotations

import pytest

from tests.robustness.budget import run_measured
from tests.robustness.hostile_graphs import GraphMaker

_CALLS = 800


def _add_function(maker, name, inputs=1):
    """A function `name` of one argument, without nodes."""
    function = maker.graph.library.function.add()
    function.signature.name = name
    for i in range(inputs):
        function.signature.input_arg.add(name=f"x{i}", type=1)
    function.signature.output_arg.add(name="y", type=1)
    return function


def _add_node(function, op, *inputs):
    node = function.node_def.add(name="node", op=op, input=inputs)
    node.attr["T"].type = 1
    function.ret["y"] = "node:y:0"
    return node


def _call(node, function):
    node.attr["f"].func.name = function
    return node


def _call_often(maker, function, calls=_CALLS):
    for i in range(calls):
        maker.add(f"x{i}", "Placeholder", dtype=1, shape=(i + 1, i + 1))
        _call(maker.add(f"call{i}", "PartitionedCall", f"x{i}"), function)


def _add_branches(maker, count, inputs=("x0", "x0")):
    """A Case in a function `f`, all of whose branches are a function without nodes."""
    node = _add_node(_add_function(maker, "f"), "Case", *inputs)
    for _ in range(count):
        node.attr["branches"].list.func.add(name="empty")
    _add_function(maker, "empty")


def _branches_without_nodes(maker):
    _add_branches(maker, 15_000)
    _call_often(maker, "f")


def _branches_with_many_inputs(maker):
    _add_branches(maker, 8_000, ["x0"] * 8_000)
    _call_often(maker, "f", 2)


def _branches_that_are_nested_deeply(maker):
    _add_branches(maker, 15_000)
    for depth in range(900):
        function = _add_function(maker, f"f{depth + 1}")
        for call in range(1 if depth else 50):
            node = function.node_def.add(name=f"call{call}", op="PartitionedCall")
            _call(node, f"f{depth or ''}")
    maker.add("x", "Placeholder", dtype=1, shape=(2, 2))
    maker.add("relu", "Relu", "x", T=1)
    _call(maker.add("call", "PartitionedCall"), "f900")


def _large_constant(maker):
    node = _add_node(_add_function(maker, "f"), "Const")
    node.attr["dtype"].type = 1
    tensor = node.attr["value"].tensor
    tensor.dtype, tensor.tensor_content = 1, bytes(400_000)
    tensor.tensor_shape.dim.add(size=100_000)
    _call_often(maker, "f")


def _long_name_of_attribute(maker):
    node = _add_node(_add_function(maker, "f"), "Relu", "x0")
    node.attr["a" * 400_000].i = 1
    _call_often(maker, "f")


def _many_attributes(maker):
    node = _add_node(_add_function(maker, "f"), "Relu", "x0")
    for i in range(400):
        node.attr[f"a{i}"].s = bytes(900)
    _call_often(maker, "f")


def _many_shapes(maker):
    node = _add_node(_add_function(maker, "f"), "Relu", "x0")
    for _ in range(40_000):
        node.attr["_output_shapes"].list.shape.add()
    _call_often(maker, "f")


def _many_dimensions(maker):
    node = _add_node(_add_function(maker, "f"), "Placeholder")
    for _ in range(40_000):
        node.attr["shape"].shape.dim.add(size=1)
    _call_often(maker, "f")


def _many_control_results(maker):
    function = _add_function(maker, "f")
    _add_node(function, "Relu", "x0")
    for i in range(10_000):
        function.control_ret[f"r{i}"] = "node"
    _call_often(maker, "f")


def _argument_with_a_long_name(maker):
    name = "x" * 100_000
    maker.add(name, "Placeholder", dtype=1, shape=(2, 2))
    _add_node(_add_function(maker, "inner"), "AddN", *["x0"] * 4)
    outer = _add_function(maker, "outer")
    for i in range(3_000):
        _call(outer.node_def.add(name=f"c{i}", op="PartitionedCall", input=["x0"]), "inner")
    _call(maker.add("call", "PartitionedCall", name), "outer")


def _many_inputs_with_long_names(maker):
    function = _add_function(maker, "f")
    function.node_def.add(name="a", op="Relu", input=["x0"]).attr["T"].type = 1
    _add_node(function, "AddN", *["a:y:0"] * 20_000)
    maker.add("x", "Placeholder", dtype=1, shape=(2, 2))
    _call(maker.add("call" * 25_000, "PartitionedCall", "x"), "f")


def _call_by_type(maker, function, calls, *inputs):
    """Calls whose op type is the function, of which many take few bytes."""
    for i in range(calls):
        maker.add(f"{i}", function, *inputs)


def _tiny_calls(maker):
    function = _add_function(maker, "f", inputs=0)
    for i in range(40):
        function.node_def.add(name=f"{i}", op="A")
    _call_by_type(maker, "f", 20_000)


def _nodes_with_many_shapes(maker):
    function = _add_function(maker, "f")
    for i in range(30):
        node = function.node_def.add(name=f"{i}", op="A")
        for _ in range(300):
            node.attr["_output_shapes"].list.shape.add()
    _call_by_type(maker, "f", 15_000)


def _nodes_with_an_attribute(maker):
    function = _add_function(maker, "f")
    for i in range(20):
        node = function.node_def.add(name=f"{i}", op="Relu", input=["x0"])
        node.attr["T"].type, node.attr["a"].s = 1, bytes(980)
    _call_by_type(maker, "f", 15_000)


def _many_results(maker):
    function = _add_function(maker, "f")
    _add_node(function, "Relu", "x0")
    for i in range(3_000):
        function.signature.output_arg.add(name=f"y{i}", type=1)
        function.ret[f"y{i}"] = "node:y:0"
    maker.add("x", "Placeholder", dtype=1, shape=(2, 2))
    _call_by_type(maker, "f", 10_000, "x")


def _add_chain(maker, length):
    for i in range(length):
        _add_function(maker, f"f{i}", inputs=0).node_def.add(name="a", op=f"f{i + 1}")


def _many_deep_calls(maker):
    _add_chain(maker, 990)
    _add_function(maker, "f990", inputs=0)
    _call_by_type(maker, "f0", 3_000)


def _many_calls_of_nothing_that_are_nested_deeply(maker):
    _add_chain(maker, 990)
    function = _add_function(maker, "f990", inputs=0)
    for i in range(20_000):
        function.node_def.add(name=f"{i}", op="empty")
    _add_function(maker, "empty", inputs=0)
    _call_by_type(maker, "f0", 1)


def _branches_with_as_many_inputs(maker):
    maker.add("x", "Placeholder", dtype=1, shape=(2, 2))
    case = maker.add("case", "Case", *["x"] * 12_000)
    for _ in range(12_000):
        case.attr["branches"].list.func.add(name="f")
    _add_function(maker, "f", inputs=12_000)


def _branches_with_few_of_many_results(maker):
    maker.add("x", "Placeholder", dtype=1, shape=(2, 2))
    case = maker.add("case", "Case", "x")
    for i in range(3_000):
        case.attr["branches"].list.func.add(name=f"f{i}")
        function = _add_function(maker, f"f{i}", inputs=0)
        for _ in range(0 if i else 40_000):
            function.signature.output_arg.add()


def _branches_of_a_long_name(maker):
    case = maker.add("n" * 800_000, "Case")
    for _ in range(60_000):
        case.attr["branches"].list.func.add(name="f")
    _add_function(maker, "f")


@pytest.mark.parametrize("command", ["op", "fit", "cost"])
@pytest.mark.parametrize(
    "add",
    [
        _branches_without_nodes,
        _branches_with_many_inputs,
        _branches_that_are_nested_deeply,
        _large_constant,
        _long_name_of_attribute,
        _many_attributes,
        _many_shapes,
        _many_dimensions,
        _many_control_results,
        _argument_with_a_long_name,
        _many_inputs_with_long_names,
        _tiny_calls,
        _nodes_with_many_shapes,
        _nodes_with_an_attribute,
        _many_results,
        _many_deep_calls,
        _many_calls_of_nothing_that_are_nested_deeply,
        _branches_with_as_many_inputs,
        _branches_with_few_of_many_results,
        _branches_of_a_long_name,
    ],
    ids=lambda add: add.__name__.strip("_"),
)
def test_functions_that_grow_when_inlined(command, add, tmp_path):
    maker = GraphMaker()
    add(maker)
    path = tmp_path / "graph.pb"
    path.write_bytes(maker.graph.SerializeToString())
    assert path.stat().st_size < 1_300_000
    graph = path if command == "cost" else f"--graph_path={path}"
    done = run_measured(command, graph).check()
    assert done.status == 0 or (command == "fit" and "of the graph is known" in done.err)
