"""Whole models against hand-derived truths: two float operations per multiply-add."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tfprof.cost import Cost, cost, expand
from tfprof.cost.polynomial import symbol
from tfprof.protos.graph_pb2 import GraphDef

B = symbol("B")

# An LSTM with 32 units on 16 inputs: four gates, each from inputs and state.
LSTM = 2 * 4 * 32 * (16 + 32)


def sequential(tf: Any, shape: tuple[int | None, ...], *layers: Any) -> Any:
    return tf.keras.Sequential([tf.keras.Input(shape), *layers])


def concrete(tf: Any, function: Callable[..., Any], *shapes: tuple[int | None, ...]) -> Any:
    specs = [tf.TensorSpec(shape) for shape in shapes]
    return tf.function(function).get_concrete_function(*specs)


def with_gradient(tf: Any, function: Callable[..., Any], *shapes: tuple[int | None, ...]) -> Any:
    def both(*tensors: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            result = function(*tensors)
        return result, tape.gradient(result, tensors)

    return concrete(tf, both, *shapes)


def attention(tf: Any) -> Any:
    x = tf.keras.Input((20, 32))
    return tf.keras.Model(x, tf.keras.layers.MultiHeadAttention(4, 16)(x, x))


def dense(tf: Any) -> Any:
    layers = tf.keras.layers
    return sequential(tf, (64,), layers.Dense(256, activation="relu"), layers.Dense(20))


def nested(tf: Any, **options: Any) -> Any:
    first, second = tf.zeros((64, 256)), tf.zeros((256, 20))
    inner = tf.function(lambda x: tf.nn.relu(x @ first) @ second, **options)
    return concrete(tf, lambda x: inner(x), (1, 64))


def while_loop(tf: Any) -> Any:
    def model(x: Any) -> Any:
        i = tf.constant(0)
        while i < 10:
            x, i = x @ x, i + 1
        return x

    return concrete(tf, model, (16, 16))


def branches(tf: Any) -> Any:
    def model(x: Any) -> Any:
        if tf.reduce_sum(x) > 0:  # noqa: SIM108  autograph makes a cond of it
            y = x @ x
        else:
            y = x
        return y

    return concrete(tf, model, (16, 16))


def loop_with_gradient(tf: Any) -> Any:
    def model(x: Any, w: Any) -> Any:
        for _ in tf.range(6):
            x = tf.tanh(x @ w)
        return x

    return with_gradient(tf, model, (5, 8), (8, 8))


def over_a_tensor(tf: Any) -> Any:
    def model(x: Any, rows: Any) -> Any:
        for row in rows:
            x = x @ row
        return x

    return concrete(tf, model, (16, 16), (None, 16, 16))


def nested_loops(tf: Any) -> Any:
    def model(x: Any) -> Any:
        for _ in tf.range(3):
            for _ in tf.range(4):
                x = x @ x
        return x

    return concrete(tf, model, (8, 8))


TRUTHS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "dense, batch None": (dense, 43_008 * B),
    "nested function": (nested, 43_008),
    "compiled function": (lambda tf: nested(tf, jit_compile=True), 43_008),
    "while": (while_loop, 10 * 2 * 16**3),
    "while with gradient": (loop_with_gradient, 3 * 6 * 2 * 5 * 8 * 8),
    "for over a tensor": (over_a_tensor, 2 * 16**3 * B),
    "nested loops": (nested_loops, 12 * 2 * 8**3),
    "cond": (branches, 2 * 16**3),
    "lstm": (lambda tf: sequential(tf, (20, 16), tf.keras.layers.LSTM(32)), 20 * LSTM * B),
    "lstm, steps None": (
        lambda tf: sequential(tf, (None, 16), tf.keras.layers.LSTM(32)),
        LSTM * B * symbol("x.1"),
    ),
    "lstm unrolled": (
        lambda tf: sequential(tf, (20, 16), tf.keras.layers.LSTM(32, unroll=True)),
        20 * LSTM * B,
    ),
    "bidirectional": (
        lambda tf: sequential(
            tf, (20, 16), tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(32))
        ),
        2 * 20 * LSTM * B,
    ),
    "gru": (lambda tf: sequential(tf, (20, 16), tf.keras.layers.GRU(32)), 20 * LSTM * 3 // 4 * B),
    "convlstm": (
        lambda tf: sequential(tf, (5, 8, 8, 3), tf.keras.layers.ConvLSTM2D(4, 3, padding="same")),
        5 * 2 * 64 * 9 * (3 + 4) * 16 * B,
    ),
    "attention": (attention, (4 * 2 * 20 * 32 * 64 + 2 * 2 * 4 * 20 * 20 * 16) * B),
    "depthwise with gradients": (
        lambda tf: with_gradient(
            tf,
            lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"),
            (1, 8, 8, 4),
            (3, 3, 4, 4),
        ),
        55_296,
    ),
    "conv3d with gradients": (
        lambda tf: with_gradient(
            tf,
            lambda x, w: tf.nn.conv3d(x, w, [1, 2, 2, 2, 1], "VALID"),
            (2, 9, 9, 9, 3),
            (3, 3, 3, 3, 4),
        ),
        3 * 2 * (2 * 4**3 * 4) * 27 * 3,
    ),
    "transposed convolution with gradients": (
        lambda tf: with_gradient(
            tf,
            lambda x, w: tf.nn.conv2d_transpose(x, w, (1, 16, 16, 4), 2),
            (1, 8, 8, 3),
            (3, 3, 4, 3),
        ),
        3 * 2 * 8 * 8 * 3 * 9 * 4,
    ),
    "einsum with gradients": (
        lambda tf: with_gradient(
            tf, lambda x, w: tf.einsum("btd,dhk->bthk", x, w), (2, 5, 8), (8, 3, 4)
        ),
        3 * 2 * 2 * 5 * 8 * 12,
    ),
    "strided convolution that does not divide": (
        lambda tf: with_gradient(
            tf, lambda x, w: tf.nn.conv2d(x, w, 2, "VALID"), (1, 8, 8, 3), (3, 3, 3, 4)
        ),
        3 * 2 * 3 * 3 * 4 * 27,
    ),
}


@pytest.mark.parametrize("case", TRUTHS)
def test_contractions(tf: Any, case: str) -> None:
    build, truth = TRUTHS[case]
    made = cost(build(tf))
    assert made.ledger.complete, made.ledger.summary()
    names = [name for name in made.symbols if name.endswith(".1")]
    expected = truth
    if names:  # Keras names its inputs by a counter
        expected = LSTM * B * symbol(names[0])
    assert made.contraction_float_ops == expected
    assert made.float_ops == made.contraction_float_ops + made.elementwise_float_ops
    assert made.macs * 2 == made.contraction_float_ops


def keras_truth(model: Any) -> int:
    """From the layers' own shapes, per example."""
    total = 0
    for layer in model._flatten_layers():
        kind = type(layer).__name__
        if kind not in ("Conv2D", "DepthwiseConv2D", "Dense"):
            continue
        size = 1
        for dim in layer.output.shape[1:]:
            size *= dim
        kernel = layer.kernel.shape
        taps = {"Conv2D": kernel[:3], "DepthwiseConv2D": kernel[:2], "Dense": kernel[:1]}[kind]
        for dim in taps:
            size *= dim
        total += 2 * size
    return total


@pytest.fixture(scope="module")
def mobile(tf: Any) -> Any:
    return tf.keras.applications.MobileNetV2(weights=None)


def trainable(model: Any) -> int:
    return sum(int(weight.numpy().size) for weight in model.trainable_weights)


def check(made: Cost, model: Any) -> None:
    assert made.ledger.complete, made.ledger.summary()
    assert made.contraction_float_ops == keras_truth(model) * B
    assert made.bind(B=3).contraction_float_ops == 3 * keras_truth(model)
    assert made.params == model.count_params()
    assert made.trainable_params == trainable(model)


def test_live_model(mobile: Any) -> None:
    check(cost(mobile), mobile)


def test_saved_model(mobile: Any, tmp_path: Any) -> None:
    mobile.export(str(tmp_path), verbose=False)
    made = cost(tmp_path)
    check(made, mobile)
    assert made.by_scope[""].float_ops == made.float_ops
    blocks = [name for name in made.by_scope if name.endswith("/block_16_project_1")]
    assert made.by_scope[blocks[0]].macs == 7 * 7 * 960 * 320 * B
    assert "2·N(out)·Π filter[:-1]" in made.explain(f"{blocks[0]}/convolution")


def test_train_step(tf: Any) -> None:
    keras = tf.keras
    model = sequential(tf, (20, 16), keras.layers.LSTM(32), keras.layers.Dense(5))
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def step(x: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            value = loss(labels, model(x, training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return value

    made = cost(
        tf.function(step).get_concrete_function(
            tf.TensorSpec((None, 20, 16)), tf.TensorSpec((None,), tf.int32)
        )
    )
    assert made.ledger.complete, made.ledger.summary()
    forward = 20 * LSTM + 2 * 32 * 5
    to_input = 20 * 2 * 4 * 32 * 16  # no gradient goes to the data
    assert made.contraction_float_ops == (3 * forward - to_input) * B
    assert made.params == made.trainable_params == model.count_params()
    assert sum(variable.role == "slot" for variable in made.variables) == 2 * 5 + 2


def test_loops_of_the_first_kind(tf: Any) -> None:
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
        made = cost(graph.as_graph_def(add_shapes=shapes))
        assert made.ledger.complete, made.ledger.summary()
        assert made.contraction_float_ops == 3 * 6 * 2 * 8 * 8 * B
    forward = cost(graph.as_graph_def(), outputs=[loop[1].name])
    assert forward.contraction_float_ops == 6 * 2 * 8 * 8 * B
    assert len(gradients) == 2


def test_data_decides(tf: Any) -> None:
    def model(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            x = x @ x
        return x

    made = cost(
        tf.function(model).get_concrete_function(tf.TensorSpec((8, 8)), tf.TensorSpec((), tf.int32))
    )
    assert made.symbols == {"T": "trips of loop while"}
    assert made.float_ops == 1024 * symbol("T")
    assert made.bind(T=7).float_ops == 7 * 1024


def test_growing_state_is_unknown(tf: Any) -> None:
    def model(x: Any) -> Any:
        y = tf.while_loop(
            lambda i, _: i < 4,
            lambda i, y: (i + 1, tf.concat([y, x], 0)),
            (0, x),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, 4])),
        )[1]
        return y @ tf.ones((4, 4))

    made = cost(concrete(tf, model, (2, 4)))
    assert made.float_ops == 0
    assert not made.ledger.complete
    assert made.ledger.unknown_ops == {"MatMul": 1}
    assert made.ledger.reasons == {"unknown shape": 1}
    assert "1 unknown and not in the sums (1 MatMul)" in made.ledger.summary()


def test_a_bound_of_trips(tf: Any) -> None:
    def model(x: Any) -> Any:
        return tf.while_loop(
            lambda y: tf.reduce_sum(y) < 9.0, lambda y: (y @ y,), (x,), maximum_iterations=12
        )[0]

    made = cost(concrete(tf, model, (8, 8)))
    assert made.symbols == {"T": "trips of loop while, at most 12"}
    assert made.contraction_float_ops == 1024 * symbol("T")


def test_names_are_those_of_the_expanded_graph(tf: Any) -> None:
    graph = GraphDef.FromString(
        loop_with_gradient(tf).graph.as_graph_def(add_shapes=True).SerializeToString()
    )
    named = {node.name: node.node.op for node in expand(graph)}
    for node in cost(graph).nodes():
        assert named[node.name] == node.op
