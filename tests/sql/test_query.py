"""SQL on the tables of a profile: the same numbers as the views, and nothing but SELECT."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet
import pytest

import tfprof
from tests.gates.graphs import dense_graph
from tfprof import demo
from tfprof.errors import OptionError
from tfprof.sql.sql_result import FORMATS
from tfprof.sql.tables import TABLES
from tfprof.views import VIEWS

pytest.importorskip("duckdb")

REPORTS = [f"{view}_report" for view in VIEWS]


@pytest.fixture(scope="module")
def profile() -> tfprof.Profile:
    return tfprof.load(**demo.paths())


@pytest.mark.parametrize("table", [*TABLES, *REPORTS])
def test_every_table_has_rows_and_is_documented(table: str, profile: tfprof.Profile) -> None:
    result = profile.sql(f"select * from {table}")
    assert len(result) > 0
    page = (Path(__file__).parents[2] / "docs" / "sql.md").read_text()
    if table in REPORTS:
        assert f"`{table}`" in page
        return
    section = page.partition(f"\n## {table}\n")[2].partition("\n## ")[0]
    for column in result.columns:
        assert f"`{column}`" in section, column


def test_a_profile_without_steps_has_the_same_columns(profile: tfprof.Profile) -> None:
    model = tfprof.load(graph=dense_graph({"a": (8, 4)}))
    for table in TABLES:
        queries = [one.sql(f"describe {table}").records() for one in (profile, model)]
        assert queries[0] == queries[1], table
    assert len(model.sql("select * from records")) == 0


def test_numbers_are_those_of_the_views(profile: tfprof.Profile) -> None:
    report = profile.report("op", select=["micros", "params", "float_ops"])
    query = "select sum(micros) micros, sum(params) params, sum(float_ops) float_ops from nodes"
    total = profile.sql(query).records()[0]
    assert total == {name: report.total[name] for name in ("micros", "params", "float_ops")}
    rows = profile.sql("select op, sum(micros) micros from nodes group by op").records()
    by_op = {row["op"]: row["micros"] for row in rows}
    checked = [row for row in report if row.name in by_op and row.own["micros"]]
    assert len(checked) > 10
    for row in checked:
        assert by_op[row.name] == row.own["micros"], row.name
    root = profile.sql("select total_micros from scope_report where row = 0").records()
    assert root == [{"total_micros": report.total["micros"]}]


def test_tables_join(profile: tfprof.Profile) -> None:
    rows = profile.sql(
        "select file, line, sum(micros) micros from nodes join frames using (stack)"
        " where depth = 0 group by all order by micros desc"
    ).records()
    assert rows[0]["line"] > 0
    assert rows[0]["file"]
    inputs = profile.sql(
        "select p.name from edges join nodes c on c.node = consumer"
        " join nodes p on p.node = producer where c.op = 'Conv2D'"
    )
    assert len(inputs) > 0
    records = profile.sql(
        "select step, sum(micros) micros from records group by step order by step"
    ).records()
    steps = profile.sql("select step, micros from steps order by step").records()
    assert [row["step"] for row in records] == [row["step"] for row in steps] == [0, 1]


def test_functions_are_inlined() -> None:
    captured = tfprof.load(**demo.paths("keras"))
    names = captured.sql("select name from nodes where name like 'fit/%/%'")
    assert len(names) > 10


REFUSED = {
    "select * from read_csv('{file}')": "reads a file or the network",
    "select * from read_text('{file}')": "reads a file or the network",
    "select * from read_parquet('http://127.0.0.1:9/x')": "reads a file or the network",
    "select * from glob('/*')": "reads a file or the network",
    "select * from '{file}'": "reads a file or the network",
    "copy (select 1) to '{out}'": "COPY is refused",
    "export database '{out}'": "EXPORT is refused",
    "attach '{out}' as other": "ATTACH is refused",
    "install httpfs": "LOAD is refused",
    "load httpfs": "LOAD is refused",
    "set enable_external_access = true": "SET is refused",
    "set memory_limit = '100GB'": "SET is refused",
    "reset lock_configuration": "SET is refused",
    "create table x as select 1": "CREATE is refused",
    "insert into nodes select * from nodes": "INSERT is refused",
    "update nodes set name = ''": "UPDATE is refused",
    "delete from nodes": "DELETE is refused",
    "drop view nodes": "DROP is refused",
    "pragma database_list": "PRAGMA is refused",
    "call pragma_version()": "CALL is refused",
    "select 1; select 2": "the query has 2 statements; give one at a time",
    "": "the query is empty",
    "  ;": "nothing is refused",
    "selec 1": "the query is wrong: Parser Error",
    "select nope from steps": "the query is wrong: Binder Error",
    "select * from node": "there is no table 'node'; did you mean 'nodes'?",
    "select * from secret": "there is no table 'secret'",
}


@pytest.mark.parametrize("query", REFUSED)
def test_refused(query: str, profile: tfprof.Profile, tmp_path: Path) -> None:
    secret = pa.table({"a": [1]})
    assert len(secret) == 1
    file, out = tmp_path / "secret.csv", tmp_path / "out"
    file.write_text("a\n1\n")
    with pytest.raises(OptionError) as error:
        profile.sql(query.format(file=file, out=out))
    assert REFUSED[query] in str(error.value)
    assert "\n" not in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


def test_memory_is_limited(profile: tfprof.Profile) -> None:
    settings = profile.sql(
        "select name, value from duckdb_settings() where name in"
        " ('lock_configuration', 'enable_external_access', 'memory_limit')"
    ).records()
    values = {row["name"]: row["value"] for row in settings}
    assert values["lock_configuration"] == "true"
    assert values["enable_external_access"] == "false"
    assert values["memory_limit"].endswith("MiB")


def test_formats(profile: tfprof.Profile) -> None:
    result = profile.sql("select name, micros, shape from nodes order by micros desc limit 5")
    expected = result.records()
    assert json.loads(result.json()) == expected
    assert json.loads(result.to_bytes("x.json")) == expected
    assert (
        pyarrow.parquet.read_table(io.BytesIO(result.to_bytes("x.parquet"))).to_pylist() == expected
    )
    assert pyarrow.ipc.open_file(result.to_bytes("x.arrow")).read_all().to_pylist() == expected
    read = pyarrow.csv.read_csv(io.BytesIO(result.to_bytes("x.csv")))
    assert read["name"].to_pylist() == [row["name"] for row in expected]
    assert result.to_arrow().num_rows == len(result) == 5
    pandas = pytest.importorskip("pandas")
    assert isinstance(result.to_pandas(), pandas.DataFrame)
    assert result.text().splitlines()[0].split() == ["name", "micros", "shape"]
    with pytest.raises(OptionError, match=r"name a file that ends in one of .txt, .json, .csv"):
        result.to_bytes("x.doc")
    assert set(FORMATS) == {".txt", ".json", ".csv", ".parquet", ".arrow"}


def test_without_duckdb(profile: tfprof.Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfprof.sql.duckdb_connection.find_spec", lambda _: None)
    with pytest.raises(OptionError, match=r"DuckDB is not installed; pip install 'tfprof\[sql\]'"):
        profile.sql("select 1")
