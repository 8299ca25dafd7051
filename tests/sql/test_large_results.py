"""Queries with more rows than memory holds are refused; others are written in parts."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from tests.robustness.budget import run_measured
from tfprof.errors import OutputError
from tfprof.sql import sql_result
from tfprof.sql.sql_result import SqlResult

pytest.importorskip("duckdb")


def test_rows_beyond_the_limit() -> None:
    done = run_measured("--demo", "sql", "select * from range(2000000000)")
    assert done.status == 2
    assert "the rows of the query take more than 512 MB; select fewer columns" in done.err
    assert done.megabytes < 1000


def test_parts_are_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"a": i, "b": "x" * (i % 7)} for i in range(23)]
    result = SqlResult(pa.Table.from_pylist(rows))
    whole = result.text(), result.json()
    assert whole[1] == json.dumps(rows, indent=2)
    monkeypatch.setattr(sql_result, "_BATCH_ROWS", 5)
    assert (result.text(), result.json()) == whole
    empty = SqlResult(result.table.slice(0, 0))
    assert (empty.text(), empty.json()) == ("a  b\n", "[]")


@pytest.mark.parametrize("form", ["text", "json"])
def test_text_beyond_the_limit(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = SqlResult(pa.table({"a": ["x" * 50] * 100}))
    monkeypatch.setattr(sql_result, "MAX_OUTPUT_BYTES", 1000)
    with pytest.raises(OutputError, match="write them to a"):
        getattr(result, form)()
