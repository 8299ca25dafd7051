"""The table of formulas: agreement with the original's, fused ops, optimizers, completeness."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.flops.random_ops import FAMILIES, build, interpret
from tfprof.flops.model_cost import cost
from tfprof.flops.polynomial import symbol
from tfprof.flops.rules import RULES, CountKind, count_node
from tfprof.flops.rules.zero_cost import ZERO_COST
from tfprof.flops.shapes import SHAPE_RULES, handles
from tfprof.flops.tf_formulas import TF_FORMULAS, Unknown, count
from tfprof.flops.totals import operation

# What TensorFlow's formulas get wrong: strides that do not divide, and `adj_x`.
_MISTAKEN = frozenset(
    ["Conv2DBackpropInput", "Conv2DBackpropFilter", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"]
)


@pytest.mark.parametrize("family", FAMILIES)
def test_agrees_with_tensorflow(tf: Any, family: str) -> None:
    for seed in range(4):
        _, message = build(tf, family, seed)
        instance = interpret(message)
        for position, node in enumerate(message.node):
            if node.op not in TF_FORMULAS.keys() - _MISTAKEN:
                continue
            tensors = operation(instance, position)
            counted = count_node(tensors)
            inputs = [tensor.shape for tensor in tensors.inputs]
            outputs = [tensor.shape for tensor in tensors.outputs]
            expected = count(node.op, node.attr, inputs, outputs)
            if counted.reason != "no floating point" and expected is not Unknown.FORMAT:
                assert counted.work.float_ops() == max(expected, 0), node


def test_no_op_type_is_both_counted_and_zero_cost() -> None:
    assert not RULES.keys() & ZERO_COST


def test_every_counted_op_type_has_a_shape() -> None:
    without = RULES.keys() - SHAPE_RULES.keys() - handles.RULES.keys()
    # Op types without outputs, those known by their rewritten names only, and gradients whose
    # formula needs no output.
    missing = {op for op in without if "Apply" not in op and "Assign" not in op}
    missing = {op for op in missing if "Scatter" not in op and "Segment" not in op}
    assert missing == {
        "CudnnRNNBackprop", "CudnnRNNBackpropV2", "CudnnRNNBackpropV3",
        "FusedMish", "LayerNorm", "Swish",
    }  # fmt: skip


def test_original_op_types_are_all_counted() -> None:
    assert RULES.keys() >= TF_FORMULAS.keys()


@pytest.mark.parametrize(
    ("op", "inputs", "factor"),
    [
        ("ResourceApplyGradientDescent", ("var", "alpha", "delta"), 2),
        ("ResourceApplyMomentum", ("var", "accum", "lr", "grad", "momentum"), 4),
        ("ResourceApplyAdagradV2", ("var", "accum", "lr", "epsilon", "grad"), 7),
        (
            "ResourceApplyAdam",
            ("var", "m", "v", "beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon",
             "grad"),
            12,
        ),
        ("ResourceApplyRMSProp",
            ("var", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"), 11),
        ("ResourceApplyFtrl",
            ("var", "accum", "linear", "grad", "lr", "l1", "l2", "lr_power"), 14),
    ],
)  # fmt: skip
def test_optimizers(tf: Any, op: str, inputs: tuple[str, ...], factor: int) -> None:
    """The gradient's place among the inputs is the one TensorFlow has."""
    graph = tf.Graph()
    with graph.as_default():
        given: dict[str, Any] = {}
        for name in inputs:
            if name in ("grad", "delta"):
                given[name] = tf.compat.v1.placeholder(tf.float32, (6, 7))
            elif name in ("var", "accum", "m", "v", "ms", "mom", "linear"):
                given[name] = tf.raw_ops.VarHandleOp(
                    dtype=tf.float32, shape=(6, 7), shared_name=name
                )
            else:
                given[name] = 0.5
        getattr(tf.raw_ops, op)(**given)
    result = cost(graph)
    assert result.ledger.complete
    assert result.float_ops == factor * 42


@pytest.mark.parametrize("onednn", [False, True])
def test_fused_runtime_ops(tf: Any, onednn: bool) -> None:
    """What the runtime makes of a graph costs the same as the graph."""
    v1 = tf.compat.v1
    graph = tf.Graph()
    rng = np.random.default_rng(0)

    def weights(*shape: int) -> Any:
        return tf.constant(rng.random(shape, np.float32))

    with graph.as_default():
        x = v1.placeholder(tf.float32, (None, 16, 16, 3), name="x")
        y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, weights(3, 3, 3, 8), 1, "SAME"), weights(8)))
        y = tf.nn.conv2d(y, weights(3, 3, 8, 8), 2, "SAME")
        y = v1.nn.fused_batch_norm(y, *(weights(8) for _ in range(4)), is_training=False)[0]
        y = tf.reshape(tf.nn.relu(y), [-1, 512])
        y = tf.identity(tf.nn.relu(tf.nn.bias_add(y @ weights(512, 10), weights(10))), name="out")
        metadata = v1.RunMetadata()
        options = v1.RunOptions(output_partition_graphs=True)
        with v1.Session() as session:
            session.run(
                "out:0", {x: np.ones((4, 16, 16, 3))}, options=options, run_metadata=metadata
            )
    (partition,) = metadata.partition_graphs
    fused = {node.op for node in partition.node if "Fused" in node.op}
    assert fused == {"_FusedConv2D", "_FusedMatMul"}
    if onednn:
        for node in partition.node:
            if node.op in fused:
                node.op = f"_MklNative{node.op[1:]}"
    ran = cost(partition, run_shapes={"_arg_x_0_0": [(4, 16, 16, 3)]})
    assert ran.ledger.complete, ran.ledger.summary()
    plain = cost(graph.as_graph_def()).bind(B=4)
    assert ran.macs == plain.macs == 4 * (256 * 8 * 27 + 64 * 8 * 72 + 512 * 10)
    assert ran.float_ops == plain.float_ops
    assert any(CountKind.COUNTED.value == node.kind for node in ran.nodes())


def test_integers_are_not_floats(tf: Any) -> None:
    graph = tf.Graph()
    with graph.as_default():
        whole = tf.compat.v1.placeholder(tf.int32, (4, 4))
        real = tf.compat.v1.placeholder(tf.float32, (4, 4))
        tf.raw_ops.AddV2(x=whole, y=whole)
        tf.raw_ops.AddV2(x=real, y=real)
        tf.raw_ops.Less(x=real, y=real)
        tf.raw_ops.Cast(x=whole, DstT=tf.float32)
        tf.raw_ops.Bincount(arr=[1, 2], size=4, weights=tf.constant([], tf.int32))
    result = cost(graph)
    assert result.float_ops == 32
    assert result.ledger.complete


def test_bytes(tf: Any) -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float16, (None, 8))
        tf.raw_ops.Identity(input=tf.raw_ops.MatMul(a=x, b=tf.zeros((8, 3), tf.float16)))
    result = cost(graph)
    batch = symbol("B")
    assert result.bytes_read == 2 * (8 * batch + 24)
    assert result.bytes_written == 2 * (3 * batch)
