"""Live models and functions: they are traced, and stay as they were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfprof
from tfprof.errors import OptionError


@pytest.fixture
def keras(tf: Any) -> Any:
    import keras

    keras.utils.clear_session()
    return keras


def _names(table: Any) -> list[tuple[str, int]]:
    return [(layer.name, layer.params) for layer in table.layers]


def test_a_model_is_left_as_it_was(keras: Any) -> None:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.ReLU()])
    before = [dict(vars(layer)) for layer in model.layers]
    tfprof.model(model)
    assert [vars(layer) for layer in model.layers] == before


def test_also_if_a_layer_fails(keras: Any) -> None:
    class Fails(keras.layers.Layer):
        works = True

        def call(self, x: Any) -> Any:
            if not self.works:
                raise RuntimeError("on purpose")
            return x * 2.0

    layer = Fails()
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), layer])
    layer.works = False
    with pytest.raises(RuntimeError, match="on purpose"):
        tfprof.model(model)
    assert not any("call" in vars(each) for each in model.layers)


def test_a_layer_that_changes_its_own_call(keras: Any) -> None:
    layer = keras.layers.Dense(3)
    plain = layer.call
    object.__setattr__(layer, "call", lambda x, **_: plain(x) * 2.0)
    replaced = layer.call
    model = keras.Sequential([keras.Input((4,)), layer])
    table = tfprof.model(model)
    assert layer.call is replaced
    assert [row.float_ops for row in table.layers] == [2 * 4 * 3 + 3 + 3]


def test_a_model_that_was_not_called(keras: Any) -> None:
    class Net(keras.Model):
        def __init__(self) -> None:
            super().__init__(name="net")
            self.dense = keras.layers.Dense(2)

        def call(self, inputs: Any) -> Any:
            return self.dense(inputs["a"]) + self.dense(inputs["b"])

    model = Net()
    with pytest.raises(OptionError, match="the model 'net' is not built: call it once"):
        tfprof.model(model)
    model({"a": np.zeros((3, 4), "float32"), "b": np.zeros((3, 4), "float32")})
    (dense, outside) = tfprof.model(model).layers
    assert (dense.name, dense.calls, dense.output) == ("dense", 2, "(3, 2)")
    assert (outside.name, outside.type, outside.float_ops) == ("(outside layers)", "AddV2", 2)


def test_a_model_of_several_arguments(tf: Any, keras: Any) -> None:
    """Keras does not keep their shapes; a concrete function has them."""

    class Net(keras.Model):
        def __init__(self) -> None:
            super().__init__(name="net")
            self.dense = keras.layers.Dense(2)

        def call(self, a: Any, b: Any) -> Any:
            return self.dense(a) + self.dense(b)

    model = Net()
    model(np.zeros((3, 4), "float32"), np.zeros((3, 4), "float32"))
    with pytest.raises(OptionError, match="'net' has several arguments, of which Keras keeps"):
        tfprof.model(model)
    spec = tf.TensorSpec([None, 4])
    concrete = tf.function(model, autograph=False).get_concrete_function(spec, spec)
    assert _names(tfprof.model(concrete)) == [("dense", 10), ("(outside layers)", 0)]


def test_a_layer_in_two_places(keras: Any) -> None:
    """A call belongs to the place where it is called."""
    shared = keras.layers.Dense(4)
    inner = keras.Sequential([keras.Input((4,)), shared, keras.layers.ReLU()], name="inner")
    inputs = keras.Input((4,))
    model = keras.Model(inputs, inner(shared(inputs)))
    table = tfprof.model(model)
    dense = [(row.parent, row.float_ops) for row in table.layers if row.name == "dense"]
    assert dense == [(None, 36), ("inner", 36)]
    assert table.cost.params == 20


def test_functions_of_keras_models_have_its_layers(tf: Any, keras: Any) -> None:
    layers = [keras.layers.Dense(4), keras.layers.BatchNormalization(), keras.layers.Dense(2)]
    model = keras.Sequential([keras.Input((8,)), *layers])
    function = tf.function(lambda x: model(x), autograph=False)
    concrete = function.get_concrete_function(tf.TensorSpec([None, 8]))
    names = [("dense", 36), ("batch_normalization", 16), ("dense_1", 10)]
    assert _names(tfprof.model(concrete)) == names


def test_rows_of_a_captured_variable_are_gathered(tf: Any) -> None:
    """As the embeddings of Keras 2 do: only the variable itself knows its shape."""
    table, weights = tf.Variable(tf.ones([50, 8])), tf.Variable(tf.ones([8, 2]))

    def call(ids: Any) -> Any:
        return tf.nn.embedding_lookup(table, ids) @ weights

    concrete = tf.function(call).get_concrete_function(tf.TensorSpec([None], tf.int32))
    assert tfprof.cost(concrete, bind={"B": 3}).float_ops == 3 * 2 * 8 * 2
    report = tfprof.Profiler(concrete).report("op", {"select": ["float_ops"]})
    assert report.root.total["float_ops"] == 2 * 8 * 2


def test_functions_of_modules_have_scopes(tf: Any) -> None:
    weights = [tf.Variable(tf.ones([4, 4]), name=f"block_{i}/w") for i in (1, 2)]

    def call(x: Any) -> Any:
        for number, weight in enumerate(weights, 1):
            with tf.name_scope(f"block_{number}"):
                x = tf.nn.relu(x @ weight)
        return x

    concrete = tf.function(call, autograph=False).get_concrete_function(tf.TensorSpec([None, 4]))
    assert _names(tfprof.model(concrete)) == [("block_1", 16), ("block_2", 16)]


def test_models_of_keras_2(tf: Any) -> None:
    keras = pytest.importorskip("tf_keras")
    keras.backend.clear_session()
    backbone = keras.Sequential(
        [keras.Input((4,)), keras.layers.Dense(3), keras.layers.BatchNormalization()], name="base"
    )
    backbone.trainable = False
    inputs, shared = keras.Input((4,)), keras.layers.Dense(3)
    model = keras.Model(inputs, shared(shared(backbone(inputs))))
    table = tfprof.model(model)
    assert [(r.name, r.type, r.params, r.trainable_params, r.calls) for r in table.layers] == [
        ("input_2", "InputLayer", 0, 0, 1),
        ("base", "Sequential", 27, 0, 1),
        ("dense", "Dense", 15, 0, 1),
        ("batch_normalization", "BatchNormalization", 12, 0, 1),
        ("dense_1", "Dense", 12, 12, 2),
    ]


def test_a_layer_that_was_built_before_the_first_call(keras: Any) -> None:
    """`summary()` shows the shape that it was adapted to."""

    class Scaled(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.scale, self.head = keras.layers.Normalization(), keras.layers.Dense(3)

        def call(self, x: Any) -> Any:
            return self.head(self.scale(x))

    model = Scaled()
    model.scale.adapt(np.zeros((10, 5), "float32"))
    model(np.zeros((2, 5), "float32"))
    lines: list[str] = []
    model.summary(print_fn=lines.append)
    for row in tfprof.model(model):
        assert row.output in "".join(lines)
    assert [row.output for row in tfprof.model(model)] == ["(10, 5)", "(2, 3)"]
