"""Questions about a store: each fault is found by the right one, and nothing where nothing is."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import ibis  # noqa: F401 - what every question here needs; `make test-lowest` has none
import numpy as np
import pyarrow.parquet as pq
import pytest

import tfprof
from benchmarks.fleet.generate import Faults, TracedSteps, generate
from tests.cli.conftest import COMMAND, call, environment
from tests.fleet.traces import OPS, make_step, write_traces
from tfprof.errors import LoadError, OptionError
from tfprof.fleet.buckets import EXACT, bucket_of
from tfprof.fleet.ingestion import ingest
from tfprof.fleet.open_fleet import Fleet
from tfprof.fleet.page.writer import describe_page
from tfprof.fleet.questions import QUESTIONS

TRACES = Path(__file__).parents[1] / "data" / "fleet"
"""Steps that `benchmarks.fleet.cluster` traced."""
SIZE = {"workers": 10, "steps": 30}


@pytest.fixture(scope="module")
def traced() -> TracedSteps:
    return TracedSteps(TRACES)


@pytest.fixture(scope="module")
def stores(traced: TracedSteps, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("stores")
    faults = ("none", "straggler", "one_off", "slow_server", "slow_op", "slow_step", "slower")
    for fault in faults:
        generate(traced, root / fault, faults=() if fault == "none" else (fault,), **SIZE)
    return {fault: root / fault for fault in faults}


def marked(store: Path, question: str) -> list[dict[str, Any]]:
    """The rows that stand out, in the answer as JSON; the text says the same."""
    done = call("fleet", question, str(store), "--json")
    assert done.status == 0, done.err
    answer = json.loads(done.out)
    text = call("fleet", question, str(store)).text
    for finding in answer["findings"]:
        assert finding in text
    rows = [row for row in answer["rows"] if row["verdict"]]
    assert bool(rows) == bool(answer["findings"])
    return rows


@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_is_found_where_nothing_is(question: str, stores: dict[str, Path]) -> None:
    assert marked(stores["none"], question) == []


def test_a_chronic_straggler(stores: dict[str, Path]) -> None:
    (row,) = marked(stores["straggler"], "stragglers")
    assert (row["worker"], row["verdict"]) == (Faults.STRAGGLER, "chronic")
    assert row["last"] == row["waited_least"] == SIZE["steps"]


def test_wall_time_does_not_tell_who_the_straggler_is(stores: dict[str, Path]) -> None:
    """Behind a barrier all workers take as long as the slowest."""
    steps = pq.read_table(
        stores["straggler"] / "job=train" / "steps-10.parquet", partitioning=None
    ).to_pylist()
    walls: dict[str, list[int]] = {}
    for step in steps:
        walls.setdefault(step["worker"], []).append(step["wall"])
    medians = {worker: float(np.median(values)) for worker, values in walls.items()}
    assert max(medians.values()) < 1.02 * min(medians.values())


def test_a_worker_that_is_late_once(stores: dict[str, Path]) -> None:
    (row,) = marked(stores["one_off"], "stragglers")
    found = (row["worker"], row["verdict"], row["worst_step"])
    assert found == (Faults.ONE_OFF, "one-off", Faults.STEP)


def test_a_slow_server(stores: dict[str, Path]) -> None:
    (row,) = marked(stores["slow_server"], "balance")
    assert (row["server"], row["verdict"]) == (Faults.SERVER, "slow")
    assert marked(stores["slow_server"], "stragglers") == []


def test_a_slow_op(stores: dict[str, Path], traced: TracedSteps) -> None:
    (row,) = marked(stores["slow_op"], "ops")
    name, op = traced.names.nodes[traced.costliest]
    assert (row["name"], row["op"], row["verdict"]) == (name, op, "slow at times")


def test_a_slow_step(stores: dict[str, Path], traced: TracedSteps) -> None:
    (row,) = marked(stores["slow_step"], "step")
    assert (row["kind"], row["name"]) == ("op", traced.names.nodes[traced.second][0])
    with tfprof.fleet.open(stores["slow_step"]) as fleet:
        assert fleet.step().findings[0].startswith(f"step {Faults.STEP} took ")
        other = fleet.step(2)
    assert not other.findings
    assert other.nothing.startswith("step 2 took ")


def test_a_slow_step_of_one_worker_of_many(tmp_path: Path) -> None:
    """Records of the workers that took longest are read, and of no others."""
    traces = write_traces(tmp_path / "traces", workers=60, steps=4)
    for worker, ops in ((41, [*OPS, ("late/MatMul", "MatMul", 9000)]), (7, OPS)):
        run = make_step(worker, 2, ops=ops)
        if worker == 7:
            run.step_stats.dev_stats[1].node_stats[0].op_end_rel_micros = 8000
        (traces / f"worker_{worker}" / "run_meta_2").write_bytes(run.SerializeToString())
    ingest([traces], job="train", out=tmp_path / "store", processes=1)
    for path in (tmp_path / "store" / "job=train").glob("worker=worker_[23]?/records-0.parquet"):
        path.write_bytes(b"not read")
    with tfprof.fleet.open(tmp_path / "store") as fleet:
        answer = fleet.step()
    causes = [(r["kind"], r["name"], r["worker"]) for r in answer.rows.to_pylist() if r["verdict"]]
    assert ("op", "late/MatMul", "worker_41") in causes
    assert ("op", "v0/read", "worker_7") in causes
    assert ("server", "ps:0/cpu:0", "") in causes


def test_steps_that_get_slower(stores: dict[str, Path]) -> None:
    rows = marked(stores["slower"], "trend")
    assert {row["verdict"] for row in rows} == {"slower"}
    assert min(row["first_step"] for row in rows) == SIZE["steps"] // 2


def test_jobs_that_get_slower(traced: TracedSteps, tmp_path: Path) -> None:
    generate(traced, tmp_path / "s", workers=3, steps=10, job="a")
    generate(traced, tmp_path / "s", workers=3, steps=20, job="b", faults=["slower"])
    with tfprof.fleet.open(tmp_path / "s") as fleet:
        every = fleet.trend()
        one = fleet.trend(job="b", steps=(10, 20))
        assert {row["job"] for row in every.rows.to_pylist()} == {"a", "b"}
        assert {row["job"] for row in one.rows.to_pylist()} == {"b"}
        assert not one.findings
        with pytest.raises(OptionError, match="has no job 'c'; it has a, b"):
            fleet.trend(job="c")


def test_quantiles_are_within_a_percent(stores: dict[str, Path]) -> None:
    """Exact below 100 us, else within 1 %, against the sorted durations."""
    paths = (stores["none"] / "job=train").glob("worker=*/records-*.parquet")
    tables = [pq.ParquetFile(path).read(["node", "duration"]) for path in paths]
    node = np.concatenate([table.column("node").to_numpy() for table in tables])
    duration = np.concatenate([table.column("duration").to_numpy() for table in tables])
    nodes = pq.read_table(
        stores["none"] / "job=train" / "nodes.parquet", partitioning=None
    ).to_pylist()
    ids = {row["name"]: row["node"] for row in nodes}
    with tfprof.fleet.open(stores["none"]) as fleet:
        rows = fleet.ops(limit=10_000).rows.to_pylist()
        windowed = fleet.ops(limit=10_000, steps=(0, SIZE["steps"])).rows.to_pylist()
    assert windowed == rows
    assert len(rows) == len(np.unique(node))
    for row in rows:
        values = np.sort(duration[node == ids[row["name"]]])
        for percent in (50, 95, 99):
            exact = values[-(-len(values) * percent // 100) - 1]
            assert row[f"p{percent}"] == pytest.approx(exact, rel=0.011 if exact >= EXACT else 0)
        assert row["micros"] == values.sum()


def test_buckets_are_two_percent_wide() -> None:
    micros = np.arange(1, 2_000_000, 7)
    bucket = bucket_of(micros)
    assert (bucket[micros < EXACT] == micros[micros < EXACT]).all()
    assert (np.diff(bucket) >= 0).all()
    for number in np.unique(bucket[micros >= EXACT]):
        members = micros[bucket == number]
        assert members.max() < 1.02 * max(members.min(), EXACT) + 1


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose numbers are known, with transfers and a barrier."""
    root = tmp_path_factory.mktemp("small")
    write_traces(root / "traces")
    ingest([root / "traces"], job="train", out=root / "store", processes=1)
    return root / "store"


@pytest.fixture
def fleet(small: Path) -> Any:
    with tfprof.fleet.open(small) as opened:
        yield opened


def test_sums_of_ops(fleet: Fleet) -> None:
    rows = {row["name"]: row for row in fleet.ops().rows.to_pylist()}
    expected = [300 + worker + 2 * step for worker in range(3) for step in range(4)]
    assert rows["a/MatMul"]["micros"] == sum(expected)
    assert rows["a/MatMul"]["runs"] == 12
    assert sum(row["share"] for row in rows.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        ({"workers": ["worker_1"]}, 4),
        ({"workers": ["worker_[12]"], "steps": "1:3"}, 4),
        ({"steps": (0, 1)}, 3),
        ({"job": "train"}, 12),
    ],
)
def test_workers_and_steps(fleet: Fleet, options: dict[str, Any], runs: int) -> None:
    assert {row["runs"] for row in fleet.ops(**options).rows.to_pylist()} == {runs}


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"account_type_regexes": ["MatMul"]}, {"a/MatMul", "b/MatMul"}),
        ({"show_name_regexes": ["b/.*"]}, {"b/MatMul", "b/Relu"}),
        ({"show_name_regexes": ["b/.*"], "hide_name_regexes": [".*Relu"]}, {"b/MatMul"}),
    ],
)
def test_nodes(fleet: Fleet, options: dict[str, Any], names: set[str]) -> None:
    assert {row["name"] for row in fleet.ops(**options).rows.to_pylist()} == names


def test_traffic_of_servers(fleet: Fleet) -> None:
    rows = {row["server"]: row for row in fleet.balance().rows.to_pylist()}
    assert set(rows) == {"ps:0/cpu:0", "ps:1/cpu:0"}
    for row in rows.values():
        assert (row["bytes_out"], row["bytes_in"], row["transfers"]) == (48_000, 0, 12)
        assert (row["share"], row["without_transfers"]) == (0.5, 0)


def test_transfers_that_are_missing_are_seen(tmp_path: Path) -> None:
    traces = write_traces(tmp_path / "traces")
    run = make_step(0, 9)
    records = run.step_stats.dev_stats[0].node_stats
    kept = [record for record in records if "task:1" not in record.timeline_label]
    del records[:]
    records.extend(kept)
    (traces / "worker_0" / "run_meta_9").write_bytes(run.SerializeToString())
    ingest([traces], job="j", out=tmp_path / "store", processes=1)
    with tfprof.fleet.open(tmp_path / "store") as fleet:
        rows = {row["server"]: row["without_transfers"] for row in fleet.balance().rows.to_pylist()}
    assert rows == {"ps:0/cpu:0": 0, "ps:1/cpu:0": 1}


def test_chunks_that_are_not_merged_yet_count(tmp_path: Path) -> None:
    """As after a kill before the rollups of all workers were merged."""
    names = ("ops", "stragglers", "balance", "trend")
    traces = write_traces(tmp_path / "traces", steps=2)
    ingest([traces], job="j", out=tmp_path / "store", processes=1)
    write_traces(traces, steps=4)
    ingest([traces], job="j", out=tmp_path / "store", processes=1)
    with tfprof.fleet.open(tmp_path / "store") as fleet:
        merged = [fleet.ask(name).rows.to_pylist() for name in names]
    manifest = tmp_path / "store" / "job=j" / "manifest.jsonl"
    lines = manifest.read_text().splitlines(keepends=True)
    assert lines[3].startswith('{"merged":3')
    (tmp_path / "store" / "job=j" / "histogram-6.parquet").unlink()
    manifest.write_text("".join(lines[:-1]))
    with tfprof.fleet.open(tmp_path / "store") as fleet:
        again = [fleet.ask(name).rows.to_pylist() for name in names]
    assert again == merged


def test_lines_need_code(fleet: Fleet) -> None:
    with pytest.raises(LoadError, match="ingest with --graph_path and --op_log_path"):
        fleet.lines()


def test_lines(stores: dict[str, Path]) -> None:
    with tfprof.fleet.open(stores["none"]) as fleet:
        answer = fleet.lines()
    first = answer.rows.to_pylist()[0]
    assert first["file"].endswith("cluster.py")
    assert first["share"] > 0.3
    assert answer.nothing.startswith("cluster.py:")


@pytest.mark.parametrize("suffix", [".json", ".csv", ".parquet", ".txt"])
def test_files(small: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"answer{suffix}"
    assert call("fleet", "stragglers", str(small), "--out", str(path)).status == 0
    readers: dict[str, Any] = {
        ".json": lambda data: json.loads(data)["rows"],
        ".csv": lambda data: list(csv.DictReader(io.StringIO(data.decode()))),
        ".parquet": lambda data: pq.read_table(io.BytesIO(data)).to_pylist(),
        ".txt": lambda data: data.decode().splitlines()[3:],
    }
    assert len(readers[suffix](path.read_bytes())) == 3


def test_the_sql_is_shown(small: Path) -> None:
    done = call("fleet", "ops", str(small), "--explain-sql")
    assert done.status == 0
    assert "SELECT" in done.text
    assert done.text.rstrip().endswith(";")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("ops",), 2, "'fleet ops' takes one store"),
        (("ops", "missing"), 1, "missing: no fleet store is here"),
        (("trend", "STORE", "-account_type_regexes", "x"), 2, "takes no option"),
        (("ops", "STORE", "--pattern", "x"), 2, "'fleet ops' takes no option '--pattern'"),
        (("ingest", "STORE", "--json"), 2, "'fleet ingest' takes no option '--json'"),
        (("ops", "STORE", "-account_type_regexes", "nothing"), 2, "no node of the store matches"),
        (("ops", "STORE", "-show_name_regexes", "("), 2, "show_name_regexes"),
        (("ops", "STORE", "--workers", "nobody"), 2, "has no such workers and steps"),
        (("ops", "STORE", "--steps", "3"), 2, "option 'steps'"),
        (("ops", "STORE", "--limit", "0"), 2, "option 'limit'"),
        (("ops", "STORE", "--engine", "sqlite"), 2, "option 'engine': 'sqlite' is unknown"),
        (("ops", "STORE", "--memory", "much"), 2, "option 'memory'"),
        (("step", "STORE", "-step", "99"), 2, "has no step 99"),
        (("ops", "STORE", "--out", "answer.xls"), 2, "'.xls' is no format"),
    ],
)
def test_misuse_is_one_line(
    arguments: tuple[str, ...], status: int, says: str, small: Path
) -> None:
    done = call("fleet", *(word.replace("STORE", str(small)) for word in arguments))
    assert (done.status, done.out) == (status, b"")
    assert says in done.err
    assert len(done.err.splitlines()) == 1


def test_errors_of_the_process_are_one_line(small: Path) -> None:
    command = [*COMMAND, "fleet", "ops", str(small), "--workers", "nobody"]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(PYTHONWARNINGS="default")
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


def test_a_store_of_another_version(tmp_path: Path) -> None:
    ingest([write_traces(tmp_path / "traces")], job="j", out=tmp_path / "store", processes=1)
    about = tmp_path / "store" / "store.json"
    about.write_text(about.read_text().replace('"version": 1', '"version": 7'))
    done = call("fleet", "ops", str(tmp_path / "store"))
    assert (done.status, len(done.err.splitlines())) == (1, 1)
    assert "is a fleet store of version 7, this tfprof reads version 1" in done.err


@pytest.mark.parametrize("name", ["file", "folder"])
def test_what_is_no_store_is_one_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "folder").mkdir()
    for question in QUESTIONS:
        done = call("fleet", question, str(tmp_path / name))
        assert (done.status, done.out, len(done.err.splitlines())) == (1, b"", 1)
        assert f"{tmp_path / name}" in done.err
        assert "tfprof fleet ingest" in done.err


def test_damaged_stores_are_one_line(tmp_path: Path) -> None:
    ingest([write_traces(tmp_path / "traces")], job="j", out=tmp_path / "store", processes=1)
    job = tmp_path / "store" / "job=j"
    (job / "histogram-3.parquet").write_bytes(b"PAR1 no more")
    done = call("fleet", "ops", str(tmp_path / "store"))
    assert (done.status, len(done.err.splitlines())) == (1, 1)
    assert "the store cannot be read" in done.err
    (job / "manifest.jsonl").write_text("[]\n")
    done = call("fleet", "ops", str(tmp_path / "store"))
    assert (done.status, len(done.err.splitlines())) == (1, 1)
    assert f"manifest.jsonl: is damaged; remove {job} and ingest its traces again" in done.err


def test_without_the_extra_one_line_names_it(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("fleet.engines.engine", "sql.duckdb_connection"):
        with monkeypatch.context() as patch:
            patch.setattr(f"tfprof.{module}.find_spec", lambda _name: None)
            done = call("fleet", "ops", str(small))
        assert (done.status, len(done.err.splitlines())) == (2, 1)
        assert "pip install 'tfprof[fleet]'" in done.err


def test_the_engine_draws_nothing_on_standard_output(fleet: Fleet) -> None:
    connection = fleet._engine._backend.con  # type: ignore[attr-defined]
    setting = connection.execute("select current_setting('enable_progress_bar')").fetchone()
    assert setting == (False,)


def test_questions_are_methods_of_a_fleet(fleet: Fleet) -> None:
    for name in QUESTIONS:
        assert callable(getattr(fleet, name))
    assert tfprof.fleet.open.__doc__
    assert "open" in dir(tfprof.fleet)


def test_the_demo_answers_all_questions() -> None:
    done = call("fleet", "--demo")
    assert done.status == 0
    for name, question in QUESTIONS.items():
        assert f"{name}: {question.help}\n" in done.text
        alone = call("fleet", name, "--demo", "--limit", "5")
        assert alone.text in done.text
    assert "worker_1" in done.text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--demo", "keras"), "'fleet' has a demo of its own"),
        (("--demo", "--json"), "takes no option '--json' without a question"),
        (("ops", "store", "--demo"), "'fleet ops' takes one store"),
        (("ingest", "traces", "--demo"), "'fleet ingest' takes no option '--demo'"),
    ],
)
def test_misuse_of_the_demo(arguments: tuple[str, ...], says: str) -> None:
    done = call("fleet", *arguments)
    assert (done.status, done.out) == (2, b"")
    assert says in done.err


def test_a_page(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "fleet.html"
    done = call("fleet", "report", str(small), "--out", str(path), "--steps", "0:2", "--limit", "3")
    assert (done.status, done.text) == (0, "")
    assert path.read_bytes().startswith(b"<!doctype html>")
    with tfprof.fleet.open(small) as fleet:
        page = describe_page(fleet, {"steps": "0:2", "workers": ["worker_[01]"]}, command="s")
    (job,) = page["jobs"]
    assert job["columns"] == [(0, 0), (1, 1)]
    assert job["rows"] == ["worker_0", "worker_1"]
    assert page["command"] == "tfprof fleet report s --steps 0:2 --workers 'worker_[01]'"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("report", "STORE"), "'fleet report' needs --out"),
        (("report", "--out", "x.html"), "'fleet report' takes one store"),
        (("report", "STORE", "--out", "x.html", "--json"), "takes no option '--json'"),
        (("report", "STORE", "--out", "x.html", "--job", "none"), "has no job 'none'"),
        (("ops", "STORE", "--out", "x.html"), "'fleet report' writes a page"),
    ],
)
def test_misuse_of_the_page(arguments: tuple[str, ...], says: str, small: Path) -> None:
    done = call("fleet", *(str(small) if word == "STORE" else word for word in arguments))
    assert done.status != 0
    assert says in done.err
    assert len(done.err.splitlines()) == 1


def test_many_jobs_are_not_all_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for job in ("a", "b", "c"):
        ingest([write_traces(tmp_path / "traces", workers=2)], job=job, out=tmp_path / "jobs")
    monkeypatch.setattr("tfprof.fleet.page.charts.JOBS", 2)
    with tfprof.fleet.open(tmp_path / "jobs") as fleet:
        page = describe_page(fleet, {}, command="s")
    assert [job["name"] for job in page["jobs"]] == ["a", "b"]
    assert "2 of 3 jobs" in page["notes"][0]
