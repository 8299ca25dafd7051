"""The traffic of a job as a matrix: bytes from each device to each other one.

Devices of other tasks have a row each. Those of the workers themselves are named by their worker.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tfprof.definitions.units import FORMATS
from tfprof.fleet.page.cells import Groups, natural_key
from tfprof.fleet.step_records import is_other_task
from tfprof.fleet.tables import FleetTables

ENDS = 32
"""Rows of workers at most, and of devices of other tasks."""


def traffic_of_jobs(tables: FleetTables) -> dict[str, dict[str, Any]]:
    """The matrix of each job that has transfers."""
    transfers = tables.rollup("transfers")
    sums = transfers.group_by(["job", "worker", "source", "destination"]).aggregate(
        bytes=transfers.bytes.sum().cast("int64"),
        transfers=transfers.transfers.sum().cast("int64"),
    )
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in tables.run(sums).to_pylist():
        rows.setdefault(row["job"], []).append(row)
    return {job: _matrix(of_job) for job, of_job in rows.items()}


def _matrix(transfers: list[dict[str, Any]]) -> dict[str, Any]:
    """Sums by the endpoints of source and destination."""
    endpoints = _Endpoints(transfers)
    ends = [
        (
            endpoints.find(row["worker"], row["source"]),
            endpoints.find(row["worker"], row["destination"]),
        )
        for row in transfers
    ]
    sources, destinations = (sorted(set(end)) for end in zip(*ends, strict=True))
    size, count = (np.zeros((len(sources), len(destinations)), np.int64) for _ in range(2))
    for row, (source, destination) in zip(transfers, ends, strict=True):
        cell = sources.index(source), destinations.index(destination)
        size[cell] += row["bytes"]
        count[cell] += row["transfers"]
    total = int(size.sum())
    return {
        "rows": [endpoints.labels[row] for row in sources],
        "columns": [endpoints.labels[row] for row in destinations],
        "bytes": size.ravel().tolist(),
        "sizes": [_size(part) for part in size.ravel().tolist()],
        "texts": [_text(int(a), int(b), total) for a, b in zip(size.flat, count.flat, strict=True)],
        "total": f"{_size(total)} in {int(count.sum()):,} transfers",
        "note": endpoints.note,
    }


def _size(size: int) -> str:
    return f"{size / 1e6:,.2f}MB" if size >= 10**6 else FORMATS["memory"](size)


def _text(size: int, count: int, total: int) -> str:
    if not count:
        return "no transfers"
    share = f", {size / total:.1%} of all" if total else ""
    return f"{_size(size)} in {count:,} transfers{share}"


class _Endpoints:
    """Rows for devices of other tasks first, then for the workers' own."""

    def __init__(self, transfers: Iterable[dict[str, Any]]) -> None:
        devices = {row[end] for row in transfers for end in ("source", "destination")}
        others = sorted(filter(is_other_task, devices), key=natural_key)
        self._own = sorted(devices - set(others), key=natural_key)
        names = sorted({row["worker"] for row in transfers}, key=natural_key)
        workers = Groups(names, max(ENDS // max(len(self._own), 1), 1))
        of_others = Groups(others, ENDS)
        self._row = dict(zip(others, of_others.index.tolist(), strict=True))
        self._first = len(of_others)
        self._worker = dict(zip(names, workers.index.tolist(), strict=True))
        self.labels = [*of_others.labels(), *self._own_labels(workers)]
        shared = workers.largest > 1 or of_others.largest > 1
        self.note = "neighbours share a row, so that the page stays small" if shared else ""

    def _own_labels(self, workers: Groups) -> list[str]:
        if len(self._own) < 2:
            return workers.labels()
        return [f"{label}, {device}" for label in workers.labels() for device in self._own]

    def find(self, worker: str, device: str) -> int:
        """The row of a device in a trace of a worker."""
        if device in self._row:
            return self._row[device]
        count = len(self._own)
        return self._first + self._worker[worker] * count + self._own.index(device)
