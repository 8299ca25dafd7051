"""Small graphs of odd nodes whose shapes once took minutes, gigabytes or an unexpected error."""

from __future__ import annotations

import pytest

from tests.robustness.budget import run_measured
from tests.robustness.hostile_graphs import GraphMaker
from tfprof.protos.graph_pb2 import DataType

_MANY = 60_000
_RANK = 250
_INT64 = {"dtype": DataType.DT_INT64}


def _run(command, maker, tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes(maker.graph.SerializeToString())
    return run_measured(command, path if command == "cost" else f"--graph_path={path}").check()


def _cost(maker, tmp_path):
    return _run("cost", maker, tmp_path)


def _einsum(maker):
    maker.add("x", "Placeholder", dtype=1, shape=(7,))
    equation = ",".join("a" * 20_000) + "->a"
    maker.add("node", "Einsum", *["x"] * 20_000, T=1, N=20_000, equation=equation.encode())


def _einsum_of_many_results(maker):
    maker.add("x", "Placeholder", dtype=1, shape=(7,) * _RANK)
    results = "".join(chr(0x4E00 + i % 20_000) for i in range(40_000))
    equation = ",".join(["...b"] * 300) + f"->{results}"
    maker.add("node", "Einsum", *["x"] * 300, T=1, N=300, equation=equation.encode())


def _of_many_inputs(op, shape):
    def add(maker):
        maker.add("x", "Placeholder", dtype=1, shape=shape)
        maker.add("node", op, *["x"] * _MANY, T=1, N=_MANY)

    return add


def _of_many_values(op):
    def add(maker):
        tensor = maker.add("x", "Const", dtype=3).attr["value"].tensor
        tensor.dtype = DataType.DT_INT32
        tensor.tensor_shape.dim.add(size=1024)
        tensor.int_val.append(1)
        maker.constant("axis", [0], rank=0)
        inputs = ["x"] * _MANY + ["axis"] * (op == "ConcatV2")
        maker.add("node", op, *inputs, T=3, N=_MANY)

    return add


def _stitch(maker):
    maker.constant("index", [2**31 - 1])
    maker.constant("item", [5])
    maker.add("node", "DynamicStitch", "index", "item", T=3, N=1)


@pytest.mark.parametrize(
    "add",
    [
        _einsum,
        _einsum_of_many_results,
        _of_many_inputs("AddN", (-1,) * _RANK),
        _of_many_inputs("IdentityN", (-1,) * _RANK),
        _of_many_inputs("ShapeN", (2,) * _RANK),
        _of_many_values("ConcatV2"),
        _of_many_values("Pack"),
        _stitch,
    ],
    ids=[
        "einsum",
        "einsum of many results",
        "sum",
        "identities",
        "shapes",
        "concat of values",
        "pack of values",
        "stitch",
    ],
)
def test_nodes_of_many_inputs_or_attributes(add, tmp_path):
    maker = GraphMaker()
    add(maker)
    assert _cost(maker, tmp_path).status == 0


def test_numbers_that_no_axis_or_index_has(tmp_path):
    maker = GraphMaker()
    maker.constant("v", [1, 2])
    maker.constant("axis", [2**63 - 1], **_INT64, rank=0)
    maker.constant("axes", [2**62], **_INT64)
    maker.constant("lowest", [-(2**63)], **_INT64, rank=0)
    maker.constant("one", [1], **_INT64, rank=0)
    cast = maker.add("unsigned", "Cast", "lowest")
    cast.attr["SrcT"].type, cast.attr["DstT"].type = DataType.DT_INT64, DataType.DT_UINT64
    maker.add("expand", "ExpandDims", "v", "axis", T=3)
    maker.add("pack", "Pack", "v", "v", T=3, N=2, axis=2**62)
    maker.add("transpose", "Transpose", "v", "axes", T=3)
    maker.add("reverse", "ReverseV2", "v", "axes", T=3)
    maker.add("gather", "GatherV2", "v", "unsigned", "one", Tparams=3)
    maker.add("range", "Range", "lowest", "axis", "one").attr["Tidx"].type = DataType.DT_INT64
    assert _cost(maker, tmp_path).status == 0


def _add_function(maker, op, count):
    """A function whose only node has many inputs, outputs, branches or items of an attribute."""
    function = maker.graph.library.function.add()
    function.signature.name = "f"
    function.signature.input_arg.add(name="x", type=1)
    function.signature.output_arg.add(name="y", type=1)
    inputs = ["x"] * (count if op == "AddN" else 2)
    node = function.node_def.add(name="node", op=op, input=inputs)
    node.attr["T"].type = 1
    function.ret["y"] = "node:y:0"
    return node.attr


def _call_with_many_shapes(maker, calls):
    for i in range(calls):
        maker.add(f"x{i}", "Placeholder", dtype=1, shape=(i + 1, i + 1))
        node = maker.add(f"call{i}", "PartitionedCall", f"x{i}")
        node.attr["f"].func.name = "f"


@pytest.mark.parametrize(
    ("op", "fill"),
    [
        ("AddN", lambda _: None),
        ("AvgPoolGrad", lambda attr: attr["ksize"].list.i.extend([2] * 50_000)),
        ("_FusedMatMul", lambda attr: attr["fused_ops"].list.s.extend([b"Add"] * 20_000)),
        ("Einsum", lambda attr: setattr(attr["equation"], "s", b"ab,ab->" + b"b" * 90_000)),
        (
            "Relu",
            lambda attr: [attr["_output_shapes"].list.shape.add() for _ in range(40_000)],
        ),
        ("Case", lambda attr: [attr["branches"].list.func.add(name="g") for _ in range(15_000)]),
    ],
    ids=["inputs", "numbers", "texts", "letters", "shapes", "branches"],
)
def test_functions_of_large_nodes_that_are_called_with_many_shapes(op, fill, tmp_path):
    maker = GraphMaker()
    fill(_add_function(maker, op, 20_000))
    _call_with_many_shapes(maker, 600)
    assert _cost(maker, tmp_path).status == 0
    assert _run("fit", maker, tmp_path).status == 0


@pytest.mark.parametrize("command", ["cost", "fit"])
def test_case_of_many_branches_with_many_results(command, tmp_path):
    maker = GraphMaker()
    function = maker.graph.library.function.add()
    function.signature.name = "f"
    function.signature.input_arg.add(name="x", type=1)
    function.node_def.add(name="relu", op="Relu", input=["x"]).attr["T"].type = 1
    for i in range(2500):
        function.signature.output_arg.add(name=f"y{i}", type=1)
        function.ret[f"y{i}"] = "relu:activations:0"
    maker.add("x", "Placeholder", dtype=1, shape=(4,))
    case = maker.add("case", "Case", "x", "x")
    for _ in range(8000):
        case.attr["branches"].list.func.add(name="f")
    assert _run(command, maker, tmp_path).status == 0
