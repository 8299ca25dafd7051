"""The original's formulas against TensorFlow's own registered statistics."""

from __future__ import annotations

import random
from typing import Any

import pytest

import tfprof
from tfprof.flops.model_cost import cost
from tfprof.flops.rules import CountKind, count_node
from tfprof.flops.rules.formula import Operation
from tfprof.flops.tensors import Tensor
from tfprof.flops.tf_counts import count_tf_float_ops
from tfprof.flops.tf_formulas import TF_FORMULAS, Unknown, count
from tfprof.protos.graph_pb2 import AttrValue, DataType, GraphDef

SEEDS = 12


def build_all(tf: Any, rng: random.Random) -> None:
    """One random valid node of each of the 46 op types, in the default graph."""
    raw = tf.raw_ops
    size = lambda low=1, high=6: rng.randint(low, high)  # noqa: E731

    def tensor(*dims: int, dtype: Any = tf.float32) -> Any:
        return tf.compat.v1.placeholder(dtype, dims)

    for op in ("Reciprocal", "Square", "Log", "Neg", "Rsqrt", "L2Loss"):
        x = tensor(*(size(0) for _ in range(size(0, 4))))
        getattr(raw, op)(**{"t" if op == "L2Loss" else "x": x})
    raw.Softmax(logits=tensor(size(), size()))
    for op in ("AssignAdd", "AssignSub"):
        shape = (size(), size())
        ref = raw.VariableV2(shape=shape, dtype=tf.float32)
        getattr(raw, op)(ref=ref, value=tensor(*shape))
    broadcast = "Add AddV2 Sub Mul RealDiv Maximum Minimum Pow GreaterEqual Greater LessEqual Less"
    for op in [*broadcast.split(), "Equal", "NotEqual", "SquaredDifference"]:
        full = [size() for _ in range(3)]
        thin = [rng.choice((1, dim)) for dim in full][size(0, 2) :]
        getattr(raw, op)(x=tensor(*full), y=tensor(*thin))
    shape = (size(), size())
    raw.RsqrtGrad(y=tensor(*shape), dy=tensor(*shape))
    for op in ("Mean", "Sum"):
        x = tensor(size(), size(), size())
        getattr(raw, op)(input=x, axis=[rng.randint(0, 2)], keep_dims=rng.random() < 0.5)
    for op in ("ArgMax", "ArgMin"):
        getattr(raw, op)(input=tensor(size(), size(), size()), dimension=rng.randint(0, 2))
    raw.BiasAddGrad(out_backprop=tensor(size(), size(), size(), size()))
    raw.BiasAdd(value=tensor(size(), 3), bias=tensor(3))
    same = tensor(size(), size())
    raw.AddN(inputs=[same] * size())
    k = size()
    ta, tb = rng.random() < 0.5, rng.random() < 0.5
    m, n = size(), size()
    a, b = ((k, m) if ta else (m, k)), ((n, k) if tb else (k, n))
    raw.MatMul(a=tensor(*a), b=tensor(*b), transpose_a=ta, transpose_b=tb)
    raw.BatchMatMul(x=tensor(2, *a), y=tensor(2, *b), adj_x=ta, adj_y=tb)
    raw.BatchMatMulV2(x=tensor(2, *a), y=tensor(*b), adj_x=ta, adj_y=tb)
    raw.BatchMatMulV3(x=tensor(2, *a), y=tensor(*b), Tout=tf.float32, adj_x=ta, adj_y=tb)

    layout = rng.choice(("NHWC", "NHWC", "NCHW"))
    stride, window = size(1, 3), size(1, 3)
    channels = rng.choice((2, 4))
    image = _layout(layout, size(1, 3), size(4, 9), size(4, 9), channels)
    steps = _layout(layout, 1, stride, stride, 1)
    ksize = _layout(layout, 1, window, window, 1)
    padding = rng.choice(("SAME", "VALID"))
    common = {"strides": steps, "padding": padding, "data_format": layout}
    x = tensor(*image)
    for op in ("AvgPool", "MaxPool"):
        pooled = getattr(raw, op)(
            **{"value" if op == "AvgPool" else "input": x}, ksize=ksize, **common
        )
    raw.MaxPoolGrad(
        orig_input=x, orig_output=pooled, grad=tensor(*pooled.shape), ksize=ksize, **common
    )
    raw.AvgPoolGrad(orig_input_shape=image, grad=tensor(*pooled.shape), ksize=ksize, **common)
    group = rng.choice((1, 2))
    kernel = (window, size(1, 3), channels // group, 4)
    convolved = raw.Conv2D(input=x, filter=tensor(*kernel), **common)
    raw.Conv2DBackpropInput(
        input_sizes=image, filter=tensor(*kernel), out_backprop=tensor(*convolved.shape), **common
    )
    raw.Conv2DBackpropFilter(
        input=x, filter_sizes=kernel, out_backprop=tensor(*convolved.shape), **common
    )
    raw.DepthwiseConv2dNative(input=x, filter=tensor(window, 2, channels, size()), **common)
    raw.Dilation2D(
        input=tensor(2, 9, 8, 3),
        filter=tensor(window, window, 3),
        strides=[1, stride, stride, 1],
        rates=[1, 1, 1, 1],
        padding=padding,
    )
    raw.Conv3D(
        input=tensor(1, 5, 6, 7, 3),
        filter=tensor(window, 2, 1, 3, size()),
        strides=[1, stride, 1, 1, 1],
        padding=padding,
    )


def _layout(layout: str, batch: int, height: int, width: int, depth: int) -> list[int]:
    return [batch, height, width, depth] if layout == "NHWC" else [batch, depth, height, width]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_equals_the_registered_statistics(tf: Any, seed: int) -> None:
    from tensorflow.python.framework import ops

    graph = tf.Graph()
    with graph.as_default():
        build_all(tf, random.Random(seed))
    theirs = graph.as_graph_def(add_shapes=True)
    profile = tfprof.load(theirs, compat=True)
    counted = count_tf_float_ops(profile)
    ours = dict(zip(profile.nodes.name.to_pylist(), counted.value.tolist(), strict=True))
    refused = 0

    assert {node.op for node in theirs.node} >= set(TF_FORMULAS)
    for node in theirs.node:
        if node.op not in TF_FORMULAS:
            assert ours[node.name] == 0
            continue
        try:
            expected = ops.get_stats_for_node_def(graph, node, "flops").value
        except ValueError:
            refused += 1
        else:
            assert ours[node.name] == int(expected), node
    assert counted.unknown[Unknown.FORMAT] == refused


def test_46_formulas() -> None:
    assert len(TF_FORMULAS) == 46


@pytest.mark.parametrize(
    ("op", "attrs", "inputs", "output", "original", "right"),
    [
        ("BatchMatMulV2", {"adj_x": AttrValue(b=True)}, [(6, 4), (6, 5)], (4, 5), 160, 240),
        ("L2Loss", {}, [(0,)], (), -1, 0),
        ("MaxPool", {"data_format": AttrValue(s=b"NCHW"), "ksize": AttrValue(
            list=AttrValue.ListValue(i=[1, 1, 2, 2]))}, [(1, 3, 4, 4)], (1, 3, 2, 2),
            Unknown.FORMAT, 48),
        # 5 wide, stride 2, VALID, 3 wide filter: 2 outputs, not 5/2.
        ("Conv2DBackpropInput", {"strides": AttrValue(list=AttrValue.ListValue(i=[1, 2, 2, 1]))},
            [(4,), (3, 3, 1, 1), (1, 2, 2, 1)], (1, 5, 5, 1), 112, 72),
        ("Einsum", {}, [(2, 2)], (2, 2), Unknown.RULE, None),
        ("Neg", {}, [(-1, 2)], (-1, 2), Unknown.SHAPE, None),
        ("Neg", {}, [None], None, Unknown.SHAPE, None),
        ("MaxPool", {}, [(1, 4, 4, 1)], (1, 2, 2, 1), Unknown.MALFORMED, None),
        ("MatMul", {}, [(4,)], (4,), Unknown.MALFORMED, None),
        ("AddN", {}, [], None, 0, 0),
    ],
)  # fmt: skip
def test_original_and_right(
    op: str, attrs: Any, inputs: Any, output: Any, original: Any, right: Any
) -> None:
    assert count(op, attrs, inputs, [output]) == original
    tensors = [_tensor(shape) for shape in (*inputs, output)]
    node = Operation(op, attrs, tuple(tensors[:-1]), outputs=(tensors[-1],))
    by_rule = count_node(node)
    if right is None:
        assert by_rule.kind is CountKind.UNKNOWN
    else:
        assert by_rule.work.float_ops() == right


def _tensor(shape: tuple[int, ...] | None) -> Tensor:
    if shape is None:
        return Tensor(DataType.DT_FLOAT)
    return Tensor(DataType.DT_FLOAT, tuple(None if size < 0 else size for size in shape))


def _graph(*shapes: tuple[int, ...] | None) -> GraphDef:
    graph = GraphDef()
    for index, shape in enumerate(shapes):
        node = graph.node.add(name=f"n{index}", op="Neg" if index else "Placeholder")
        if index:
            node.input.append(f"n{index - 1}")
        message = node.attr["_output_shapes"].list.shape.add()
        if shape is None:
            message.unknown_rank = True
        else:
            for dim in shape:
                message.dim.add(size=dim)
    return graph


def test_run_shapes_complete_the_graph() -> None:
    graph = _graph((-1, 3), (-1, 3))
    before = graph.SerializeToString()
    assert cost(graph).symbols.keys() == {"B"}
    assert cost(graph, run_shapes={"n0": [(4, 3)]}).float_ops == 12
    assert graph.SerializeToString() == before


@pytest.mark.parametrize("recorded", [(4, 5), (4,)])
def test_run_shapes_that_do_not_fit(recorded: tuple[int, ...]) -> None:
    result = cost(_graph((-1, 3), None), run_shapes={"n0": [recorded]})
    assert result.ledger.reasons == {"unknown shape": 1}
    assert "contradictory shapes at n0: taken as unknown" in result.ledger.notes


def test_control_inputs_are_inputs_of_the_original_add_n() -> None:
    graph = _graph((2, 3), (2, 3))
    graph.node[1].op = "AddN"
    graph.node[1].input.append("^n0")
    assert count_tf_float_ops(tfprof.load(graph, compat=True)).value.tolist() == [0, 6]
    assert tfprof.load(graph).report("op", select=["float_ops"]).root.total["float_ops"] == 0
