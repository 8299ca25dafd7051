"""Three training graphs of TensorFlow 1, small but with all that real ones have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["MODELS", "Training"]

Feeds = dict[Any, Any]


def resnet(tf: Any) -> tuple[Any, Callable[[int], Feeds]]:
    """Residual blocks of convolutions with batch normalization; the batch size is unknown."""
    v1 = tf.compat.v1
    images = v1.placeholder(tf.float32, [None, 8, 8, 3], "images")
    labels = v1.placeholder(tf.int32, [None], "labels")

    def conv(x: Any, name: str, channels: int, stride: int = 1) -> Any:
        with v1.variable_scope(name):
            weights = v1.get_variable("DW", [3, 3, x.shape[-1], channels])
            x = tf.nn.conv2d(x, weights, [1, stride, stride, 1], "SAME")
            scale = v1.get_variable("gamma", [channels], initializer=v1.ones_initializer())
            offset = v1.get_variable("beta", [channels], initializer=v1.zeros_initializer())
            return v1.nn.fused_batch_norm(x, scale, offset)[0]

    x = tf.nn.relu(conv(images, "init", 4))
    for unit in range(2):
        with v1.variable_scope(f"unit_{unit}"):
            inner = tf.nn.relu(conv(x, "sub1", 4))
            x = tf.nn.relu(x + conv(inner, "sub2", 4))
    x = tf.nn.max_pool2d(x, 2, 2, "VALID")
    logits = tf.reduce_mean(x, [1, 2]) @ v1.get_variable("logit/DW", [4, 5])
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    return loss, lambda step: {
        images: np.random.RandomState(step).rand(2, 8, 8, 3).astype("f"),
        labels: np.arange(2) % 5,
    }


def seq2seq(tf: Any) -> tuple[Any, Callable[[int], Feeds]]:
    """An LSTM encoder and decoder, both inside while loops."""
    v1 = tf.compat.v1
    words = v1.placeholder(tf.int32, [2, None], "words")
    table = v1.get_variable("embedding", [11, 6])
    inputs = tf.transpose(tf.nn.embedding_lookup(table, words), [1, 0, 2])
    steps = tf.shape(inputs)[0]

    def lstm(name: str, x: Any, cell: Any, hidden: Any) -> tuple[Any, Any]:
        with v1.variable_scope(name, reuse=v1.AUTO_REUSE):
            kernel = v1.get_variable("kernel", [6 + 5, 20])
            bias = v1.get_variable("bias", [20])
        gates = tf.split(tf.concat([x, hidden], 1) @ kernel + bias, 4, 1)
        cell = tf.sigmoid(gates[0]) * cell + tf.sigmoid(gates[1]) * tf.tanh(gates[2])
        return cell, tf.sigmoid(gates[3]) * tf.tanh(cell)

    zero = tf.zeros([2, 5])

    def encode(step: Any, cell: Any, hidden: Any) -> tuple[Any, Any, Any]:
        return (step + 1, *lstm("encoder", inputs[step], cell, hidden))

    _, cell, hidden = v1.while_loop(lambda step, *_: step < steps, encode, [0, zero, zero])
    start = tf.zeros([2, 6])

    def decode(step: Any, total: Any, cell: Any, hidden: Any) -> tuple[Any, Any, Any, Any]:
        cell, hidden = lstm("decoder", start, cell, hidden)
        return step + 1, total + tf.reduce_sum(tf.square(hidden)), cell, hidden

    _, loss, _, _ = v1.while_loop(
        lambda step, *_: step < 3, decode, [0, tf.constant(0.0), cell, hidden]
    )
    return loss, lambda _step: {words: np.arange(8).reshape(2, 4) % 11}


def transformer(tf: Any) -> tuple[Any, Callable[[int], Feeds]]:
    """An encoder layer with attention over two heads."""
    v1 = tf.compat.v1
    x = tokens = v1.placeholder(tf.float32, [None, 4, 8], "tokens")

    def dense(x: Any, name: str, size: int) -> Any:
        with v1.variable_scope(name):
            weights = v1.get_variable("kernel", [x.shape[-1], size])
            bias = v1.get_variable("bias", [size])
        flat = tf.reshape(x, [-1, x.shape[-1]])
        out = tf.nn.bias_add(flat @ weights, bias)
        return tf.reshape(out, [-1, 4, size])

    def heads(x: Any) -> Any:
        return tf.transpose(tf.reshape(x, [-1, 4, 2, 4]), [0, 2, 1, 3])

    with v1.variable_scope("layer_0"):
        query, key, value = (heads(dense(x, name, 8)) for name in ("query", "key", "value"))
        weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / 2.0)
        mixed = tf.reshape(tf.transpose(weights @ value, [0, 2, 1, 3]), [-1, 4, 8])
        x = x + dense(mixed, "output", 8)
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        x = (x - mean) * tf.math.rsqrt(variance + 1e-6)
        x = x + dense(tf.nn.relu(dense(x, "inner", 16)), "outer", 8)
    loss = tf.reduce_mean(tf.math.squared_difference(x, 1.0))
    return loss, lambda step: {tokens: np.random.RandomState(step).rand(3, 4, 8).astype("f")}


MODELS = {"resnet": resnet, "seq2seq": seq2seq, "transformer": transformer}


class Training:
    """A model with an optimizer, a session, and the metadata of three traced steps."""

    STEPS = 3

    def __init__(self, tf: Any, name: str, *, resource: bool) -> None:
        self.tf = tf
        v1 = tf.compat.v1
        self.graph = tf.Graph()
        # Resource variables go with the newer loops, reference variables with the older ones.
        (v1.enable_control_flow_v2 if resource else v1.disable_control_flow_v2)()
        with self.graph.as_default(), v1.variable_scope("", use_resource=resource):
            v1.set_random_seed(7)
            self.loss, self.feeds = MODELS[name](tf)
            self.train = v1.train.MomentumOptimizer(0.01, 0.9).minimize(
                self.loss, v1.train.create_global_step()
            )
            self.initialize = v1.global_variables_initializer()
            self.trainable = v1.trainable_variables()
        v1.enable_control_flow_v2()
        self.session = v1.Session(graph=self.graph)
        self.session.run(self.initialize)
        self.runs = [self._traced(step) for step in range(self.STEPS)]

    def _traced(self, step: int) -> Any:
        v1 = self.tf.compat.v1
        metadata = v1.RunMetadata()
        full = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        self.session.run(self.train, self.feeds(step), options=full, run_metadata=metadata)
        return metadata

    def serialized(self) -> bytes:
        """The graph as it is now, with its shapes."""
        return self.graph.as_graph_def(add_shapes=True).SerializeToString(deterministic=True)

    def __enter__(self) -> Training:  # noqa: PYI034 - typing.Self is not in Python 3.10
        return self

    def __exit__(self, *_error: object) -> None:
        self.session.close()
