"""What an engine does: read the files of a store, as text or as Ibis tables."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Protocol

from tfprof.errors import OptionError

DUCKDB, SPARK = "duckdb", "spark"
_MASTERS = ("spark://", "k8s://", "local", "yarn")


class Engine(Protocol):
    """An engine that has opened a store."""

    @property
    def dialect(self) -> str:
        """The dialect of its SQL."""

    def read_store_file(self, name: str) -> str:
        """A small file of the store; a LoadError if it is not there."""

    def find_jobs(self) -> list[str]:
        """The folders of jobs that have a manifest, in order."""

    def read_tables(self, names: Sequence[str]) -> Any:
        """Parquet files of one schema as one Ibis table."""

    def make_table(self, rows: Any) -> Any:
        """An Arrow table as an Ibis table."""

    def run(self, expression: Any) -> Any:
        """The rows of an expression as an Arrow table."""

    def close(self) -> None:
        """Give back what it holds."""


def open_engine(store: str, engine: str = DUCKDB, *, memory: int | None = None) -> Engine:
    """The engine of a name: `duckdb`, `spark`, or the master of a Spark cluster."""
    if find_spec("ibis") is None:
        extra = "fleet" if engine == DUCKDB else "spark"
        raise OptionError(f"Ibis is not installed; pip install 'tfprof[{extra}]'")
    if engine == DUCKDB:
        from tfprof.fleet.engines.duckdb_engine import DuckdbEngine

        return DuckdbEngine(store, memory=memory)
    if engine != SPARK and not engine.startswith(_MASTERS):
        raise OptionError(
            f"option 'engine': '{engine}' is unknown; give duckdb, spark, or a master of Spark "
            "such as spark://host:7077"
        )
    if memory is not None:
        raise OptionError("option 'memory': is DuckDB's; Spark has its own settings")
    from tfprof.fleet.engines.spark_engine import SparkEngine

    return SparkEngine(store, master="" if engine == SPARK else engine)
