"""Frozen functions: the loops that freezing lowers run as often as the functions' own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tfprof.flops.model_cost import Cost, cost
from tfprof.flops.polynomial import symbol

B, T = symbol("B"), symbol("T")


def frozen_costs(function: Any) -> list[Cost]:
    """The cost of the frozen function, and of the file that users write."""
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    frozen = convert_variables_to_constants_v2(function)
    return [cost(frozen), cost(frozen.graph.as_graph_def().SerializeToString())]


def lstm(tf: Any, steps: int | None) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential([layers.Input((steps, 8)), layers.LSTM(4), layers.Dense(2)])


def stack(tf: Any, steps: int | None) -> Any:
    """The second loop needs what the first two return."""
    layers = tf.keras.layers
    both = layers.Bidirectional(layers.LSTM(3, return_sequences=True))
    return tf.keras.Sequential([layers.Input((steps, 8)), both, layers.GRU(4), layers.Dense(2)])


def masked(tf: Any, steps: int | None) -> Any:
    layers = tf.keras.layers
    embedding = layers.Embedding(9, 8, mask_zero=True)
    return tf.keras.Sequential([layers.Input((steps,)), embedding, layers.GRU(4)])


@pytest.mark.parametrize("steps", [None, 7])
@pytest.mark.parametrize("build", [lstm, stack, masked])
def test_recurrent_layers(tf: Any, build: Callable[..., Any], steps: int | None) -> None:
    model = build(tf, steps)
    spec = tf.TensorSpec(model.inputs[0].shape, model.inputs[0].dtype, name="x")
    function = tf.function(lambda x: model(x, training=False)).get_concrete_function(spec)
    whole = cost(function)
    assert whole.ledger.complete
    assert whole.symbols.keys() == ({"B"} if steps else {"B", "T"})
    for frozen in frozen_costs(function):
        assert frozen.ledger.complete
        assert frozen.contraction_float_ops == whole.contraction_float_ops
        assert frozen.symbols == whole.symbols


def test_nested_loops(tf: Any) -> None:
    def model(x: Any) -> Any:
        for _ in tf.range(tf.shape(x)[1]):
            for _ in tf.range(5):
                x = x @ tf.ones((4, 4))
        return x

    spec = tf.TensorSpec((None, None, 4), name="x")
    function = tf.function(model).get_concrete_function(spec)
    for result in (cost(function), *frozen_costs(function)):
        assert result.contraction_float_ops == 5 * 2 * 4 * 4 * B * T * T


def test_a_loop_after_a_counter(tf: Any) -> None:
    """The second loop runs as often as the first one counted."""

    def model(x: Any) -> Any:
        count = tf.constant(0)
        while count < 2 * tf.shape(x)[0]:
            count += 1
        for _ in tf.range(count):
            x = x @ tf.ones((4, 4))
        return x

    spec = tf.TensorSpec((None, 4), name="x")
    function = tf.function(model).get_concrete_function(spec)
    for result in (cost(function), *frozen_costs(function)):
        assert result.contraction_float_ops == 2 * B * 2 * 4 * 4 * B
