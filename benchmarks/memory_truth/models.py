"""Seven models with a training step each, as graphs of an open batch size `B`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Model:
    """A training step: what to feed for a batch size, and the op to run."""

    feed: Callable[[int], dict[Any, Any]]
    train: Any


def _weight(tf: Any, name: str, *shape: int) -> Any:
    return tf.compat.v1.get_variable(name, shape, use_resource=False)


def _dense(tf: Any, x: Any, name: str, inputs: int, units: int) -> Any:
    bias = tf.compat.v1.get_variable(f"{name}/b", [units], use_resource=False)
    return x @ _weight(tf, f"{name}/w", inputs, units) + bias


def _conv(tf: Any, x: Any, name: str, inputs: int, outputs: int, stride: int = 1) -> Any:
    return tf.nn.conv2d(x, _weight(tf, name, 3, 3, inputs, outputs), stride, "SAME")


def _norm(tf: Any, x: Any, name: str, channels: int) -> Any:
    scale, offset = (_weight(tf, f"{name}/{part}", channels) for part in ("scale", "offset"))
    return tf.compat.v1.nn.fused_batch_norm(x, scale, offset)[0]


def _classify(tf: Any, logits: Any, labels: Any) -> Any:
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_mean(losses)


def _images(tf: Any, size: int) -> tuple[Any, Any, Callable[[int], dict[Any, Any]]]:
    x = tf.compat.v1.placeholder(tf.float32, [None, size, size, 3], name="images")
    y = tf.compat.v1.placeholder(tf.int32, [None], name="labels")

    def feed(batch: int) -> dict[Any, Any]:
        return {x: np.ones([batch, size, size, 3], np.float32), y: np.zeros(batch, np.int32)}

    return x, y, feed


def _tokens(tf: Any, length: int) -> tuple[Any, Any, Callable[[int], dict[Any, Any]]]:
    x = tf.compat.v1.placeholder(tf.int32, [None, length], name="tokens")
    y = tf.compat.v1.placeholder(tf.int32, [None], name="labels")

    def feed(batch: int) -> dict[Any, Any]:
        tokens = np.arange(batch * length, dtype=np.int32).reshape(batch, length) % 1000
        return {x: tokens, y: np.zeros(batch, np.int32)}

    return x, y, feed


def _cnn(tf: Any) -> Model:
    """Four convolutions, a pooling and two dense layers; momentum."""
    x, labels, feed = _images(tf, 64)
    for i, (inputs, outputs) in enumerate([(3, 32), (32, 32), (32, 64), (64, 64)]):
        x = tf.nn.relu(_conv(tf, x, f"conv{i}", inputs, outputs, 1 + i % 2))
    x = tf.reshape(tf.nn.max_pool2d(x, 2, 2, "SAME"), [-1, 8 * 8 * 64])
    logits = _dense(tf, tf.nn.relu(_dense(tf, x, "dense", 4096, 256)), "logits", 256, 10)
    optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
    return Model(feed, optimizer.minimize(_classify(tf, logits, labels)))


def _resnet(tf: Any) -> Model:
    """Nine residual blocks with batch normalization; momentum."""
    x, labels, feed = _images(tf, 32)
    x = _conv(tf, x, "init", 3, 16)
    channels = 16
    for i in range(9):
        width = 16 << i // 3
        stride = 2 if width != channels else 1
        y = tf.nn.relu(_norm(tf, x, f"block{i}/norm1", channels))
        shortcut = x if stride == 1 else tf.nn.avg_pool2d(x, 2, 2, "VALID")
        if width != channels:
            pad = (width - channels) // 2
            shortcut = tf.pad(shortcut, [[0, 0], [0, 0], [0, 0], [pad, pad]])
        y = _conv(tf, y, f"block{i}/conv1", channels, width, stride)
        y = _conv(
            tf, tf.nn.relu(_norm(tf, y, f"block{i}/norm2", width)), f"block{i}/conv2", width, width
        )
        x, channels = shortcut + y, width
    x = tf.reduce_mean(tf.nn.relu(x), [1, 2])
    logits = _dense(tf, x, "logits", channels, 10)
    optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
    return Model(feed, optimizer.minimize(_classify(tf, logits, labels)))


def _lstm(tf: Any) -> Model:
    """An LSTM of 128 units over 40 time steps, unrolled; Adam."""
    tokens, labels, feed = _tokens(tf, 40)
    units = 128
    table = _weight(tf, "embedding", 1000, units)
    x = tf.unstack(tf.gather(table, tokens), axis=1)
    state = tf.zeros([tf.shape(tokens)[0], units])
    memory = state
    for word in x:
        with tf.compat.v1.variable_scope("cell", reuse=tf.compat.v1.AUTO_REUSE):
            gates = _dense(tf, tf.concat([word, state], 1), "gates", 2 * units, 4 * units)
        i, f, o, c = tf.split(gates, 4, axis=1)
        memory = tf.sigmoid(f) * memory + tf.sigmoid(i) * tf.tanh(c)
        state = tf.sigmoid(o) * tf.tanh(memory)
    logits = _dense(tf, state, "logits", units, 10)
    return Model(feed, tf.compat.v1.train.AdamOptimizer().minimize(_classify(tf, logits, labels)))


def _transformer(tf: Any) -> Model:
    """Three encoder blocks with four heads over 64 tokens; Adam."""
    length, width, heads = 64, 128, 4
    tokens, labels, feed = _tokens(tf, length)
    x = tf.gather(_weight(tf, "embedding", 1000, width), tokens)
    for i in range(3):
        name = f"block{i}"
        flat = tf.reshape(x, [-1, width])
        parts = []
        for part in ("query", "key", "value"):
            y = tf.reshape(
                _dense(tf, flat, f"{name}/{part}", width, width),
                [-1, length, heads, width // heads],
            )
            parts.append(tf.transpose(y, [0, 2, 1, 3]))
        query, key, value = parts
        scores = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / 8.0)
        mixed = tf.reshape(tf.transpose(tf.matmul(scores, value), [0, 2, 1, 3]), [-1, width])
        flat = flat + _dense(tf, mixed, f"{name}/out", width, width)
        hidden = tf.nn.relu(_dense(tf, flat, f"{name}/up", width, 4 * width))
        x = tf.reshape(
            flat + _dense(tf, hidden, f"{name}/down", 4 * width, width), [-1, length, width]
        )
    logits = _dense(tf, tf.reduce_mean(x, 1), "logits", width, 10)
    return Model(feed, tf.compat.v1.train.AdamOptimizer().minimize(_classify(tf, logits, labels)))


def _embedding(tf: Any) -> Model:
    """A table of 100,000 rows, of which 200 are averaged; a wide output; gradient descent."""
    tokens, labels, feed = _tokens(tf, 200)
    x = tf.gather(_weight(tf, "embedding", 100_000, 64), tokens)
    x = tf.nn.relu(_dense(tf, tf.reduce_mean(x, 1), "dense", 64, 256))
    logits = _dense(tf, x, "logits", 256, 2000)
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)
    return Model(feed, optimizer.minimize(_classify(tf, logits, labels)))


def _mlp(tf: Any) -> Model:
    """Three dense layers, for which kernels pack matrices outside the allocator."""
    x = tf.compat.v1.placeholder(tf.float32, [None, 784], name="images")
    labels = tf.compat.v1.placeholder(tf.int32, [None], name="labels")
    hidden = tf.nn.relu(_dense(tf, x, "first", 784, 512))
    logits = _dense(tf, tf.nn.relu(_dense(tf, hidden, "second", 512, 512)), "logits", 512, 10)
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)

    def feed(batch: int) -> dict[Any, Any]:
        return {x: np.ones([batch, 784], np.float32), labels: np.zeros(batch, np.int32)}

    return Model(feed, optimizer.minimize(_classify(tf, logits, labels)))


def _rnn(tf: Any) -> Model:
    """A recurrent layer of 64 units in a loop over 30 time steps; Adam."""
    tokens, labels, feed = _tokens(tf, 30)
    units = 64
    x = tf.transpose(tf.gather(_weight(tf, "embedding", 1000, units), tokens), [1, 0, 2])
    weights = _weight(tf, "cell/w", 2 * units, units)
    words = tf.TensorArray(tf.float32, 30).unstack(x)

    def cell(time: Any, state: Any) -> Any:
        return time + 1, tf.tanh(tf.concat([words.read(time), state], 1) @ weights)

    start = tf.constant(0), tf.zeros([tf.shape(tokens)[0], units])
    _, state = tf.while_loop(lambda time, _: time < 30, cell, start)
    logits = _dense(tf, state, "logits", units, 10)
    return Model(feed, tf.compat.v1.train.AdamOptimizer().minimize(_classify(tf, logits, labels)))


MODELS: dict[str, Callable[[Any], Model]] = {
    "cnn": _cnn,
    "resnet": _resnet,
    "lstm": _lstm,
    "transformer": _transformer,
    "embedding": _embedding,
    "mlp": _mlp,
    "rnn": _rnn,
}
SMALL = ("mlp", "rnn")
"""Models for which memory outside the allocator is a large share."""
