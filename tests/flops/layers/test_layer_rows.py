"""What a layer is called whose class is not known, and which parameters it has."""

from __future__ import annotations

import pytest

import tfprof
from tfprof.flops.layers.layer_rows import OUTSIDE, _op_types, _Sums
from tfprof.protos.graph_pb2 import DataType, GraphDef
from tfprof.protos.saved_model_pb2 import MetaGraphDef


@pytest.mark.parametrize(
    ("working", "types"),
    [
        (["", ""], "Last1"),
        (["", "", ""], "Last2"),
        (["A", ""], "A"),
        (["A", "BA"], "A+B"),
        (["AB", "CD"], "A+B+C+D"),
        (["AB", "CDE"], "A+B+C+D+…"),
    ],
)
def test_op_types_that_do_the_work_or_the_last_one(working: list[str], types: str) -> None:
    sums = [
        _Sums(working_ops=dict.fromkeys(ops), last_op=f"Last{i}") for i, ops in enumerate(working)
    ]
    assert _op_types(sums) == types
    assert _op_types([*sums, _Sums()]) == types


def _graph(kernel: str) -> GraphDef:
    """A layer with a kernel, a constant of its own, and a constant outside of it."""
    graph = GraphDef()
    for name, op, inputs, shape in (
        ("x", "Placeholder", [], [-1, 4]),
        ("dense/kernel", kernel, [], [4, 3]),
        ("dense/scale", "Const", [], [3]),
        ("dense/MatMul", "MatMul", ["x", "dense/kernel"], []),
        ("dense/mul", "Mul", ["dense/MatMul", "dense/scale"], []),
        ("free", "Const", [], [3]),
        ("sum", "AddV2", ["dense/mul", "free"], []),
    ):
        node = graph.node.add(name=name, op=op, input=inputs)
        node.attr["dtype"].type = node.attr["T"].type = DataType.DT_FLOAT
        tensor = node.attr["value"].tensor if op == "Const" else None
        if tensor is not None:
            tensor.dtype = DataType.DT_FLOAT
            tensor.float_val.append(1)
        shape_proto = node.attr["shape"].shape if tensor is None else tensor.tensor_shape
        for size in shape:
            shape_proto.dim.add(size=size)
    return graph


@pytest.mark.parametrize(
    ("kernel", "rows"),
    [
        ("VariableV2", [("dense", 12, 12, 12, 27), (OUTSIDE, 0, 0, 0, 3)]),
        ("Const", [("dense", 15, 0, 12, 27), (OUTSIDE, 3, 0, 0, 3)]),
    ],
)
def test_constants_are_parameters_of_frozen_graphs(kernel: str, rows: list[object]) -> None:
    layers = tfprof.model(_graph(kernel)).layers
    assert [(x.name, x.params, x.trainable_params, x.macs, x.float_ops) for x in layers] == rows


@pytest.mark.parametrize(("trained", "count"), [(["dense/kernel"], 0), (["free"], 3)])
def test_variables_outside_of_layers_may_not_be_trainable(trained: list[str], count: int) -> None:
    graph = _graph("VariableV2")
    free = next(node for node in graph.node if node.name == "free")
    free.op = "VariableV2"
    free.attr["shape"].shape.dim.add(size=3)
    meta = MetaGraphDef(graph_def=graph)
    variables = meta.collection_def["trainable_variables"].bytes_list.value
    # A serialized VariableDef with the name of a variable.
    variables.extend(b"\n%c%s:0" % (len(name) + 2, name.encode()) for name in trained)
    *_, outside = tfprof.model(meta).layers
    assert (outside.name, outside.params, outside.trainable_params) == (OUTSIDE, 3, count)
