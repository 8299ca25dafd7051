"""Trace steps of a TensorFlow cluster: two parameter servers, workers that train a small ResNet.

    python -m benchmarks.fleet.cluster OUT --workers 2 --steps 6

writes OUT/graph.pb, OUT/tfprof_log and OUT/worker_<i>/run_meta_<step>. Every server is a process of
its own, on the loopback address. Each worker has its own session and its own copy of the model, as
in between-graph replication; variables are spread over the servers.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tfprof.protos.log_pb2 import OpLogProto

SERVERS = 2
_PLACES = rf"^(.*/site-packages/|.*/lib/(?=python3)|{re.escape(str(Path(__file__).parents[2]))}/)"
"""Where this machine has packages, Python and this program."""
_BATCH, _SIZE, _CHANNELS = 4, 16, 8


def trace_cluster(out: Path, *, workers: int = 2, steps: int = 6, blocks: int = 4) -> None:
    """Run a cluster until each worker has traced its steps."""
    ports = _free_ports(SERVERS + workers)
    addresses = [f"127.0.0.1:{port}" for port in ports]
    cluster = {"ps": addresses[:SERVERS], "worker": addresses[SERVERS:]}
    out.mkdir(parents=True, exist_ok=True)
    servers = [_start(cluster, "ps", task) for task in range(SERVERS)]
    try:
        settings = [str(out), str(steps), str(blocks)]
        running = [_start(cluster, "worker", task, *settings) for task in range(workers)]
        statuses = [worker.wait() for worker in running]
    finally:
        for server in servers:
            server.kill()
            server.wait()
    if any(statuses):
        raise RuntimeError(f"workers ended with {statuses}")


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [server.getsockname()[1] for server in sockets]
    for server in sockets:
        server.close()
    return ports


def _start(cluster: dict[str, list[str]], job: str, task: int, *settings: str) -> Any:
    command = [sys.executable, "-m", "benchmarks.fleet.cluster", "--as", job, str(task)]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "2"}
    return subprocess.Popen([*command, json.dumps(cluster), *settings], env=environment)


def _serve(job: str, task: int, cluster: dict[str, list[str]], settings: Sequence[str]) -> None:
    import tensorflow as tf

    config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1)
    server = tf.distribute.Server(
        tf.train.ClusterSpec(cluster), job_name=job, task_index=task, config=config
    )
    if job == "ps":
        server.join()
        return
    out, steps, blocks = settings
    _train(server.target, task, Path(out), steps=int(steps), blocks=int(blocks))


def _train(target: str, task: int, out: Path, *, steps: int, blocks: int) -> None:
    """Train and trace; the first worker writes the graph and the op log."""
    import tensorflow as tf

    import tfprof

    tf1 = tf.compat.v1
    tf1.disable_eager_execution()
    setter = tf1.train.replica_device_setter(
        SERVERS, worker_device=f"/job:worker/task:{task}", ps_strategy=_server_of
    )
    with tf1.device(setter):
        loss = _model(tf, blocks)
        train = tf1.train.GradientDescentOptimizer(0.01).minimize(loss)
        initialize = tf1.global_variables_initializer()
    folder = out / f"worker_{task}"
    folder.mkdir(exist_ok=True)
    if task == 0:
        (out / "graph.pb").write_bytes(tf1.get_default_graph().as_graph_def().SerializeToString())
        tfprof.write_op_log(tf1.get_default_graph(), str(out))
        make_neutral(out / "tfprof_log")
    options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
    with tf1.Session(target) as session:
        session.run(initialize)
        for _ in range(3):
            session.run(train)
        for step in range(steps):
            metadata = tf1.RunMetadata()
            session.run(train, options=options, run_metadata=metadata)
            (folder / f"run_meta_{step}").write_bytes(metadata.SerializeToString())


def make_neutral(path: Path) -> None:
    """Make the paths in an op log relative."""
    log = OpLogProto.FromString(path.read_bytes())
    for key, text in log.id_to_string.items():
        log.id_to_string[key] = re.sub(_PLACES, "", text)
    path.write_bytes(log.SerializeToString(deterministic=True))


def _server_of(variable: Any) -> int:
    """The server of a variable: those of even and of odd blocks are on one each."""
    digits = "".join(filter(str.isdigit, variable.name.partition("/")[0]))
    return int(digits or 0) % SERVERS


def _model(tf: Any, blocks: int) -> Any:
    """The loss of a small ResNet for random images."""
    tf1 = tf.compat.v1
    images = tf1.random_normal([_BATCH, _SIZE, _SIZE, _CHANNELS])
    labels = tf1.random_uniform([_BATCH], 0, 10, dtype=tf.int64)
    net = images
    for i in range(blocks):
        with tf1.variable_scope(f"block{i}"):
            net = net + _convolution(tf, tf.nn.relu(_convolution(tf, net, "conv1")), "conv2")
    pooled = tf.reduce_mean(net, [1, 2])
    with tf1.variable_scope("logits"):
        weights = tf1.get_variable("weights", [_CHANNELS, 10])
        logits = tf.matmul(pooled, weights)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_mean(losses)


def _convolution(tf: Any, images: Any, name: str) -> Any:
    with tf.compat.v1.variable_scope(name):
        kernel = tf.compat.v1.get_variable("kernel", [3, 3, _CHANNELS, _CHANNELS])
        bias = tf.compat.v1.get_variable("bias", [_CHANNELS])
        return tf.nn.bias_add(tf.nn.conv2d(images, kernel, 1, "SAME"), bias)


def main() -> None:
    """Run a cluster, or one of its servers."""
    if sys.argv[1:2] == ["--as"]:
        job, task, cluster, *settings = sys.argv[2:]
        _serve(job, int(task), json.loads(cluster), settings)
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--blocks", type=int, default=4)
    arguments = parser.parse_args()
    trace_cluster(
        arguments.out, workers=arguments.workers, steps=arguments.steps, blocks=arguments.blocks
    )


if __name__ == "__main__":
    main()
