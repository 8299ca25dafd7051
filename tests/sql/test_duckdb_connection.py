"""A DuckDB connection with limits: what SQL may read, and how much it may take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tfprof.sql.duckdb_connection import connect_duckdb, lock_duckdb


@pytest.fixture
def connection(tmp_path: Path) -> Any:
    (tmp_path / "store").mkdir()
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "store" / "t.parquet")
    (tmp_path / "secret.csv").write_text("a\n1\n")
    return connect_duckdb(
        needed_by="fleet", temp_directory=tmp_path / "spilled", readable=[tmp_path / "store"]
    )


def test_it_reads_what_it_may(connection: Any, tmp_path: Path) -> None:
    path = tmp_path / "store" / "t.parquet"
    assert connection.execute(f"select sum(x) from '{path}'").fetchone() == (3,)


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_csv('{0}/secret.csv')",
        "select * from '{0}/store/../secret.csv'",
        "copy (select 1) to '{0}/out.csv'",
        "attach '{0}/other.db'",
        "install httpfs",
    ],
)
def test_it_reaches_nothing_else(connection: Any, tmp_path: Path, sql: str) -> None:
    with pytest.raises(duckdb.Error):
        connection.execute(sql.format(tmp_path))
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("sql", ["set memory_limit='9GB'", "set enable_external_access=true"])
def test_a_locked_one_keeps_its_limits(connection: Any, sql: str) -> None:
    lock_duckdb(connection)
    with pytest.raises(duckdb.Error):
        connection.execute(sql)


def test_no_progress_is_drawn_on_standard_output(connection: Any) -> None:
    assert connection.execute("select current_setting('enable_progress_bar')").fetchone() == (
        False,
    )


def test_limits_are_set(connection: Any) -> None:
    names = ("memory_limit", "max_temp_directory_size")
    limits = [connection.execute(f"select current_setting('{n}')").fetchone()[0] for n in names]
    assert limits == ["953.6 MiB", "9.3 GiB"]
