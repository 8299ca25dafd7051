"""Three models in graph mode with resource variables; run as a program it writes a trace of each.

python models.py FOLDER
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["BATCH", "STEPS", "UNITS"]

BATCH, UNITS, STEPS = 8, 16, 12


def seq2seq(tf: Any) -> Any:
    """A loop, a branch, a case and a call, trained."""
    v1 = tf.compat.v1
    x = v1.placeholder(tf.float32, [BATCH, UNITS], "x")
    weights = v1.get_variable("w", [UNITS, UNITS])
    bias = v1.get_variable("b", [UNITS], initializer=v1.zeros_initializer())

    def step(count: Any, state: Any) -> tuple[Any, Any]:
        return count + 1, tf.tanh(tf.matmul(state, weights) + bias)

    _, h = v1.while_loop(lambda count, _: count < STEPS, step, [0, x], name="decode")
    y = tf.cond(tf.reduce_sum(h) > 1e9, lambda: h * 2.0, lambda: tf.matmul(h, weights))
    which = tf.cast(tf.reduce_sum(x) * 0, tf.int32) + 1
    z = tf.switch_case(which, [lambda: y * 2.0, lambda: tf.nn.relu(y)])
    inner = tf.function(lambda a: tf.nn.softmax(tf.matmul(a, weights, transpose_b=True)))
    loss = tf.reduce_mean(tf.square(inner(z)))
    train = v1.train.AdamOptimizer(0.1).minimize(loss)
    return [train, loss], {x: np.ones((BATCH, UNITS), "f")}


def transformer(tf: Any) -> Any:
    """Two layers of attention, trained; Grappler rewrites much of it."""
    v1 = tf.compat.v1
    tokens = v1.placeholder(tf.float32, [4, 16, 32], "tokens")

    def dense(x: Any, name: str, size: int) -> Any:
        with v1.variable_scope(name):
            kernel = v1.get_variable("kernel", [x.shape[-1], size])
            bias = v1.get_variable("bias", [size])
        flat = tf.nn.bias_add(tf.reshape(x, [-1, x.shape[-1]]) @ kernel, bias)
        return tf.reshape(flat, [4, 16, size])

    def heads(x: Any) -> Any:
        return tf.transpose(tf.reshape(x, [4, 16, 4, 8]), [0, 2, 1, 3])

    h = tokens
    for layer in range(2):
        with v1.variable_scope(f"layer{layer}"):
            q, k, v = (heads(dense(h, name, 32)) for name in "qkv")
            scores = tf.nn.softmax(tf.matmul(q, tf.transpose(k, [0, 1, 3, 2])) / tf.sqrt(8.0))
            mixed = tf.reshape(tf.transpose(scores @ v, [0, 2, 1, 3]), [4, 16, 32])
            h += dense(mixed, "out", 32)
            h += dense(tf.nn.relu(dense(h, "wide", 64)), "narrow", 32)
    decay = tf.add_n([tf.reduce_sum(w * w) for w in v1.trainable_variables()])
    loss = tf.reduce_mean(h * h) + decay
    train = v1.train.AdamOptimizer(0.1).minimize(loss)
    return [train, loss], {tokens: np.ones((4, 16, 32), "f")}


def convnet(tf: Any) -> Any:
    """A frozen convolutional network, whose blocks run as fused kernels."""
    v1 = tf.compat.v1
    images = v1.placeholder(tf.float32, [2, 32, 32, 3], "images")
    dice = np.random.RandomState(0)

    def constant(*shape: int) -> Any:
        return tf.constant(dice.rand(*shape).astype("f"))

    h = images
    for block in range(4):
        with v1.name_scope(f"block{block}"):
            h = tf.nn.conv2d(h, constant(3, 3, h.shape[-1], 16), 1, "SAME")
            norm = [constant(16) for _ in range(4)]
            h = tf.nn.relu(v1.nn.fused_batch_norm(h, *norm, is_training=False)[0])
    y = tf.nn.relu(tf.nn.bias_add(tf.reduce_mean(h, [1, 2]) @ constant(16, 10), constant(10)))
    return y, {images: np.ones((2, 32, 32, 3), "f")}


def write(tf: Any, build: Any, folder: Path) -> None:
    """Build a model in a graph of its own, run it, and write graph, run and op log."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        fetched, fed = build(tf)
        with v1.Session(graph=graph) as session:
            session.run(v1.global_variables_initializer())
            session.run(fetched, fed)
            run = v1.RunMetadata()
            options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
            session.run(fetched, fed, options=options, run_metadata=run)
        (folder / "run").write_bytes(run.SerializeToString())
        (folder / "graph").write_bytes(graph.as_graph_def(add_shapes=True).SerializeToString())
        v1.profiler.write_op_log(graph, str(folder), run_meta=run)


if __name__ == "__main__":
    os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    import tensorflow

    tensorflow.compat.v1.enable_resource_variables()
    tensorflow.compat.v1.enable_control_flow_v2()
    for made in (seq2seq, transformer, convnet):
        target = Path(sys.argv[1]) / made.__name__
        target.mkdir()
        write(tensorflow, made, target)
