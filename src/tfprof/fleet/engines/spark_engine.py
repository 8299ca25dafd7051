"""Apache Spark: the store is at any path that Spark reads, and the executors do the work."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tfprof.errors import LoadError, OptionError
from tfprof.fleet.store import MANIFEST

_SETTINGS = {
    "spark.app.name": "tfprof fleet",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}


class SparkEngine:
    """A store at a path of Spark's."""

    dialect = "pyspark"

    def __init__(self, store: str, *, master: str = "") -> None:
        """Start a session, or use the one that the program has."""
        if find_spec("pyspark") is None:
            raise OptionError("Spark is not installed; pip install 'tfprof[spark]'")
        import ibis
        from pyspark.errors import PySparkException, PySparkRuntimeError
        from pyspark.sql import SparkSession

        self._store = store if "://" in store else f"file://{Path(store).absolute()}"
        builder = SparkSession.builder
        for name, value in _SETTINGS.items():
            builder = builder.config(name, value)
        try:
            active = SparkSession.getActiveSession()
            self._session = active or (builder.master(master) if master else builder).getOrCreate()
        except (PySparkRuntimeError, PySparkException, OSError) as error:
            raise OptionError(
                f"Spark does not start: {' '.join(str(error).split())}; it needs Java 17 or later"
            ) from None
        self._owns_session = active is None
        if self._owns_session:
            self._session.sparkContext.setLogLevel("ERROR")
        self._backend = ibis.pyspark.connect(self._session)
        self._views = 0

    def read_store_file(self, name: str) -> str:
        """A small file of the store."""
        with _load_errors():
            lines = self._session.read.text(f"{self._store}/{name}", wholetext=True).collect()
        return "".join(line.value for line in lines)

    def find_jobs(self) -> list[str]:
        """The folders of jobs that have a manifest."""
        with _load_errors():
            files = self._session.read.format("binaryFile").load(f"{self._store}/job=*/{MANIFEST}")
            paths = [row.path for row in files.select("path").collect()]
        return sorted(re.sub(r".*/(job=[^/]*)/[^/]*$", r"\1", path) for path in paths)

    def read_tables(self, names: Sequence[str]) -> Any:
        """Parquet files of one schema as one table."""
        self._views += 1
        view = f"tfprof_{id(self)}_{self._views}"
        with _load_errors():
            frame = self._session.read.parquet(*(f"{self._store}/{name}" for name in names))
            frame.createOrReplaceTempView(view)
        return self._backend.table(view)

    def make_table(self, rows: Any) -> Any:
        """Rows of this process as a table."""
        import ibis

        return ibis.memtable(rows)

    def run(self, expression: Any) -> Any:
        """The rows of an expression."""
        with _load_errors():
            return self._backend.to_pyarrow(expression)

    def close(self) -> None:
        """End the session, unless the program had it before."""
        if self._owns_session:
            self._session.stop()


@contextmanager
def _load_errors() -> Iterator[None]:
    """Errors of Spark become one line."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with warnings.catch_warnings():
            # Spark and Ibis warn of each other's and of pandas' older names.
            warnings.simplefilter("ignore", Warning)
            yield
    except (PySparkException, Py4JError) as error:
        line = next(filter(str.strip, str(error).splitlines()), type(error).__name__)
        raise LoadError(f"Spark cannot read the store: {line}") from None
