"""DuckDB in this process, with limits for memory and disk; it reads the store and nothing else."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tfprof.errors import LoadError, OptionError
from tfprof.fleet.store import ABOUT, MANIFEST, read_store_file
from tfprof.sql.duckdb_connection import MEMORY_LIMIT, connect_duckdb


class DuckdbEngine:
    """A store on this machine."""

    dialect = "duckdb"

    def __init__(self, store: str, *, memory: int | None = None) -> None:
        """Start a database in memory."""
        self._store = Path(store)
        if not (self._store / ABOUT).is_file():
            raise LoadError(f"{store}: no fleet store is here; make one with: tfprof fleet ingest")
        self._spilled = tempfile.TemporaryDirectory(prefix="tfprof_fleet_")
        try:
            connection = connect_duckdb(
                needed_by="fleet",
                temp_directory=self._spilled.name,
                readable=[self._store],
                memory_limit=memory or MEMORY_LIMIT,
            )
        except BaseException:
            self._spilled.cleanup()
            raise
        import ibis

        self._connection, self._made = connection, 0
        self._backend = ibis.duckdb.from_connection(connection)
        # DuckDB draws it on standard output, where the answer goes.
        connection.execute("SET enable_progress_bar = false")

    def read_store_file(self, name: str) -> str:
        """A small file of the store."""
        return read_store_file(self._store / name)

    def find_jobs(self) -> list[str]:
        """The folders of jobs that have a manifest."""
        return sorted(path.parent.name for path in self._store.glob(f"job=*/{MANIFEST}"))

    def read_tables(self, names: Sequence[str]) -> Any:
        """Parquet files of one schema as one table."""
        paths = [str((self._store / name).absolute()) for name in names]
        with _load_errors():
            return self._backend.read_parquet(paths, hive_partitioning=False)

    def run(self, expression: Any) -> Any:
        """The rows of an expression."""
        with _load_errors():
            # `to_pyarrow` of Ibis imports pandas, which takes longer than most answers.
            rows = self._connection.sql(self._backend.compile(expression)).to_arrow_table()
            return rows.cast(expression.schema().to_pyarrow())

    def make_table(self, rows: Any) -> Any:
        """Rows of this process as a table."""
        self._made += 1
        with _load_errors():
            self._connection.register(f"made_{self._made}", rows)
            return self._backend.table(f"made_{self._made}")

    def close(self) -> None:
        """End the database and remove what was spilled."""
        self._backend.disconnect()
        self._spilled.cleanup()


@contextmanager
def _load_errors() -> Iterator[None]:
    """Errors of DuckDB become one line."""
    import duckdb

    try:
        with warnings.catch_warnings():
            # Ibis calls functions of DuckDB by their older names.
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    except duckdb.OutOfMemoryException:
        raise OptionError(
            "option 'memory': the question needs more; give more, or ask about fewer workers "
            "or steps"
        ) from None
    except duckdb.Error as error:
        raise LoadError(f"the store cannot be read: {str(error).splitlines()[0]}") from None
