"""TensorFlow 2 programs to capture. `python -m tests.recording.programs FOLDER` captures them all.

A process of its own runs them, as a user's would.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers

import tfprof

_RANDOM = np.random.default_rng(0)


def _data(*sizes: int) -> Any:
    return _RANDOM.random(sizes, dtype="float32")


class Block(layers.Layer):
    """Attention and a feed-forward network."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention = layers.MultiHeadAttention(2, width // 2)
        self.norm1, self.norm2 = layers.LayerNormalization(), layers.LayerNormalization()
        self.up, self.down = layers.Dense(4 * width, activation="gelu"), layers.Dense(width)

    def call(self, x: Any) -> Any:
        x = self.norm1(x + self.attention(x, x))
        return self.norm2(x + self.down(self.up(x)))


class Transformer(keras.Model):
    """Subclassed, so that its own lines are in the stacks.

    Wide enough that the work is in its layers, not in the loss, the optimizer and the runtime.
    """

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.out = layers.Embedding(100, 64), layers.Dense(100)
        self.blocks = [Block(64) for _ in range(3)]

    def call(self, x: Any) -> Any:
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.out(x)


def _cnn(**compile_arguments: Any) -> Any:
    model = keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.Conv2D(8, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", jit_compile=False, **compile_arguments)
    return model, _data(512, 28, 28, 1), _RANDOM.integers(0, 10, 512)


def _fit(model: Any, x: Any, y: Any, **arguments: Any) -> Any:
    return model.fit(x, y, batch_size=64, verbose=0, **arguments)


def cnn(folder: Path) -> None:
    callback = tfprof.KerasCallback(folder, steps=(3, 6))
    _fit(*_cnn(), callbacks=[callback])


def lstm(folder: Path) -> None:
    x = keras.Input((20, 8))
    model = keras.Model(x, layers.Dense(1)(layers.LSTM(16)(x)))
    model.compile("adam", "mse", jit_compile=False)
    callback = tfprof.KerasCallback(folder, steps=(3, 6))
    _fit(model, _data(512, 20, 8), _data(512, 1), callbacks=[callback])


def transformer(folder: Path) -> None:
    model = Transformer()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, jit_compile=False)
    x = _RANDOM.integers(0, 100, (448, 64))
    _fit(model, x, x, callbacks=[tfprof.KerasCallback(folder, steps=(3, 6))])


def custom_loop(folder: Path) -> None:
    model = keras.Sequential([keras.Input((20,)), layers.Dense(20, "tanh"), layers.Dense(1)])
    optimizer = keras.optimizers.SGD(0.01)

    @tf.function
    def train_step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    x, y = tf.constant(_data(32, 20)), tf.constant(_data(32, 1))
    train_step(x, y)
    with tfprof.capture(folder):
        for _ in range(3):
            train_step(x, y)


def steps_per_execution(folder: Path) -> None:
    model, x, y = _cnn(steps_per_execution=4)
    callback = tfprof.KerasCallback(folder, steps=(4, 12))
    model.fit(x, y, batch_size=16, verbose=0, callbacks=[callback])


def partial_batch(folder: Path) -> None:
    """The last batch has 32 of 64 examples, so that the graph leaves the batch size open."""
    model = keras.Sequential([keras.Input((20,)), layers.Dense(30, "relu"), layers.Dense(1)])
    model.compile("adam", "mse", jit_compile=False)
    callback = tfprof.KerasCallback(folder, steps=(1, 4))
    _fit(model, _data(224, 20), _data(224, 1), callbacks=[callback])


def open_batch(folder: Path) -> None:
    """A function that takes any batch: `open_batch_args/x` has no size of its own."""
    weights = tf.Variable(_data(20, 30))

    @tf.function(input_signature=[tf.TensorSpec([None, 20])])
    def predict(x: Any) -> Any:
        return tf.nn.relu(x @ weights)

    predict(tf.constant(_data(8, 20)))
    with tfprof.capture(folder):
        for size in (8, 16, 16):
            predict(tf.constant(_data(size, 20)))


def fit_evaluate_predict(folder: Path) -> None:
    model, x, y = _cnn()

    def run() -> None:
        _fit(model, x, y)
        model.evaluate(x, y, verbose=0)
        model.predict(x, verbose=0)

    run()
    with tfprof.capture(folder):
        run()


def nested(folder: Path) -> None:
    @tf.function
    def inner(x: Any) -> Any:
        return tf.nn.relu(x @ x) / 10.0

    @tf.function
    def outer(x: Any) -> Any:
        for _ in tf.range(5):
            x = inner(x)
        return x + 1.0 if tf.reduce_sum(x) > 0 else x - 1.0

    x = tf.constant(_data(30, 30))
    outer(x)
    with tfprof.capture(folder):
        for _ in range(2):
            outer(x)


def lambdas(folder: Path) -> None:
    square, halve = tf.function(lambda x: x @ x), tf.function(lambda x: x / 2.0)
    x = tf.constant(_data(30, 30))
    halve(square(x))
    with tfprof.capture(folder):
        for _ in range(3):
            halve(square(x))


def eager(folder: Path) -> None:
    x, weights = tf.constant(_data(100, 100)), tf.Variable(_data(100, 100))

    def forward(x: Any) -> Any:
        x = tf.nn.relu(x @ weights) / 100.0
        return tf.reduce_mean(x * 0.5)

    def train_step() -> Any:
        with tf.GradientTape() as tape:
            loss = forward(x)
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return loss

    train_step()
    with tfprof.capture(folder):
        for _ in range(5):
            train_step()


def session(folder: Path) -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as opened:
        x = v1.placeholder(tf.float32, [None, 50], "x")
        w = v1.get_variable("w", [50, 50])
        loss = tf.reduce_mean(tf.matmul(tf.nn.relu(tf.matmul(x, w)), w))
        step = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        opened.run(v1.global_variables_initializer())
        feed = {x: _data(8, 50)}
        opened.run(step, feed)
        with tfprof.capture(folder):
            for _ in range(3):
                opened.run(step, feed)
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        run = v1.RunMetadata()
        opened.run(step, feed, options=options, run_metadata=run)
    (folder / "run_meta").write_bytes(run.SerializeToString())


def tf_keras_fit(folder: Path) -> None:
    import tf_keras

    dense = tf_keras.layers.Dense

    class Model(tf_keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.up, self.down = dense(64, activation="relu"), dense(1)

        def call(self, x: Any) -> Any:
            return self.down(self.up(x))

    model = Model()
    model.compile("adam", "mse", jit_compile=False)
    callback = tfprof.KerasCallback(folder, steps=(5, 8))
    data = _data(512, 20), _data(512, 1)
    _fit(model, *data, validation_data=data, callbacks=[callback])


def eager_fit(folder: Path) -> None:
    """Ops of Keras variables, one by one; the last step of an epoch and two of the next."""
    callback = tfprof.KerasCallback(folder, steps=(7, 10))
    _fit(*_cnn(run_eagerly=True), epochs=2, callbacks=[callback])


def tf_keras_epochs(folder: Path) -> None:
    """Steps of two epochs, which tf_keras counts anew, with a test between them."""
    import tf_keras

    model = tf_keras.Sequential([tf_keras.layers.Dense(8), tf_keras.layers.Dense(1)])
    model.compile("sgd", "mse", jit_compile=False)
    data = _data(64, 20), _data(64, 1)
    callback = tfprof.KerasCallback(folder, steps=(3, 6))
    model.fit(*data, batch_size=16, epochs=2, verbose=0, validation_data=data, callbacks=[callback])


PROGRAMS: dict[str, Callable[[Path], None]] = {
    program.__name__: program
    for program in (
        *(cnn, lstm, transformer, custom_loop, steps_per_execution),
        *(fit_evaluate_predict, nested, lambdas, eager, session, partial_batch, open_batch),
    )
}
OTHERS: dict[str, Callable[[Path], None]] = {
    program.__name__: program for program in (tf_keras_fit, tf_keras_epochs, eager_fit)
}
"""Programs that only run when they are named."""


def main() -> None:
    root = Path(sys.argv[1])
    for name in sys.argv[2:] or PROGRAMS:
        (PROGRAMS | OTHERS)[name](root / name)


if __name__ == "__main__":
    main()
