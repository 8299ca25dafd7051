"""Rollups of the records of a worker: steps, devices, histogram and transfers.

    steps       t0, wall, work, wait and arrival of each step
    devices     records and work on each device in each step
    histogram   durations of each node by bucket
    transfers   bytes and time between devices in each step

`work` is the time in which at least one op of the worker's own devices ran that does not only
wait, and `wait` is the rest of the step. `arrival` is where the longest wait begins: with a
barrier, when the worker reaches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.fleet.buckets import bucket_of
from tfprof.fleet.step_records import StepRecords
from tfprof.profiles.grouping import group_offsets
from tfprof.profiles.schema import Array


def make_rollups(steps: Sequence[StepRecords], records: dict[str, Any]) -> dict[str, pa.Table]:
    """The rollups of some steps, whose records are columns sorted by node and step."""
    return {
        "steps": pa.Table.from_pylist([_step(step) for step in steps], schema=_STEPS),
        "devices": pa.Table.from_pylist(
            [row for step in steps for row in _devices(step)], schema=_DEVICES
        ),
        "histogram": _histogram(records),
        "transfers": _transfers(steps),
    }


_STEPS = pa.schema(
    [("step", pa.int32())]
    + [(name, pa.int64()) for name in ("t0", "wall", "work", "wait", "arrival", "bytes", "records")]
)
_HISTOGRAM = pa.schema(
    [("node", pa.int64()), ("device", pa.string()), ("bucket", pa.int16())]
    + [(name, pa.int64()) for name in ("count", "micros", "bytes")]
)
_DEVICES = pa.schema(
    [
        ("step", pa.int32()),
        ("device", pa.string()),
        ("own", pa.bool_()),
        ("records", pa.int64()),
        ("micros", pa.int64()),
        ("work", pa.int64()),
    ]
)
_TRANSFERS = pa.schema(
    [("step", pa.int32()), ("source", pa.string()), ("destination", pa.string())]
    + [(name, pa.int64()) for name in ("bytes", "micros", "transfers")]
)


def _step(step: StepRecords) -> dict[str, int]:
    own = step.own[step.device]
    works = own & ~step.waits
    ends = step.start.astype(np.int64) + step.duration
    wall = int((ends[own] if own.any() else ends).max())
    work, gap_start = busy_time(step.start[works], step.duration[works], wall)
    return {
        "step": step.step,
        "t0": step.t0,
        "wall": wall,
        "work": work,
        "wait": max(wall - work, 0),
        "arrival": step.t0 + gap_start,
        "bytes": int(step.bytes.sum()),
        "records": len(step.node),
    }


def busy_time(start: Array, duration: Array, end: int) -> tuple[int, int]:
    """The time in which at least one interval runs, and where the longest gap before `end` begins.

    Without a gap, that is `end`.
    """
    if not len(start):
        return 0, 0
    order = np.argsort(start, kind="stable")
    start = start[order].astype(np.int64)
    ends = np.maximum.accumulate(start + duration[order])
    following = np.append(start[1:], max(end, int(ends[-1])))
    gaps = np.maximum(following - ends, 0)
    longest = int(np.argmax(gaps))
    gap_start = int(ends[longest]) if gaps[longest] else end
    return int(ends[-1] - start[0] - gaps[:-1].sum()), gap_start


def _devices(step: StepRecords) -> list[dict[str, Any]]:
    rows = []
    order = np.argsort(step.device, kind="stable")
    offsets = group_offsets(step.device, len(step.devices)).tolist()
    for index, device in enumerate(step.devices):
        records = order[offsets[index] : offsets[index + 1]]
        works = records[~step.waits[records]]
        work, _ = busy_time(step.start[works], step.duration[works], 0)
        rows.append(
            {
                "step": step.step,
                "device": device,
                "own": bool(step.own[index]),
                "records": len(records),
                "micros": int(step.duration[works].sum()),
                "work": work,
            }
        )
    return rows


def _histogram(records: dict[str, Any]) -> pa.Table:
    """Count and sum of durations by node, device and bucket."""
    columns = {
        "node": records["node"],
        "device": records["device"],
        "bucket": pa.array(bucket_of(records["duration"])),
        "micros": pa.array(records["duration"].astype(np.int64)),
        "bytes": records["bytes"],
    }
    return merge_histograms(pa.table(columns), count="count")


def merge_histograms(table: pa.Table, *, count: str = "sum") -> pa.Table:
    """One row for each node, device and bucket, sorted. `count` rows, or sum what was counted."""
    keys = ["node", "device", "bucket"]
    counted = ("micros", "count") if count == "count" else ("count", "sum")
    sums = table.group_by(keys, use_threads=False).aggregate(
        [counted, ("micros", "sum"), ("bytes", "sum")]
    )
    sums = sums.rename_columns([*keys, "count", "micros", "bytes"]).cast(_HISTOGRAM)
    return sums.sort_by([(key, "ascending") for key in keys])


def _transfers(steps: Sequence[StepRecords]) -> pa.Table:
    """Bytes, time and number of transfers by step, source and destination."""
    table = pa.concat_tables([step.transfers for step in steps])
    counts = [len(step.transfers) for step in steps]
    numbers = np.repeat(np.array([step.step for step in steps], np.int32), counts)
    keys = ["step", "source", "destination"]
    sums = (
        table.add_column(0, "step", pa.array(numbers))
        .group_by(keys, use_threads=False)
        .aggregate([("bytes", "sum"), ("micros", "sum"), ("micros", "count")])
    )
    sums = sums.rename_columns(_TRANSFERS.names).cast(_TRANSFERS)
    return sums.sort_by([(key, "ascending") for key in keys])
