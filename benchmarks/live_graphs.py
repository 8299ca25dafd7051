"""`python -m benchmarks.live_graphs`: `profile()` of live graphs, ours beside the original.

Both get the same tf.Graph and run metadata, in turns; the graph's own serialization is included.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

VIEWS = ("scope", "graph", "op", "code")
TARGET = 3.0


def resnet(tf: Any, blocks: int) -> tuple[Any, dict[Any, Any]]:
    """Convolutions with batch normalization and shortcuts."""
    v1 = tf.compat.v1
    x = images = v1.placeholder(tf.float32, [None, 8, 8, 16])
    for block in range(blocks):
        with v1.variable_scope(f"block_{block}"):
            weights = v1.get_variable("DW", [3, 3, 16, 16])
            y = tf.nn.conv2d(x, weights, 1, "SAME")
            mean, variance = tf.nn.moments(y, [0, 1, 2])
            scale, offset = v1.get_variable("gamma", [16]), v1.get_variable("beta", [16])
            x = x + tf.nn.relu(tf.nn.batch_normalization(y, mean, variance, offset, scale, 1e-3))
    return tf.reduce_mean(x), {images: [[[[0.5] * 16] * 8] * 8] * 2}


def lstm(tf: Any, steps: int) -> tuple[Any, dict[Any, Any]]:
    """A recurrent layer written out, as `static_rnn` does."""
    v1 = tf.compat.v1
    inputs = v1.placeholder(tf.float32, [None, steps, 8])
    kernel, bias = v1.get_variable("kernel", [24, 64]), v1.get_variable("bias", [64])
    cell = hidden = tf.zeros([tf.shape(inputs)[0], 16])
    for step in range(steps):
        with tf.name_scope(f"step_{step}"):
            gates = tf.concat([inputs[:, step], hidden], 1) @ kernel + bias
            i, j, f, o = tf.split(gates, 4, 1)
            cell = tf.sigmoid(f) * cell + tf.sigmoid(i) * tf.tanh(j)
            hidden = tf.sigmoid(o) * tf.tanh(cell)
    return tf.reduce_mean(hidden), {inputs: [[[0.5] * 8] * steps] * 2}


def transformer(tf: Any, layers: int) -> tuple[Any, dict[Any, Any]]:
    """Encoder layers with four heads."""
    v1 = tf.compat.v1
    x = tokens = v1.placeholder(tf.float32, [None, 8, 16])

    def dense(x: Any, name: str, size: int) -> Any:
        weights = v1.get_variable(f"{name}/kernel", [x.shape[-1], size])
        flat = tf.reshape(x, [-1, x.shape[-1]]) @ weights
        return tf.reshape(flat + v1.get_variable(f"{name}/bias", [size]), [-1, 8, size])

    for layer in range(layers):
        with v1.variable_scope(f"layer_{layer}"):
            parts = [dense(x, name, 16) for name in ("query", "key", "value")]
            q, k, v = (tf.transpose(tf.reshape(p, [-1, 8, 4, 4]), [0, 2, 1, 3]) for p in parts)
            mixed = tf.nn.softmax(tf.matmul(q, k, transpose_b=True)) @ v
            x = x + dense(tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [-1, 8, 16]), "out", 16)
            x = x + dense(tf.nn.relu(dense(x, "inner", 32)), "outer", 16)
    return tf.reduce_mean(x), {tokens: [[[0.5] * 16] * 8] * 2}


MODELS: dict[str, tuple[Callable[[Any, int], Any], int]] = {
    "ResNet": (resnet, 40),
    "LSTM": (lstm, 60),
    "transformer": (transformer, 24),
}


def traced(tf: Any, build: Callable[[Any, int], Any], size: int) -> tuple[Any, Any]:
    """A training graph and the metadata of one step."""
    v1 = tf.compat.v1
    graph = tf.Graph()
    metadata = v1.RunMetadata()
    with graph.as_default():
        loss, feeds = build(tf, size)
        train = v1.train.AdamOptimizer().minimize(loss)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            full = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
            session.run(train, feeds, options=full, run_metadata=metadata)
    return graph, metadata


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Without what both say about incomplete shapes."""
    with contextlib.redirect_stderr(io.StringIO()):
        yield


def seconds(calls: list[Callable[[], Any]], rounds: int) -> list[float]:
    """The median of each call's times, measured in turns."""
    times: list[list[float]] = [[] for _ in calls]
    with silent():
        for call in calls:
            call()
        for _ in range(rounds):
            for call, seconds in zip(calls, times, strict=True):
                began = time.perf_counter()
                call()
                seconds.append(time.perf_counter() - began)
    return [statistics.median(seconds) for seconds in times]


def main() -> int:
    """Print a line per model and view; 1 if some ratio is below the target."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live_graphs", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="size of the models")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is timed")
    arguments = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    import tfprof

    tf.get_logger().setLevel("ERROR")
    builder = tfprof.ProfileOptionBuilder
    presets = {
        "params": builder.trainable_variables_parameter(),
        "float_ops": builder.float_operation(),
        "time": builder.time_and_memory(),
    }
    print("| model | nodes | view | options | original | ours | ratio |")
    print("|---|--:|---|---|--:|--:|--:|")
    worst = float("inf")
    for name, (build, size) in MODELS.items():
        graph, run = traced(tf, build, round(size * arguments.scale))
        nodes = len(graph.get_operations())
        for view in VIEWS:
            for title, preset in presets.items():
                options = {**preset, "output": "none"}
                asked = (graph, run, None, view, options)
                calls = [
                    partial(p, *asked) for p in (tf.compat.v1.profiler.profile, tfprof.profile)
                ]
                original, ours = seconds(calls, arguments.rounds)
                ratio = original / ours
                worst = min(worst, ratio)
                cells = [f"{original * 1e3:.0f} ms", f"{ours * 1e3:.0f} ms", f"{ratio:.1f}x"]
                print(f"| {name} | {nodes} | {view} | {title} | {' | '.join(cells)} |", flush=True)
    print(f"\nworst ratio {worst:.1f}x (target {TARGET:.0f}x)")
    return 0 if worst >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
