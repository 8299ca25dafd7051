"""Traced steps of workers that no TensorFlow has to run: records of ops, waits and transfers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tfprof.protos.run_metadata_pb2 import RunMetadata

OPS = (("a/MatMul", "MatMul", 300), ("b/Relu", "Relu", 40), ("b/MatMul", "MatMul", 200))
START = 1_700_000_000_000_000
SERVERS = 2


def make_step(
    worker: int, step: int, *, ops: Sequence[tuple[str, str, int]] = OPS, barrier: int = 0
) -> RunMetadata:
    """A step: variables come from two servers, ops run one after the other.

    At a `barrier`, so many microseconds after the start, a token arrives from a queue.
    """
    run = RunMetadata()
    own = f"/job:worker/replica:0/task:{worker}/device:CPU:0"
    t0 = now = START + 100_000 * step
    devices = {
        name: run.step_stats.dev_stats.add(device=name) for name in (own, *map(server, (0, 1)))
    }
    for task in range(SERVERS):
        label = f"v{task}/read = ReadVariableOp(v{task})"
        devices[server(task)].node_stats.add(
            node_name=f"v{task}/read",
            all_start_micros=t0,
            op_end_rel_micros=7,
            timeline_label=label,
        )
        receive = devices[own].node_stats.add(
            node_name="RecvTensor", all_start_micros=t0, op_end_rel_micros=50 + task
        )
        receive.timeline_label = f"[4000B] [9Mb/s] edge_3_v{task}/read from {server(task)} to {own}"
        tensor = receive.output.add().tensor_description
        tensor.allocation_description.requested_bytes = 4000
    for name, op, micros in ops:
        record = devices[own].node_stats.add(
            node_name=name, all_start_micros=now, op_end_rel_micros=micros
        )
        record.timeline_label = f"{name} = {op}(x)"
        record.memory.add(allocator_name="cpu", total_bytes=1000, peak_bytes=1000)
        now += micros
    if barrier:
        record = devices[own].node_stats.add(
            node_name="token", all_start_micros=now, op_end_rel_micros=t0 + barrier - now
        )
        record.timeline_label = "token = QueueDequeueV2(q)"
    return run


def server(task: int) -> str:
    """The device of a parameter server."""
    return f"/job:ps/replica:0/task:{task}/device:CPU:0"


def write_traces(folder: Path, *, workers: int = 3, steps: int = 4) -> Path:
    """A folder per worker with a file per step; durations differ a little."""
    for worker in range(workers):
        (folder / f"worker_{worker}").mkdir(parents=True, exist_ok=True)
        for step in range(steps):
            ops = [(name, op, micros + worker + 2 * step) for name, op, micros in OPS]
            path = folder / f"worker_{worker}" / f"run_meta_{step}"
            path.write_bytes(make_step(worker, step, ops=ops).SerializeToString())
    return folder
