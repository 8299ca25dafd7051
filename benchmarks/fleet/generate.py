"""Stores of many workers and steps, made from steps that a real cluster traced.

    python -m benchmarks.fleet.generate TRACES STORE --workers 20 --steps 50 --fault straggler

`TRACES` is what `benchmarks.fleet.cluster` wrote. Each step of each worker is one of the traced
steps, with every duration near its node's median, shaken by a few percent. Workers wait for each
other at a barrier. `FAULTS` are what `tfprof fleet` has to find.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from tfprof.fleet.chunks import chunk_tables, write_table
from tfprof.fleet.ingestion import STEPS_PER_FILE
from tfprof.fleet.merge import merge_rollups
from tfprof.fleet.node_table import NodeTable, read_model
from tfprof.fleet.sources import find_sources
from tfprof.fleet.step_records import NodeNames, StepRecords, node_id, read_step
from tfprof.fleet.store import NODES, Chunk, JobWriter, open_job

TOKEN = "sync_token"
_NOISE, _WORKER_NOISE = 0.05, 0.01
_USUAL = 0.15
"""How much the wall time of a traced step may differ from the median to be used."""
_PAUSE = 200
"""Microseconds between the last arrival at the barrier and its release."""


class Faults:
    """What is wrong with a job, and whom it hits."""

    STRAGGLER, ONE_OFF, SERVER, STEP = "worker_7", "worker_3", "ps:1/cpu:0", 13

    def __init__(self, names: Iterable[str]) -> None:
        """Faults by name."""
        self.names = frozenset(names)
        unknown = self.names - set(FAULTS)
        if unknown:
            raise ValueError(f"unknown faults {sorted(unknown)}; known are {sorted(FAULTS)}")

    def work_factor(self, worker: str, step: int, steps: int) -> float:
        """How much longer all ops of a worker take in a step."""
        factor = 1.0
        if "straggler" in self.names and worker == self.STRAGGLER:
            factor *= 1.5
        if "one_off" in self.names and worker == self.ONE_OFF and step == self.STEP:
            factor *= 2.0
        if "slower" in self.names and step >= steps // 2:
            factor *= 1.5
        return factor


FAULTS = {
    "straggler": f"{Faults.STRAGGLER} works 1.5 times as long in all steps",
    "one_off": f"{Faults.ONE_OFF} works twice as long in step {Faults.STEP}",
    "slow_server": f"ops on {Faults.SERVER} take 4 times as long",
    "slow_op": "the costliest node takes 20 times as long in one run of 20",
    "slow_step": f"the second costliest node takes a whole step longer in step {Faults.STEP}",
    "slower": "all ops take 1.5 times as long in the second half of the steps",
}


class TracedSteps:
    """Steps of a cluster, without outliers."""

    def __init__(self, folder: Path) -> None:
        """Read all traced steps of a folder."""
        self.folder, self.names = folder, NodeNames()
        sources = [source for source in find_sources([folder]) if source.is_run]
        steps = [read_step(s.path, s.step, self.names) for s in sources]
        medians, walls = _medians(steps), [_wall(step) for step in steps]
        most, usual = max(len(step.node) for step in steps), float(np.median(walls))
        kept = [
            step
            for step, wall in zip(steps, walls, strict=True)
            if len(step.node) == most and abs(wall / usual - 1) <= _USUAL
        ]
        self.steps = [_tame(step, medians) for step in kept or steps[:1]]
        first = self.steps[0]
        own = first.own[first.device] & ~first.waits
        order = np.argsort(-first.duration[own], kind="stable")
        self.costliest, self.second = first.node[own][order[:2]].tolist()

    @property
    def step_micros(self) -> int:
        """How long a step takes."""
        return _wall(self.steps[0])


def _wall(step: StepRecords) -> int:
    return int((step.start.astype(np.int64) + step.duration).max())


def _medians(steps: list[StepRecords]) -> dict[int, float]:
    node = np.concatenate([step.node for step in steps])
    duration = np.concatenate([step.duration for step in steps])
    order = np.argsort(node, kind="stable")
    distinct, first = np.unique(node[order], return_index=True)
    parts = np.split(duration[order], first[1:])
    return {int(n): float(np.median(part)) for n, part in zip(distinct, parts, strict=True)}


def _tame(step: StepRecords, medians: dict[int, float]) -> StepRecords:
    """A step without outliers: on a busy machine some ops take 20 times their median."""
    median = np.array([medians[node] for node in step.node.tolist()])
    return _with_durations(step, np.clip(step.duration, median / 1.2, median * 1.2))


def _with_durations(step: StepRecords, duration: np.ndarray) -> StepRecords:
    """Other durations; what starts later on the same device is moved."""
    duration = np.maximum(np.round(duration), 1).astype(np.int32)
    start = step.start.astype(np.int64)
    for device in range(len(step.devices)):
        rows = np.flatnonzero(step.device == device)
        rows = rows[np.argsort(start[rows], kind="stable")]
        more = np.cumsum(duration[rows].astype(np.int64) - step.duration[rows])
        start[rows[1:]] += more[:-1]
    start = np.maximum(start, 0).astype(np.int32)
    return replace(step, start=start, duration=duration)


def generate(
    traced: TracedSteps,
    store: Path,
    *,
    workers: int,
    steps: int,
    faults: Iterable[str] = (),
    job: str = "train",
    seed: int = 1,
    copies: int = 1,
) -> int:
    """Write a job into a store, and return how many records it has.

    With `copies`, so many workers have the same records, which saves most of the time.
    """
    wrong = Faults(faults)
    names = [f"worker_{i}" for i in range(workers)]
    rng = np.random.default_rng(seed)
    factor = np.exp(rng.normal(0, _WORKER_NOISE, (workers, steps)))
    factor *= [[wrong.work_factor(w, s, steps) for s in range(steps)] for w in names]
    base = rng.integers(0, len(traced.steps), steps)
    total = 0
    model = read_model(traced.folder / "graph.pb", traced.folder / "tfprof_log")
    with open_job(store, job) as writer:
        nodes = NodeTable(writer.folder / NODES, job, model)
        token = node_id(TOKEN)
        nodes.add({**traced.names.nodes, token: (TOKEN, "QueueDequeueV2")})
        nodes.write()
        arrivals = _arrivals(traced, base, factor, wrong)
        for i in range(0, workers, copies):
            for window in range(0, steps, STEPS_PER_FILE):
                numbers = range(window, min(window + STEPS_PER_FILE, steps))
                records = [
                    _worker_step(
                        traced,
                        traced.steps[base[s]],
                        s,
                        factor=factor[i, s],
                        barrier=int(arrivals[s]),
                        faults=wrong,
                        rng=np.random.default_rng((seed, i, s)),
                    )
                    for s in numbers
                ]
                tables = chunk_tables(job, names[i], records)
                for worker in names[i : i + copies]:
                    total += _write_chunk(writer, worker, tuple(numbers), tables)
        merge_rollups(writer, job)
    return total


def _write_chunk(
    writer: JobWriter, worker: str, steps: tuple[int, ...], tables: dict[str, pa.Table]
) -> int:
    """Write tables as those of a worker, and return how many records they have."""
    chunk = Chunk(worker, steps, len(tables["records"]))
    (writer.folder / chunk.path("records")).parent.mkdir(exist_ok=True)
    files = {name: writer.folder / f".tfprof.{name}" for name in tables}
    for name, table in tables.items():
        codes = pa.array(np.zeros(len(table), np.int8))
        workers = pa.DictionaryArray.from_arrays(codes, pa.array([worker]))
        index = table.column_names.index("worker")
        write_table(table.set_column(index, "worker", workers), files[name])
    writer.add(chunk, files)
    return chunk.records


def _arrivals(
    traced: TracedSteps, base: np.ndarray, factor: np.ndarray, faults: Faults
) -> np.ndarray:
    """When the last worker arrives at the barrier of each step."""
    own_end, own_work = [], []
    for step in traced.steps:
        own = step.own[step.device]
        own_end.append(int((step.start + step.duration)[own].max()))
        own_work.append(int(step.duration[own & ~step.waits].sum()))
    end = np.array(own_end)[base] + np.array(own_work)[base] * (factor.max(axis=0) - 1)
    if "slow_op" in faults.names:
        end = end + traced.step_micros
    if "slow_step" in faults.names:
        end[Faults.STEP] += traced.step_micros
    return end + _PAUSE


def _worker_step(
    traced: TracedSteps,
    step: StepRecords,
    number: int,
    *,
    factor: float,
    barrier: int,
    faults: Faults,
    rng: np.random.Generator,
) -> StepRecords:
    """A step of one worker: shaken, with what is wrong, and the wait at the barrier."""
    own = step.own[step.device]
    noise = np.exp(rng.normal(0, _NOISE, len(step.node)))
    noise[own] *= factor * step.duration[own].sum() / (step.duration[own] * noise[own]).sum()
    duration = step.duration * noise
    transfers = step.transfers
    if "slow_server" in faults.names:
        server = step.devices.index(Faults.SERVER)
        duration = np.where(step.device == server, 4 * duration, duration)
    if "slow_op" in faults.names and rng.random() < 1 / 20:
        duration = np.where(step.node == traced.costliest, 20 * duration, duration)
    if "slow_step" in faults.names and number == Faults.STEP:
        extra = traced.step_micros / (step.node == traced.second).sum()
        duration = np.where(step.node == traced.second, duration + extra, duration)
    step = _with_durations(step, duration)
    end = int((step.start.astype(np.int64) + step.duration)[own].max())
    row = {
        "node": node_id(TOKEN),
        "device": step.devices.index("cpu:0"),
        "start": end,
        "duration": max(barrier - end, 1),
        "bytes": 0,
        "peak": 0,
        "output_bytes": 0,
        "waits": True,
    }
    columns = {
        name: np.append(getattr(step, name), np.array([value], getattr(step, name).dtype))
        for name, value in row.items()
    }
    t0 = 1_700_000_000_000_000 + number * 10 * traced.step_micros
    return replace(step, step=number, t0=t0, transfers=_shake(transfers, rng), **columns)


def _shake(transfers: pa.Table, rng: np.random.Generator) -> pa.Table:
    micros = transfers.column("micros").to_numpy() * np.exp(rng.normal(0, _NOISE, len(transfers)))
    index = transfers.column_names.index("micros")
    return transfers.set_column(index, "micros", pa.array(micros.astype(np.int64)))


def main() -> None:
    """Write a store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("traces", type=Path)
    parser.add_argument("store", type=Path)
    parser.add_argument("--workers", type=int, default=20)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--job", default="train")
    parser.add_argument("--fault", action="append", default=[], choices=sorted(FAULTS))
    arguments = parser.parse_args()
    records = generate(
        TracedSteps(arguments.traces),
        arguments.store,
        workers=arguments.workers,
        steps=arguments.steps,
        faults=arguments.fault,
        job=arguments.job,
        copies=arguments.copies,
    )
    print(f"{records:,} records")


if __name__ == "__main__":
    main()
