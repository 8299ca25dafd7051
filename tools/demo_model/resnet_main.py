"""Train the residual network for a few steps and write what tfprof reads.

Into --train_dir go graph.pb, run_meta_0 and run_meta_1 (the last two steps, traced),
tfprof_log and the checkpoint model.ckpt.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import resnet_input
import resnet_model
import tensorflow.compat.v1 as tf
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.core.protobuf import rewriter_config_pb2

BATCH_SIZE = 128


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train_dir", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=40)
    flags = parser.parse_args()
    tf.disable_resource_variables()
    with tf.Graph().as_default():
        tf.set_random_seed(32)
        train(flags.train_dir, flags.steps)


def train(train_dir: Path, steps: int) -> None:
    """Build the model, train it, and write the profile."""
    images, labels = resnet_input.batches(BATCH_SIZE)
    model = resnet_model.ResNet(images, labels, resnet_model.Settings())
    model.build_graph()
    saver = tf.train.Saver()
    start = tf.global_variables_initializer()
    with tf.Session(config=_config()) as session:
        session.run(start)
        (train_dir / "graph.pb").write_bytes(
            session.graph.as_graph_def(add_shapes=True).SerializeToString(deterministic=True)
        )
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        traced = {steps - 2: "run_meta_0", steps - 1: "run_meta_1"}
        for step in range(steps):
            if step in traced:
                run_meta = _traced_step(session, model.train_op)
                (train_dir / traced[step]).write_bytes(run_meta.SerializeToString())
            else:
                _, cost = session.run([model.train_op, model.cost])
                print(f"step {step}: cost {cost:.3f}")
        _write_op_log(session.graph, train_dir, run_meta)
        saver.save(session, str(train_dir / "model.ckpt"), write_meta_graph=False)
        coordinator.request_stop()
        coordinator.join(threads, ignore_live_threads=True, stop_grace_period_secs=5)


def _config() -> tf.ConfigProto:
    """One thread, and no rewriting of the graph, so that the trace has the model's own names."""
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.rewrite_options.constant_folding = rewriter_config_pb2.RewriterConfig.OFF
    return config


def _traced_step(session: tf.Session, train_op: tf.Operation) -> tf.RunMetadata:
    run_meta = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    session.run(train_op, options=options, run_metadata=run_meta)
    return run_meta


def _write_op_log(graph: tf.Graph, train_dir: Path, run_meta: tf.RunMetadata) -> None:
    """Code traces and float operations, and a type of our own for the last layer's variables."""
    op_log = tfprof_log_pb2.OpLogProto()
    for variable in ("pool_logit/DW", "pool_logit/biases"):
        op_log.log_entries.add(name=variable, types=["pool_logit"])
    tf.profiler.write_op_log(graph, str(train_dir), op_log, run_meta)


if __name__ == "__main__":
    main()
