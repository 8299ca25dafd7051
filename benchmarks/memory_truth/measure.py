"""One training step of a model at some batch sizes: memray's peak around it, and its trace.

It is run as a program, as memray needs a process in which nothing else happens:
`python -m benchmarks.memory_truth.measure MODEL FOLDER THREADS BATCH…`.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.memory_truth.models import MODELS, Model


def measure(name: str, folder: Path, threads: int, batches: list[int]) -> None:
    """Write the graph, a RunMetadata of each batch size, and the peaks as `truth.json`."""
    # oneDNN's allocator asks for memory in advance, so that memray sees nothing of the step.
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    tf.compat.v1.disable_eager_execution()
    tf.compat.v1.disable_resource_variables()
    folder.mkdir(parents=True, exist_ok=True)
    model = MODELS[name](tf)
    graph = tf.compat.v1.get_default_graph().as_graph_def(add_shapes=True)
    (folder / "graph.pb").write_bytes(graph.SerializeToString())
    config = tf.compat.v1.ConfigProto(
        intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1
    )
    peaks = {}
    with tf.compat.v1.Session(config=config) as session:
        session.run(tf.compat.v1.global_variables_initializer())
        for batch in batches:
            peaks[batch] = _peak(session, model, batch)
            run = _trace(tf, session, model, batch)
            (folder / f"run_meta_{batch}").write_bytes(run)
    (folder / "truth.json").write_text(json.dumps(peaks))


def _peak(session: Any, model: Model, batch: int) -> int:
    """The most memory that a step allocates, by memray."""
    import memray

    feed = model.feed(batch)
    for _ in range(2):
        session.run(model.train, feed)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "memory.bin"
        with memray.Tracker(file):
            session.run(model.train, feed)
        with memray.FileReader(file) as reader:
            return int(reader.metadata.peak_memory)


def _trace(tf: Any, session: Any, model: Model, batch: int) -> bytes:
    options = tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE)
    run = tf.compat.v1.RunMetadata()
    session.run(model.train, model.feed(batch), options=options, run_metadata=run)
    run.ClearField("partition_graphs")
    data: bytes = run.SerializeToString(deterministic=True)
    return data


if __name__ == "__main__":
    chosen, where, count, *sizes = sys.argv[1:]
    measure(chosen, Path(where), int(count), [int(size) for size in sizes])
