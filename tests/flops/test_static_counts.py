"""Counting distinct nodes from columns gives what the interpreter gives, where it answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfprof
from benchmarks.generate import generate
from tests.flops.random_ops import FAMILIES, build, interpret
from tfprof.definitions.quirks import REPAIRED
from tfprof.flops.graph_counts import count_graph
from tfprof.flops.rules import CountKind, count_node
from tfprof.flops.static_counts import NodeGroups, count_settled, count_static
from tfprof.flops.totals import operation
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.resolve import resolve


def check(profile: tfprof.Profile) -> None:
    """The columns are answered without the interpreter, and are equal to its own."""
    resolved = resolve(profile, REPAIRED)
    static, interpreted = count_static(resolved, REPAIRED), count_graph(resolved, REPAIRED)
    assert static is not None
    for name in ("float_ops", "macs", "executions", "per_example"):
        np.testing.assert_array_equal(getattr(static, name), getattr(interpreted, name))
    assert static.reasons == interpreted.reasons


def train(tf: Any, *, batch: int | None) -> tuple[Any, Any]:
    """A small convolutional network with its gradients and updates, and what feeds it."""
    v1 = tf.compat.v1
    x = v1.placeholder(tf.float32, [batch, 8, 8, 3], "x")
    kernel = v1.get_variable("kernel", [3, 3, 3, 4], use_resource=False)
    y = tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME"))
    y, _, _ = v1.nn.fused_batch_norm(y, tf.ones([4]), tf.zeros([4]))
    y = tf.reshape(tf.nn.max_pool2d(y, 2, 2, "SAME"), [-1, 64])
    y = tf.matmul(y, v1.get_variable("weights", [64, 5], use_resource=True))
    loss = tf.reduce_mean(tf.nn.softmax(y))
    return v1.train.AdamOptimizer(1e-3).minimize(loss), x


def test_static_graph(tf: Any) -> None:
    with tf.Graph().as_default() as graph:
        train(tf, batch=4)
        check(tfprof.load(graph.as_graph_def(add_shapes=True)))


def test_run_completes_the_shapes(tf: Any) -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph, v1.Session() as session:
        step, x = train(tf, batch=None)
        session.run(v1.global_variables_initializer())
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        run = v1.RunMetadata()
        session.run(step, {x: np.ones([6, 8, 8, 3])}, options=options, run_metadata=run)
        profile = tfprof.load(graph.as_graph_def(add_shapes=True), run_meta=run)
    check(profile)
    macs = count_graph(resolve(profile, REPAIRED), REPAIRED).macs
    # Forward, and the gradients to the input and to the weights.
    assert macs.sum() == 3 * (6 * 8 * 8 * 27 * 4 + 6 * 64 * 5)


def test_contradictory_shapes_of_a_made_up_model(tmp_path: Path) -> None:
    folder = generate(3000, 1, tmp_path)
    check(tfprof.load(folder / "graph.pb", folder / "run_meta_0"))


@pytest.mark.parametrize("family", FAMILIES)
def test_settled_nodes_count_as_interpreted_ones(tf: Any, family: str) -> None:
    settled = 0
    for seed in range(3):
        graph, _ = build(tf, family, seed)
        message = GraphDef.FromString(graph.as_graph_def(add_shapes=True).SerializeToString())
        instance = interpret(message)
        groups = NodeGroups(tfprof.load(message))
        counts = [count_settled(node) for node in groups.operations()]
        for position, group in zip(groups.rows.tolist(), groups.group.tolist(), strict=True):
            count = counts[group]
            if count is not None:
                assert count == count_node(operation(instance, position)), message.node[position]
                settled += count.kind is CountKind.COUNTED
    assert settled


@pytest.mark.parametrize("op", ["Switch", "Enter", "PartitionedCall", "Neg"])
def test_interpreter_is_needed(op: str) -> None:
    graph = GraphDef()
    graph.node.add(name="a", op=op)
    assert count_static(tfprof.load(graph), REPAIRED) is None
