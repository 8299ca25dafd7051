"""A convolutional and recurrent model, traced while it trains: every view like the original's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tfprof
from tests.oracle.compare import parsed
from tests.oracle.original import Original
from tfprof.definitions.metrics import METRICS
from tfprof.protos import log_pb2, output_pb2

BUILD = """
import sys
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()
(tf1.enable_resource_variables if sys.argv[1] == "resource" else tf1.disable_resource_variables)()
tf1.enable_control_flow_v2() if sys.argv[1] == "resource" else tf1.disable_control_flow_v2()


def convolution(x):
    kernel = tf1.get_variable("conv/kernel", [3, 3, 1, 4])
    return tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME"))


def lstm(x, units):
    weights = tf1.get_variable("lstm/weights", [x.shape[-1] + units, 4 * units])

    def step(t, h, c):
        i, j, f, o = tf.split(tf.matmul(tf.concat([x[:, t], h], 1), weights), 4, 1)
        c = c * tf.sigmoid(f) + tf.sigmoid(i) * tf.tanh(j)
        return t + 1, tf.tanh(c) * tf.sigmoid(o), c

    zero = tf.zeros([2, units])
    return tf1.while_loop(lambda t, *_: t < x.shape[1], step, (0, zero, zero))[1]


x = tf1.placeholder(tf.float32, [2, 8, 8, 1], "images")
features = tf.reshape(convolution(x), [2, 8, 32])
loss = tf.reduce_mean(tf.square(lstm(features, 5)), name="loss")
train = tf1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
folder = sys.argv[2]
with tf1.Session() as session:
    session.run(tf1.global_variables_initializer())
    options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
    for step in range(2):
        run = tf1.RunMetadata()
        session.run(train, {x: np.ones([2, 8, 8, 1])}, options=options, run_metadata=run)
        open(f"{folder}/run_{step}", "wb").write(run.SerializeToString())
    graph = session.graph.as_graph_def(add_shapes=True)
    open(f"{folder}/graph", "wb").write(graph.SerializeToString())
    tf1.profiler.write_op_log(session.graph, folder, run_meta=run)
"""

REQUESTS = [
    {"select": list(METRICS), "order_by": "name"},
    {"select": ["micros", "occurrence"], "order_by": "micros", "min_micros": 1},
    {"select": ["params"], "account_type_regexes": ["_trainable_variables"]},
    {"select": ["float_ops"], "order_by": "float_ops", "account_displayed_op_only": True},
    {"select": ["bytes", "peak_bytes"], "account_type_regexes": ["MatMul", ".*Conv2D.*"]},
    {"select": ["micros"], "start_name_regexes": [".*grad.*"], "max_depth": 4},
]
DEFAULTS = {
    "max_depth": 10000,
    "step": -1,
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "show_name_regexes": [".*"],
    "output": "file",
}


@pytest.fixture(scope="module", params=["reference", "resource"])
def files(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    script = folder / "model.py"
    script.write_text(BUILD)
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run(
        [sys.executable, "-W", "ignore", str(script), request.param, str(folder)],
        check=True,
        env=environment,
        capture_output=True,
    )
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def original():
    running = Original()
    yield running
    running.close()


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_views(view, files, original, tmp_path):
    graph, run, log = files["graph"], files["run_1"], files["tfprof_log"]
    requests = [{**DEFAULTS, **request} for request in REQUESTS]
    jobs = [[("one_shot", graph, run, log, view, request)] for request in requests]
    for request, (theirs,) in zip(requests, original.run(jobs), strict=True):
        out = Path(tmp_path) / "out"
        options = {**request, "output": f"file:outfile={out}"}
        ours = tfprof.profile(graph, run, log, view, options, compat=True)
        assert not theirs.error
        assert out.read_bytes() == dict(theirs.files)[""]
        assert _same(ours, theirs.result)


def _same(ours, their_bytes):
    kinds = {"GraphNodeProto": output_pb2.GraphNodeProto}
    kind = kinds.get(type(ours).__name__, output_pb2.MultiGraphNodeProto)
    return parsed(kind, their_bytes, compat=True) == ours


def test_saved_profiles(files, original):
    graph, log = files["graph"], files["tfprof_log"]
    steps = [files["run_0"], files["run_1"]]
    calls = [("new", graph, log)]
    calls += [("add_step", step, graph, run, log) for step, run in enumerate(steps)]
    answers = original.run([[*calls, ("serialize",)]])[0]
    theirs = log_pb2.ProfileProto.FromString(answers[-1].result)
    ours = tfprof.load(graph=graph, run_meta=steps, op_log=log).serialize(compat=True)
    assert log_pb2.ProfileProto.FromString(ours) == theirs
    assert [round(answer.result, 6) for answer in answers[1:3]] == [
        round(tfprof.load(graph=graph, run_meta=steps[: n + 1], op_log=log).coverage, 6)
        for n in range(2)
    ]
