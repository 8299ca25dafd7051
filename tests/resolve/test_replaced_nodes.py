"""Float operations of a traced run: fused nodes count, nodes that did not run do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tfprof

v1 = tf.compat.v1
BATCH, UNITS = 4, 8
MATMUL = 2 * BATCH * UNITS * UNITS
X = np.ones((BATCH, UNITS), "f")


def _inputs() -> tuple[Any, Any]:
    x = v1.placeholder(tf.float32, [BATCH, UNITS], "x")
    return x, v1.get_variable("w", [UNITS, UNITS], use_resource=True)


def fused() -> Any:
    """Grappler makes one kernel of matmul, bias and activation; another head is not fetched."""
    x, w = _inputs()
    bias = v1.get_variable("bias", [UNITS], use_resource=True)
    h = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w, name="matmul"), bias, name="add"), name="relu")
    tf.matmul(tf.exp(h, name="exp"), w, name="other")
    out = tf.matmul(h, w, name="out")
    elements = BATCH * UNITS
    return out, {x: X}, {"matmul": MATMUL, "add": elements, "relu": elements, "out": MATMUL}


def folded() -> Any:
    """A product of constants is computed once and for all, before the run."""
    x, w = _inputs()
    product = tf.matmul(tf.ones([UNITS, UNITS]) * 2.0, tf.ones([UNITS, UNITS]), name="product")
    out = tf.matmul(tf.matmul(x, w, name="first"), product, name="out")
    return out, {x: X}, {"first": MATMUL, "out": MATMUL}


def fed() -> Any:
    """What computes a tensor that is fed does not run."""
    x, w = _inputs()
    before = tf.matmul(tf.exp(x, name="exp"), w, name="before")
    return tf.matmul(before, w, name="after"), {before: X}, {"after": MATMUL}


def branch() -> Any:
    x, w = _inputs()
    y = v1.cond(
        tf.reduce_sum(x, name="sum") > 1e9,
        lambda: tf.matmul(x, w, name="yes"),
        lambda: tf.matmul(tf.matmul(x, w, name="no_1"), w, name="no_2"),
    )
    expected = {"no_1": MATMUL, "no_2": MATMUL, "out": MATMUL, "sum": BATCH * UNITS - 1}
    return tf.matmul(y, w, name="out"), {x: X}, expected


def looped() -> Any:
    """The body runs seven times; a matmul that the loop does not change is one of them too."""
    x, w = _inputs()
    limit = v1.placeholder(tf.int32, [], "limit")

    def step(count: Any, state: Any) -> tuple[Any, Any]:
        return count + 1, tf.nn.relu(tf.matmul(state, w, name="product"), name="activation")

    y = v1.while_loop(lambda count, _: 2 * count < limit, step, [0, x], name="loop")[1]
    expected = {"product": 7 * MATMUL, "activation": 7 * BATCH * UNITS, "out": MATMUL}
    return tf.matmul(y, w, name="out"), {x: X, limit: 14}, expected


def initialized() -> Any:
    """The initializer of a variable is no part of a step."""
    x = v1.placeholder(tf.float32, [BATCH, UNITS], "x")
    w = v1.get_variable("w", initializer=tf.matmul(tf.ones([8, 8]), tf.ones([8, 8]), name="init"))
    return tf.matmul(x, w, name="out"), {x: X}, {"out": MATMUL}


def traced(build: Callable[[], Any]) -> tuple[bytes, bytes, dict[str, int]]:
    with tf.Graph().as_default() as graph:
        fetched, fed_values, expected = build()
        with v1.Session(graph=graph) as session:
            session.run(v1.global_variables_initializer())
            run = v1.RunMetadata()
            options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
            session.run(fetched, fed_values, options=options, run_metadata=run)
        graph_def = graph.as_graph_def(add_shapes=True)
        return graph_def.SerializeToString(), run.SerializeToString(), expected


def counted(profile: tfprof.Profile, **options: Any) -> dict[str, int]:
    """The float operations of nodes by the last part of their names; results have `_0` there."""
    report = profile.report("scope", select=["float_ops"], max_depth=99, **options)
    return {
        row.name.rpartition("/")[2].removesuffix("_0"): row.own["float_ops"]
        for row in report
        if row.own["float_ops"] and not row.name.endswith(("Less", "Greater"))
    }


@pytest.mark.parametrize("frames", [False, True], ids=["functions", "frames"])
@pytest.mark.parametrize("build", [fused, folded, fed, branch, looped, initialized])
def test_only_what_ran_counts(build: Callable[[], Any], frames: bool) -> None:
    if frames:
        v1.disable_control_flow_v2()
    try:
        graph, run, expected = traced(build)
    finally:
        v1.enable_control_flow_v2()
    profile = tfprof.load(graph, run)
    assert counted(profile) == expected
    assert counted(tfprof.load(profile=profile.serialize())) == expected
    assert not counted(profile, compat=True)


def test_each_step_has_its_own_run() -> None:
    with tf.Graph().as_default() as graph:
        x, w = _inputs()
        heads = [tf.nn.relu(tf.matmul(x, w, name=name) + 1.0) for name in ("a", "b")]
        runs = []
        with v1.Session(graph=graph) as session:
            session.run(v1.global_variables_initializer())
            for head in heads:
                run = v1.RunMetadata()
                options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
                session.run(head, {x: X}, options=options, run_metadata=run)
                runs.append(run)
    profile = tfprof.load(graph=graph.as_graph_def(add_shapes=True), run_meta=runs)
    for step, (run_name, idle_name) in enumerate(["ab", "ba"]):
        report = profile.report("scope", select=["float_ops"], step=step)
        assert report[run_name].own["float_ops"] == MATMUL
        assert report[idle_name].own["float_ops"] == 0
    both = profile.report("scope", select=["float_ops"])
    assert [both[name].own["float_ops"] for name in "ab"] == [MATMUL, MATMUL]
