"""The tables of a store as Ibis expressions, limited to what a question is about."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Any

import pyarrow as pa

from tfprof.errors import LoadError, OptionError
from tfprof.fleet.buckets import EXACT, GAMMA
from tfprof.fleet.engines.engine import Engine
from tfprof.fleet.selection import Selection
from tfprof.fleet.store import (
    ABOUT,
    MANIFEST,
    NODE_SCHEMA,
    NODES,
    Chunk,
    Manifest,
    check_version,
    job_names,
    merged_path,
    parse_manifest,
)

_HISTOGRAM = ["job", "node", "device", "bucket", "count", "micros", "bytes"]


class FleetTables:
    """The tables of a store: rollups where they answer a question, records where they do not."""

    def __init__(self, engine: Engine, store: str, selection: Selection) -> None:
        """Read the manifests of the jobs that are selected."""
        check_version(engine.read_store_file(ABOUT), store)
        self._engine, self.selection = engine, selection
        self._expressions: list[Any] = []
        names = job_names(engine.find_jobs())
        if selection.job:
            names = {folder: name for folder, name in names.items() if name == selection.job}
            if not names:
                known = ", ".join(job_names(engine.find_jobs()).values())
                raise OptionError(f"{store}: has no job '{selection.job}'; it has {known}")
        self._names = names
        manifests = {
            folder: parse_manifest(
                engine.read_store_file(f"{folder}/{MANIFEST}"), f"{store}/{folder}"
            )
            for folder in names
        }
        self._jobs = {folder: m for folder, m in manifests.items() if m.chunks}
        if not self._jobs:
            raise LoadError(f"{store}: has no steps yet; add some with: tfprof fleet ingest")
        if not self._chunks():
            raise OptionError(f"{store}: has no such workers and steps; see --workers and --steps")
        self._nodes: pa.Table | None = None

    def run(self, expression: Any) -> pa.Table:
        """The rows of an expression."""
        self._expressions.append(expression)
        return self._engine.run(expression)

    def make_table(self, rows: pa.Table) -> Any:
        """Rows of this process as a table."""
        return self._engine.make_table(rows)

    def statements(self) -> tuple[str, ...]:
        """The SQL that was run."""
        import ibis

        dialect = self._engine.dialect
        return tuple(str(ibis.to_sql(item, dialect=dialect)) for item in self._expressions)

    def _chunks(self) -> list[tuple[str, Chunk]]:
        """The chunks with some of the workers and steps that are selected, and the job's folder."""
        selected = set(self.selection.select_workers(sorted(self._workers())))
        first, end = self.selection.steps or (0, 2**62)
        return [
            (folder, chunk)
            for folder, manifest in self._jobs.items()
            for chunk in manifest.chunks
            if chunk.worker in selected and any(first <= step < end for step in chunk.steps)
        ]

    @property
    def contents(self) -> dict[str, tuple[set[str], set[int]]]:
        """The workers and steps of each job that are selected."""
        found: dict[str, tuple[set[str], set[int]]] = {}
        first, end = self.selection.steps or (0, 2**62)
        for folder, chunk in self._chunks():
            workers, steps = found.setdefault(self._names[folder], (set(), set()))
            workers.add(chunk.worker)
            steps.update(step for step in chunk.steps if first <= step < end)
        return found

    def _workers(self) -> set[str]:
        return {chunk.worker for m in self._jobs.values() for chunk in m.chunks}

    def rollup(self, table: str) -> Any:
        """A rollup with a row for each worker and step."""
        files = []
        for folder, manifest in self._jobs.items():
            files += _rollup_files(folder, manifest, table)
        return self._limited(self._engine.read_tables(files))

    def _limited(self, table: Any) -> Any:
        """The rows of the workers and steps that are selected."""
        if self.selection.has_workers:
            selected = self.selection.select_workers(sorted(self._workers()))
            table = table.filter(table.worker.isin(selected))
        if self.selection.steps:
            first, end = self.selection.steps
            table = table.filter((table.step >= first) & (table.step < end))
        return table

    def records(self) -> Any:
        """The records."""
        return self._limited(self._read_records(self._chunks()))

    def step_records(self, job: str, step: int, workers: Collection[str]) -> Any:
        """The records of a step of some workers."""
        chunks = [
            (folder, chunk)
            for folder, chunk in self._chunks()
            if self._names[folder] == job and chunk.worker in workers and step in chunk.steps
        ]
        table = self._read_records(chunks)
        return table.filter(table.step == step)

    def _read_records(self, chunks: Iterable[tuple[str, Chunk]]) -> Any:
        return self._engine.read_tables(
            [f"{folder}/{chunk.path('records')}" for folder, chunk in chunks]
        )

    def histogram(self) -> Any:
        """Durations by job, node, device and bucket, of the nodes that are selected."""
        if self.selection.steps:
            table = histogram_of(self.records())
        elif self.selection.has_workers:
            files = [f"{folder}/{chunk.path('histogram')}" for folder, chunk in self._chunks()]
            table = self._engine.read_tables(files)[_HISTOGRAM]
        else:
            table = self._merged_histogram()
        return self.of_nodes(table)

    def _merged_histogram(self) -> Any:
        merged = [f for f in self._histogram_files() if "worker=" not in f]
        others = [f for f in self._histogram_files() if "worker=" in f]
        parts = [self._engine.read_tables(files)[_HISTOGRAM] for files in (merged, others) if files]
        return parts[0] if len(parts) == 1 else parts[0].union(parts[1])

    def _histogram_files(self) -> list[str]:
        return [file for f, m in self._jobs.items() for file in _rollup_files(f, m, "histogram")]

    def of_nodes(self, table: Any) -> Any:
        """The rows of the nodes that are selected."""
        if not self.selection.has_nodes:
            return table
        rows = self.selection.select_nodes(self.node_rows())
        if not len(rows):
            raise OptionError("no node of the store matches the regexes; see `tfprof fleet ops`")
        selected = self.make_table(rows.select(["job", "node"]))
        return table.semi_join(selected, ["job", "node"])

    def nodes(self) -> Any:
        """Name, op and code of each node of each job."""
        return self._engine.read_tables([f"{folder}/{NODES}" for folder in self._jobs])

    def node_rows(self) -> pa.Table:
        """The same as Arrow."""
        if self._nodes is None:
            self._nodes = self._engine.run(self.nodes()).cast(NODE_SCHEMA)
        return self._nodes


def _rollup_files(folder: str, manifest: Manifest, table: str) -> list[str]:
    """The files of a rollup: that of merged chunks, and of each that is not merged yet."""
    merged = [f"{folder}/{merged_path(table, manifest.merged)}"] if manifest.merged else []
    return merged + [f"{folder}/{c.path(table)}" for c in manifest.chunks[manifest.merged :]]


def histogram_of(records: Any) -> Any:
    """The histogram of records, as ingest computes it."""
    import ibis

    micros = records.duration
    above = (micros.cast("float64") / EXACT).ln() / math.log(GAMMA)
    bucket = ibis.ifelse(micros < EXACT, micros, EXACT + above.floor().cast("int32"))
    table = records.mutate(bucket=bucket.cast("int16"))
    return table.group_by(_HISTOGRAM[:4]).aggregate(
        count=table.count(),
        micros=table.duration.cast("int64").sum().cast("int64"),
        bytes=table.bytes.sum().cast("int64"),
    )


def micros_of(bucket: Any) -> Any:
    """The middle of a bucket, in microseconds."""
    import ibis

    middle = EXACT * ibis.literal(GAMMA) ** (bucket.cast("float64") - EXACT + 0.5)
    return ibis.ifelse(bucket < EXACT, bucket.cast("float64"), middle).round().cast("int64")
