"""`tfprof sql`: a query, a pipe of queries, outputs, and one line for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet
import pytest

from tests.cli.conftest import Tfprof
from tfprof import demo

pytest.importorskip("duckdb")

STEPS = "select step from steps order by step"


def test_a_query(run: Tfprof) -> None:
    done = run("--demo", "sql", STEPS)
    assert (done.status, done.lines) == (0, ["step", "   0", "   1"])


def test_files_before_and_after_the_command(run: Tfprof) -> None:
    paths = demo.paths()
    files = [str(paths["graph"]), *map(str, paths["run_meta"])]
    before = run(*files, "sql", STEPS)
    assert before.status == 0, before.err
    assert before.out == run("sql", *files, STEPS).out


def test_a_pipe_of_queries(run: Tfprof) -> None:
    done = run("--demo", "sql", stdin=f"{STEPS};\nselect 3\n as three;\nexit\nselect 4;")
    assert (done.status, done.lines) == (0, ["step", "   0", "   1", "three", "    3"])
    failed = run("--demo", "sql", "--quiet", stdin="select nope;\nselect 5 as five")
    assert failed.status == 2
    assert failed.lines == ["five", "   5"]
    assert failed.err.count("\n") == 1


def test_at_the_prompt(run: Tfprof) -> None:
    done = run("--demo", stdin=f"sql '{STEPS}'\n")
    assert done.lines == ["step", "   0", "   1"]


def test_outputs(run: Tfprof, tmp_path: Path) -> None:
    assert json.loads(run("--demo", "sql", STEPS, "--json").out) == [{"step": 0}, {"step": 1}]
    done = run("--demo", "sql", STEPS, "--out", str(tmp_path / "steps.parquet"))
    assert (done.status, done.out) == (0, b"")
    table = pyarrow.parquet.read_table(tmp_path / "steps.parquet")
    assert table.to_pylist() == [{"step": 0}, {"step": 1}]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--demo", "sql", "drop table nodes"], "DROP is refused"),
        (["--demo", "sql", STEPS, "--out", "x.doc"], "x.doc: name a file that ends in"),
        (["--demo", "sql", "--out", "x.csv"], "--out needs a query"),
        (["--demo", "sql", STEPS, "--json", "--out", "x.csv"], "give only one"),
        (["--demo", "sql", STEPS, "-select", "params"], "takes no option '-select'"),
        (["--demo", "--compat", "sql", STEPS], "not in the original"),
        (["sql", STEPS], "no input"),
    ],
)
def test_mistakes(run: Tfprof, words: list[str], problem: str) -> None:
    done = run("--quiet", *words)
    assert (done.status, done.out) == (2, b"")
    assert problem in done.err
    assert done.err.count("\n") == 1
