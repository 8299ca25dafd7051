"""The records of one step of one worker, as they go into a store: work, and transfers apart.

A record of a RunMetadata is a run of a node on a device, or a transfer: `RecvTensor`, whose label
has bytes, source and destination, or a copy between host and device. Most of the duration of a
transfer is waiting for what is sent.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.integers import INT32_MAX
from tfprof.definitions.limits import MAX_DEVICE_NAME
from tfprof.definitions.quirks import REPAIRED
from tfprof.errors import LoadError
from tfprof.loaders.fleet_run import FleetRun, read_fleet_run
from tfprof.profiles.add_rows import COPY
from tfprof.profiles.devices import device_rules
from tfprof.profiles.schema import Array, BoolArray

SERVER_JOB = "ps"
"""The job of parameter servers."""
WAITING_OPS = frozenset(
    name
    for names in (
        "_Recv _HostRecv _RecvV2 Recv HostRecv QueueEnqueue QueueEnqueueV2 QueueDequeue",
        "QueueDequeueV2 QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2",
        "Barrier BarrierTakeMany MutexLock AccumulatorTakeGradient NcclAllReduce",
        "ResourceAccumulatorTakeGradient SparseAccumulatorTakeGradient",
        "CollectiveReduce CollectiveReduceV2 CollectiveReduceV3 CollectiveGather",
        "CollectiveGatherV2 CollectiveBcastRecv CollectiveBcastRecvV2 CollectiveAllToAllV2",
        "IteratorGetNext IteratorGetNextSync",
    )
    for name in names.split()
)
"""Op types that mostly wait: for other workers, for a queue, for input."""
_NOT_NODES = ("_SOURCE", "_SINK")
_RECEIVE = "RecvTensor"
_TASK = re.compile(r"/job:([^/]+)(?:/replica:\d+)?/task:(\d+)", re.ASCII)
_OP = re.compile(r" = ([^\s(]+)\(")
_TRANSFERS = pa.schema(
    [("source", pa.string()), ("destination", pa.string())]
    + [(name, pa.int64()) for name in ("bytes", "micros")]
)
NO_TRANSFERS = _TRANSFERS.empty_table()


@dataclass(frozen=True, slots=True, eq=False)
class StepRecords:
    """The records of a step: columns with a row each, and its transfers.

    `start` is from `t0`, in microseconds since the epoch. `device` is an index in `devices`, and
    `own` says which of these are the worker's.
    """

    step: int
    t0: int
    node: Array
    device: Array
    start: Array
    duration: Array
    bytes: Array
    peak: Array
    output_bytes: Array
    waits: BoolArray
    devices: tuple[str, ...]
    own: BoolArray
    transfers: pa.Table


@dataclass(slots=True)
class NodeNames:
    """The nodes that a process has met: names of records to ids, which are the same everywhere.

    An id is a hash of the name, so that processes need not agree, and jobs share ids.
    """

    nodes: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Id -> name and op type."""
    _known: pa.Array = field(default_factory=lambda: pa.array([], pa.string()))
    _id: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    _waits: BoolArray = field(default_factory=lambda: np.zeros(0, bool))

    def find(self, names: pa.Array, ops: pa.Array) -> tuple[Array, BoolArray]:
        """The id of each name, and whether its op type mostly waits. `ops` may have labels."""
        index = pc.index_in(names, value_set=self._known)
        if index.null_count:
            self._add(names, ops, index)
            index = pc.index_in(names, value_set=self._known)
        rows = index.to_numpy()
        return self._id[rows], self._waits[rows]

    def _add(self, names: pa.Array, ops: pa.Array, index: pa.Array) -> None:
        new = index.is_null()
        texts = dict(zip(names.filter(new).to_pylist(), ops.filter(new).to_pylist(), strict=True))
        ids, waits = [], []
        for text, label in texts.items():
            name = text.partition(":")[0]
            match = _OP.search(label)
            op = match[1] if match else label if label and " " not in label else name
            ids.append(node_id(name))
            waits.append(op in WAITING_OPS)
            self.nodes.setdefault(ids[-1], (name, op))
        self._known = pa.concat_arrays([self._known, pa.array(texts, pa.string())])
        self._id = np.concatenate([self._id, np.array(ids, np.int64)])
        self._waits = np.concatenate([self._waits, np.array(waits, bool)])


def node_id(name: str) -> int:
    """The id of a node: 62 bits of a hash of its name."""
    digest = hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 2


def read_step(path: Path, step: int, names: NodeNames) -> StepRecords:
    """The records of a RunMetadata that count, with nodes and short device names."""
    run = read_fleet_run(path)
    check_devices(path, run.devices)
    rules = device_rules(tuple(run.devices), REPAIRED)
    receives = pc.equal(run.name, _RECEIVE).to_numpy(zero_copy_only=False)
    copies = pc.match_substring(run.name, COPY).to_numpy(zero_copy_only=False)
    is_node = ~pc.is_in(run.name, value_set=pa.array(_NOT_NODES)).to_numpy(zero_copy_only=False)
    started, counts = run.start > 0, (rules.counts | rules.accelerator)[run.device]
    rows = np.flatnonzero(started & counts & is_node & ~receives & ~copies)
    if not len(rows):
        raise LoadError(
            f"{path}: has no records; trace the step with RunOptions(trace_level=FULL_TRACE)"
        )
    own_task = _own_task(run, rows)
    short = [short_device(device, own_task) for device in run.devices]
    devices = sorted(set(short))
    own = np.array([not is_other_task(name) for name in devices], bool)
    index = {name: i for i, name in enumerate(devices)}
    device = np.array([index[name] for name in short], np.int32)[run.device[rows]]
    node, waits = names.find(run.name.take(pa.array(rows)), run.label.take(pa.array(rows)))
    start = run.start[rows]
    # Clocks of other hosts may differ, so a step begins with the worker's own first record.
    t0 = int((start[own[device]] if own[device].any() else start).min())
    return StepRecords(
        step,
        t0,
        node,
        device,
        np.clip(start - t0, -INT32_MAX, INT32_MAX).astype(np.int32),
        run.duration[rows].astype(np.int32),
        run.bytes[rows],
        run.peak[rows],
        run.output_bytes[rows],
        waits,
        tuple(devices),
        own,
        _transfers(run, started & receives, started & copies, own_task),
    )


def check_devices(path: Path, devices: Iterable[str]) -> None:
    """Raise an error if a device has too long a name to be in each record."""
    longest = max(devices, key=len, default="")
    if len(longest) > MAX_DEVICE_NAME:
        raise LoadError(
            f"{path}: device '{longest[:40]}...' has {len(longest):,} characters, more than "
            f"{MAX_DEVICE_NAME:,}; shorten it"
        )


def _own_task(run: FleetRun, rows: Array) -> tuple[str, str] | None:
    """The job and task that most records are of, parameter servers aside."""
    counts = np.bincount(run.device[rows], minlength=len(run.devices))
    totals: dict[tuple[str, str], int] = {}
    for device, count in zip(run.devices, counts.tolist(), strict=True):
        match = _TASK.search(device)
        if match and match[1] != SERVER_JOB:
            totals[match[1], match[2]] = totals.get((match[1], match[2]), 0) + count
    return max(sorted(totals), key=totals.__getitem__) if totals else None


def short_device(device: str, own: tuple[str, str] | None) -> str:
    """`cpu:0` of the worker itself, `ps:1/cpu:0` of another task."""
    match = _TASK.search(device)
    local = device[match.end() :] if match else device
    local = local.lower().removeprefix("/").removeprefix("device:").replace("/device:", "/")
    if match is None or (match[1], match[2]) == own:
        return local or device
    return f"{match[1]}:{match[2]}/{local}"


def is_other_task(device: str) -> bool:
    """Whether a short device name is of another task."""
    return re.match(r"[^/:]+:\d+/", device) is not None and "stream" not in device


def _transfers(
    run: FleetRun, is_receive: BoolArray, is_copy: BoolArray, own: tuple[str, str] | None
) -> pa.Table:
    """Source, destination, bytes and time of each transfer."""
    receives, copies = np.flatnonzero(is_receive), np.flatnonzero(is_copy)
    # `[2304B] edge_7_weights/read from /job:ps/… to /job:worker/…`
    parts = pc.split_pattern(run.label.take(pa.array(receives)), " ", max_splits=4, reverse=True)
    known = pc.equal(pc.list_value_length(parts), 5)
    rows = receives[known.to_numpy(zero_copy_only=False)]
    parts, kinds = parts.filter(known), _copy_kinds(run, copies)
    ends = [
        pa.concat_arrays([_short_devices(pc.list_element(parts, index), own), of_copies])
        for index, of_copies in zip((2, 4), kinds, strict=True)
    ]
    rows = np.concatenate([rows, copies])
    columns = [*ends, run.output_bytes[rows], run.duration[rows].astype(np.int64)]
    return pa.table(columns, schema=_TRANSFERS)


def _short_devices(devices: pa.Array, own: tuple[str, str] | None) -> pa.Array:
    codes = devices.dictionary_encode()
    short = [short_device(device, own) for device in codes.dictionary.to_pylist()]
    return pa.array(short, pa.string()).take(codes.indices)


def _copy_kinds(run: FleetRun, copies: Array) -> tuple[pa.Array, pa.Array]:
    """Source and destination of copies such as MEMCPYHtoD; one of another kind is on the device."""
    ends = {"HtoD": ("host", "device"), "DtoH": ("device", "host")}
    names = run.name.take(pa.array(copies)).to_pylist()
    pairs = [ends.get(name.partition(COPY)[2][:4], ("device", "device")) for name in names]
    first, second = ([pair[i] for pair in pairs] for i in (0, 1))
    return pa.array(first, pa.string()), pa.array(second, pa.string())
