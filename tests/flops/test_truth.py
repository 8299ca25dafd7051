"""Whole models against hand-derived truths: two float operations per multiply-add.

The cases are those of docs/truth.md; here they are live, there they are read from disk.
"""

from __future__ import annotations

from functools import reduce
from operator import mul
from typing import Any

import pytest

from benchmarks.truth.applications import layers_truth
from benchmarks.truth.case import Case
from benchmarks.truth.cases import SECTIONS
from benchmarks.truth.functions import concrete, loop_with_gradient
from benchmarks.truth.layers import sequential
from tfprof.flops.model_cost import Cost, cost
from tfprof.flops.polynomial import symbol
from tfprof.functions.expand import expand
from tfprof.protos.graph_pb2 import GraphDef

B = symbol("B")

# An LSTM with 32 units on 16 inputs: four gates, each from inputs and state.
LSTM = 2 * 4 * 32 * (16 + 32)

# Train steps and keras.applications take long to build; below there is one of each.
QUICK = [
    case
    for section, cases in SECTIONS.items()
    if section not in ("Train steps", "keras.applications")
    for case in cases
]


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.name)
def test_contractions(tf: Any, case: Case) -> None:
    built = case.build(tf if case.kind == "function" else tf.keras)
    result = cost(built)
    assert result.ledger.complete, result.ledger.summary()
    assert len(result.symbols) == case.unknown
    expected = reduce(mul, map(symbol, result.symbols), case.value(built))
    assert result.contraction_float_ops == expected
    assert result.float_ops == result.contraction_float_ops + result.elementwise_float_ops
    assert result.macs * 2 == result.contraction_float_ops
    if case.kind == "model":
        assert result.params == built.count_params()
        assert result.trainable_params == trainable(built)


@pytest.fixture(scope="module")
def mobile(tf: Any) -> Any:
    return tf.keras.applications.MobileNetV2(weights=None)


def trainable(model: Any) -> int:
    return sum(int(weight.numpy().size) for weight in model.trainable_weights)


def check(result: Cost, model: Any) -> None:
    assert result.ledger.complete, result.ledger.summary()
    assert result.contraction_float_ops == layers_truth(model) * B
    assert result.bind(B=3).contraction_float_ops == 3 * layers_truth(model)
    assert result.params == model.count_params()
    assert result.trainable_params == trainable(model)


def test_live_model(mobile: Any) -> None:
    check(cost(mobile), mobile)


def test_saved_model(mobile: Any, tmp_path: Any) -> None:
    mobile.export(str(tmp_path), verbose=False)
    result = cost(tmp_path)
    check(result, mobile)
    assert result.by_scope[""].float_ops == result.float_ops
    blocks = [name for name in result.by_scope if name.endswith("/block_16_project_1")]
    assert result.by_scope[blocks[0]].macs == 7 * 7 * 960 * 320 * B
    assert "2·N(out)·Π filter[:-1]" in result.explain(f"{blocks[0]}/convolution")


def test_train_step(tf: Any) -> None:
    keras = tf.keras
    model = sequential((20, 16), lambda k: k.LSTM(32), lambda k: k.Dense(5))(keras)
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def step(x: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            value = loss(labels, model(x, training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return value

    result = cost(
        tf.function(step).get_concrete_function(
            tf.TensorSpec((None, 20, 16)), tf.TensorSpec((None,), tf.int32)
        )
    )
    assert result.ledger.complete, result.ledger.summary()
    forward = 20 * LSTM + 2 * 32 * 5
    to_input = 20 * 2 * 4 * 32 * 16  # no gradient goes to the data
    assert result.contraction_float_ops == (3 * forward - to_input) * B
    assert result.params == result.trainable_params == model.count_params()
    assert sum(variable.role == "slot" for variable in result.variables) == 2 * 5 + 2


def test_v1_loops(tf: Any) -> None:
    v1 = tf.compat.v1
    graph = tf.Graph()
    enabled = v1.control_flow_v2_enabled()
    v1.disable_control_flow_v2()
    try:
        with graph.as_default():
            x = v1.placeholder(tf.float32, (None, 8), name="x")
            w = v1.placeholder(tf.float32, (8, 8), name="w")
            loop = v1.while_loop(lambda i, _: i < 6, lambda i, y: (i + 1, tf.tanh(y @ w)), (0, x))
            gradients = v1.gradients(loop[1], [x, w])
            assert {"Enter", "Exit"} <= {op.type for op in graph.get_operations()}
    finally:
        if enabled:
            v1.enable_control_flow_v2()
    for shapes in (False, True):
        result = cost(graph.as_graph_def(add_shapes=shapes))
        assert result.ledger.complete, result.ledger.summary()
        assert result.contraction_float_ops == 3 * 6 * 2 * 8 * 8 * B
    forward = cost(graph.as_graph_def(), outputs=[loop[1].name])
    assert forward.contraction_float_ops == 6 * 2 * 8 * 8 * B
    assert len(gradients) == 2


def test_data_dependent_branches(tf: Any) -> None:
    def model(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            x = x @ x
        return x

    result = cost(
        tf.function(model).get_concrete_function(tf.TensorSpec((8, 8)), tf.TensorSpec((), tf.int32))
    )
    assert result.symbols == {"T": "trip count of loop while"}
    assert result.float_ops == 1024 * symbol("T")
    assert result.bind(T=7).float_ops == 7 * 1024


def test_growing_state_is_unknown(tf: Any) -> None:
    def model(x: Any) -> Any:
        y = tf.while_loop(
            lambda i, _: i < 4,
            lambda i, y: (i + 1, tf.concat([y, x], 0)),
            (0, x),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, 4])),
        )[1]
        return y @ tf.ones((4, 4))

    result = cost(concrete(tf, model, (2, 4)))
    assert result.float_ops == 0
    assert not result.ledger.complete
    assert result.ledger.unknown_ops == {"MatMul": 1}
    assert result.ledger.reasons == {"unknown shape": 1}
    assert "1 unsupported (1 MatMul)" in result.ledger.summary()
    assert "FLOPs unavailable for 1 node (unknown shape)" in result.ledger.summary()


def test_bound_of_a_trip_count(tf: Any) -> None:
    def model(x: Any) -> Any:
        return tf.while_loop(
            lambda y: tf.reduce_sum(y) < 9.0, lambda y: (y @ y,), (x,), maximum_iterations=12
        )[0]

    result = cost(concrete(tf, model, (8, 8)))
    assert result.symbols == {"T": "trip count of loop while (max 12)"}
    assert result.contraction_float_ops == 1024 * symbol("T")


def test_names_equal_the_expanded_graph(tf: Any) -> None:
    graph = GraphDef.FromString(
        loop_with_gradient(tf).graph.as_graph_def(add_shapes=True).SerializeToString()
    )
    named = {
        inlined.prefix + node.name: node.op
        for inlined in expand(graph).bodies
        for node in inlined.body.nodes
    }
    for node in cost(graph).nodes():
        assert named[node.name] == node.op
