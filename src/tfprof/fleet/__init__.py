"""tfprof.fleet: traces of many workers and steps in one store, and questions about them.

    traces ─sources▶ files ─step_records, profile_records▶ records ─chunks, rollups▶ store
    store ─engines▶ tables ─questions▶ Answer

    store             folders, manifest and version of a store
    ingestion, merge  add traces in parallel; rollups of all workers
    sources           which worker and step a file is of
    step_records      records and transfers of a RunMetadata
    profile_records   records of XPlane traces and saved profiles
    node_table        nodes of a job: types, code, float operations
    chunks, rollups   files of some steps of a worker
    buckets           durations by size, for quantiles
    open_fleet        a store that is open for questions
    tables            its tables as Ibis expressions
    selection         workers, steps and nodes that a question is about
    questions/        QUESTIONS, one file each
    engines/          DuckDB, Apache Spark
    answer            rows, and what stands out
    page/             all answers and charts in a browser

`gates` and everything above may import it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tfprof.fleet.answer import Answer
    from tfprof.fleet.ingestion import Ingested, ingest
    from tfprof.fleet.open_fleet import Fleet
    from tfprof.fleet.open_fleet import open_fleet as open  # noqa: A004 - as in zipfile and wave

__all__ = ["Answer", "Fleet", "Ingested", "ingest", "open"]

_HOME = {
    "Answer": ("tfprof.fleet.answer", "Answer"),
    "Fleet": ("tfprof.fleet.open_fleet", "Fleet"),
    "Ingested": ("tfprof.fleet.ingestion", "Ingested"),
    "ingest": ("tfprof.fleet.ingestion", "ingest"),
    "open": ("tfprof.fleet.open_fleet", "open_fleet"),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'tfprof.fleet' has no attribute '{name}'")
    module, attribute = _HOME[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
