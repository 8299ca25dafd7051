"""Ingest: what a store has of the traces, whatever happens while it is written."""

from __future__ import annotations

import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import tfprof
from tests.cli.conftest import COMMAND, call, environment
from tests.fleet.traces import OPS, make_step, write_traces
from tfprof import demo
from tfprof.errors import LoadError, OptionError, OutputError
from tfprof.fleet.ingestion import Ingested, ingest
from tfprof.fleet.store import ROLLUPS

KILLS = int(os.environ.get("TFPROF_KILLS", "2"))


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    return write_traces(tmp_path / "traces")


def add(
    traces: Path, store: Path, *, job: str = "train", processes: int = 1, **more: object
) -> Ingested:
    return ingest([traces], job=job, out=store, processes=processes, **more)  # type: ignore[arg-type]


def rows(store: Path, table: str, job: str = "train") -> list[dict[str, object]]:
    """The rows of a table of all workers."""
    paths = sorted((store / f"job={job}").glob(f"worker=*/{table}-*.parquet"))
    return [row for path in paths for row in pq.ParquetFile(path).read().to_pylist()]


def contents(store: Path) -> dict[str, str]:
    """A hash of every file."""
    files = [path for path in store.rglob("*") if path.is_file()]
    return {str(p.relative_to(store)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def test_every_record_is_in_the_store(traces: Path, tmp_path: Path) -> None:
    done = add(traces, tmp_path / "store")
    assert done == Ingested(steps=12, records=60, known=0, skipped=())
    records = rows(tmp_path / "store", "records")
    nodes = pq.read_table(
        tmp_path / "store" / "job=train" / "nodes.parquet", partitioning=None
    ).to_pylist()
    names = {row["node"]: row["name"] for row in nodes}
    of_matmul = [r for r in records if names[r["node"]] == "a/MatMul" and r["worker"] == "worker_2"]
    assert [(r["step"], r["duration"], r["device"]) for r in of_matmul] == [
        (step, 300 + 2 + 2 * step, "cpu:0") for step in range(4)
    ]
    assert {row["op"] for row in nodes} == {"MatMul", "Relu", "ReadVariableOp"}
    assert {r["device"] for r in records} == {"cpu:0", "ps:0/cpu:0", "ps:1/cpu:0"}


def test_records_are_sorted_and_packed(tmp_path: Path) -> None:
    ops = [(f"n{i}", "MatMul", 10 + i) for i in range(200)]
    folder = tmp_path / "traces" / "worker_0"
    folder.mkdir(parents=True)
    noise = random.Random(7)
    for step in range(50):
        shaken = [(name, op, noise.randint(micros, micros + 9)) for name, op, micros in ops]
        run = make_step(0, step, ops=shaken)
        (folder / f"run_meta_{step}").write_bytes(run.SerializeToString())
    done = add(tmp_path / "traces", tmp_path / "store")
    path = tmp_path / "store" / "job=train" / "worker=worker_0" / "records-0.parquet"
    table = pq.ParquetFile(path).read()
    order = list(zip(*(table.column(name).to_pylist() for name in ("node", "step")), strict=True))
    assert order == sorted(order)
    assert path.stat().st_size <= 4 * done.records


def test_waiting_is_apart_from_work(tmp_path: Path) -> None:
    (tmp_path / "traces" / "w").mkdir(parents=True)
    run = make_step(0, 5, barrier=1000)
    (tmp_path / "traces" / "w" / "run_meta_5").write_bytes(run.SerializeToString())
    add(tmp_path / "traces", tmp_path / "store")
    (step,) = rows(tmp_path / "store", "steps")
    work = sum(micros for _, _, micros in OPS)
    assert (step["wall"], step["work"], step["wait"]) == (1000, work, 1000 - work)
    assert step["arrival"] == step["t0"] + work  # type: ignore[operator]
    sent = {(r["source"], r["bytes"], r["micros"]) for r in rows(tmp_path / "store", "transfers")}
    assert sent == {("ps:0/cpu:0", 4000, 50), ("ps:1/cpu:0", 4000, 51)}
    counts = {r["device"]: r["records"] for r in rows(tmp_path / "store", "devices")}
    assert counts == {"cpu:0": 4, "ps:0/cpu:0": 1, "ps:1/cpu:0": 1}


def test_rollups_of_all_workers_are_those_of_each(traces: Path, tmp_path: Path) -> None:
    add(traces, tmp_path / "store")
    folder = tmp_path / "store" / "job=train"
    for table in ("steps", "devices", "transfers"):
        assert pq.read_table(folder / f"{table}-3.parquet", partitioning=None).to_pylist() == rows(
            tmp_path / "store", table
        )
    merged = pq.read_table(folder / "histogram-3.parquet", partitioning=None).to_pylist()
    assert sum(row["count"] for row in merged) == 60
    assert sum(row["micros"] for row in merged) == sum(
        r["duration"]
        for r in rows(tmp_path / "store", "records")  # type: ignore[misc]
    )


def test_what_is_there_is_not_read_again(traces: Path, tmp_path: Path) -> None:
    add(traces, tmp_path / "store")
    before = contents(tmp_path / "store")
    assert add(traces, tmp_path / "store") == Ingested(0, 0, 12, ())
    assert contents(tmp_path / "store") == before
    write_traces(traces, steps=5)
    assert add(traces, tmp_path / "store").steps == 3
    assert len(rows(tmp_path / "store", "steps")) == 15


def test_jobs_share_a_store(traces: Path, tmp_path: Path) -> None:
    for job in ("first", "second/try"):
        add(traces, tmp_path / "store", job=job)
    assert len(rows(tmp_path / "store", "steps", "first")) == 12
    assert {row["job"] for row in rows(tmp_path / "store", "steps", "second%2Ftry")} == {
        "second/try"
    }


def test_processes_write_the_same_bytes(traces: Path, tmp_path: Path) -> None:
    add(traces, tmp_path / "one")
    add(traces, tmp_path / "two", processes=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_the_graph_and_the_op_log_describe_nodes(tmp_path: Path) -> None:
    folder = tmp_path / "traces" / "w"
    folder.mkdir(parents=True)
    paths = demo.paths()
    shutil.copy(paths["run_meta"][0], folder / "run_meta_7")
    add(tmp_path / "traces", tmp_path / "store", graph=paths["graph"], op_log=paths["op_log"])
    nodes = pq.read_table(
        tmp_path / "store" / "job=train" / "nodes.parquet", partitioning=None
    ).to_pylist()
    first = next(row for row in nodes if row["name"].endswith("Conv2D"))
    assert "Conv2D" in first["types"]
    assert first["file"].endswith(".py")
    assert first["float_ops"] > 0
    # A later ingest without them keeps what is known.
    shutil.copy(paths["run_meta"][1], folder / "run_meta_8")
    add(tmp_path / "traces", tmp_path / "store")
    again = pq.read_table(
        tmp_path / "store" / "job=train" / "nodes.parquet", partitioning=None
    ).to_pylist()
    assert [row for row in again if row["node"] in {n["node"] for n in nodes}] == nodes


def test_sums_are_those_of_op_view(tmp_path: Path) -> None:
    """The same numbers as a profile of the same step has, for records of the graph's nodes."""
    folder = tmp_path / "traces" / "w"
    folder.mkdir(parents=True)
    shutil.copy(demo.paths()["run_meta"][0], folder / "run_meta_0")
    add(tmp_path / "traces", tmp_path / "store")
    profile = tfprof.load(run_meta=[demo.paths()["run_meta"][0]])
    total = profile.report("op", select=["micros"]).total["micros"]
    assert sum(r["duration"] for r in rows(tmp_path / "store", "records")) == total  # type: ignore[misc]


def test_profiles_and_traces_of_tensorflow_2(tmp_path: Path) -> None:
    shutil.copytree(demo.paths("keras")["profile"], tmp_path / "traces" / "host_a")
    (tmp_path / "traces" / "host_b").mkdir()
    profile = tfprof.load(**demo.paths())
    (tmp_path / "traces" / "host_b" / "model.profile").write_bytes(profile.serialize())
    done = add(tmp_path / "traces", tmp_path / "store")
    assert not done.skipped
    steps = {(row["worker"], row["step"]) for row in rows(tmp_path / "store", "steps")}
    assert {worker for worker, _ in steps} == {"host_a", "host_b"}
    assert ("host_b", 1) in steps
    assert add(tmp_path / "traces", tmp_path / "store").steps == 0


def test_bad_files_are_named_left_out_and_tried_again(traces: Path, tmp_path: Path) -> None:
    bad = traces / "worker_1" / "run_meta_2"
    whole = bad.read_bytes()
    bad.write_bytes(whole[: len(whole) // 2])
    (traces / "worker_2" / "run_meta_0").write_bytes(b"")
    done = call("fleet", "ingest", str(traces), "--job", "j", "--out", str(tmp_path / "store"))
    assert done.status == 1
    assert "10 steps with 50 records" in done.text
    assert str(bad) in done.err
    assert "worker_2/run_meta_0: is empty" in done.err
    assert "2 files could not be read" in done.err.splitlines()[-1]
    bad.write_bytes(whole)
    (traces / "worker_2" / "run_meta_0").unlink()
    done = call("fleet", "ingest", str(traces), "--job", "j", "--out", str(tmp_path / "store"))
    assert done.status == 0
    assert "1 steps with 5 records" in done.text


def test_a_pipe_is_no_trace(traces: Path, tmp_path: Path) -> None:
    os.mkfifo(traces / "worker_0" / "run_meta_99")
    assert add(traces, tmp_path / "store").steps == 12


def _start(traces: Path, store: Path) -> subprocess.Popen[bytes]:
    arguments = ["fleet", "ingest", str(traces), "--job", "train", "--out", str(store)]
    return subprocess.Popen(
        [*COMMAND, *arguments, "--processes", "2"],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("seed", range(KILLS))
def test_killed_at_any_moment_and_resumed(seed: int, tmp_path: Path) -> None:
    """The store is readable after the kill, and has the same bytes in the end."""
    traces = write_traces(tmp_path / "traces", workers=20, steps=5)
    add(traces, tmp_path / "whole")
    killed = _start(traces, tmp_path / "store")
    deadline = time.monotonic() + 30
    while not (tmp_path / "store" / "job=train" / "manifest.jsonl").exists():
        assert time.monotonic() < deadline
        time.sleep(0.002)
    time.sleep(random.Random(seed).random() * 0.4)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    for line in (tmp_path / "store" / "job=train" / "manifest.jsonl").read_text().splitlines():
        entry = json.loads(line)
        for table in ("records", *ROLLUPS) if "worker" in entry else ():
            folder = tmp_path / "store" / "job=train" / f"worker={entry['worker']}"
            pq.ParquetFile(folder / f"{table}-0.parquet").read()
    add(traces, tmp_path / "store")
    assert contents(tmp_path / "store") == contents(tmp_path / "whole")


def test_a_torn_line_of_the_manifest_does_not_count(traces: Path, tmp_path: Path) -> None:
    add(traces, tmp_path / "store")
    whole = contents(tmp_path / "store")
    manifest = tmp_path / "store" / "job=train" / "manifest.jsonl"
    lines = manifest.read_text().splitlines(keepends=True)
    manifest.write_text(lines[0] + lines[1][:20])
    assert add(traces, tmp_path / "store").steps == 8
    assert contents(tmp_path / "store") == whole


LIMITED = """
import resource, sys
from pathlib import Path
from tests.cli.conftest import call
resource.setrlimit(resource.RLIMIT_FSIZE, (2500, resource.RLIM_INFINITY))
done = call("fleet", "ingest", sys.argv[1], "--job", "train", "--out", sys.argv[2])
sys.stderr.write(done.err)
sys.exit(done.status)
"""


def test_a_full_disk_is_one_line_and_leaves_the_store_intact(traces: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    add(traces, store)
    before = contents(store)
    more = make_step(0, 9, ops=[(f"n{i}", "MatMul", i * i % 977) for i in range(900)])
    (traces / "worker_0" / "run_meta_9").write_bytes(more.SerializeToString())
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(traces), str(store)],
        capture_output=True,
        text=True,
        env={**environment(), "PYTHONPATH": os.pathsep.join([str(Path.cwd()), *sys.path])},
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert f"{store}: cannot write: File too large" in done.stderr
    assert contents(store) == before
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 2500
    assert add(traces, store).steps == 1


def test_one_process_at_a_time(traces: Path, tmp_path: Path) -> None:
    import fcntl

    add(traces, tmp_path / "store")
    with (tmp_path / "store" / "job=train" / ".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(OutputError, match="another process adds to job 'train'"):
            add(traces, tmp_path / "store")


def test_a_store_of_another_version(traces: Path, tmp_path: Path) -> None:
    add(traces, tmp_path / "store")
    about = tmp_path / "store" / "store.json"
    about.write_text(about.read_text().replace('"version": 1', '"version": 7'))
    with pytest.raises(
        LoadError, match=r"store: is a fleet store of version 7, .* reads version 1"
    ):
        add(traces, tmp_path / "store")
    about.write_text("{}")
    with pytest.raises(LoadError, match="is no fleet store"):
        add(traces, tmp_path / "store")


def test_a_folder_with_other_files_is_not_made_a_store(traces: Path, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="not empty; name a new folder"):
        add(traces, traces)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "'fleet' needs an action; known are ingest"),
        (("ingset", "x"), "'ingset' is no action; did you mean 'ingest'"),
        (("ingest",), "'fleet ingest' needs a folder with traces"),
        (("ingest", "x"), "'fleet ingest' needs --job"),
        (("ingest", "x", "--job", "j"), "'fleet ingest' needs --out"),
        (("ingest", "x", "--job", "j", "--out", "s"), "x: is no folder"),
        (("ingest", "x", "--job", "j", "--out", "s", "--processes", "0"), "option 'processes'"),
    ],
)
def test_misuse_is_one_line(arguments: tuple[str, ...], says: str) -> None:
    done = call("fleet", *arguments)
    assert (done.status, done.out) == (2, b"")
    assert says in done.err
    assert len(done.err.splitlines()) == 1


def test_nothing_to_ingest(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(LoadError, match="has no traced steps"):
        add(tmp_path / "empty", tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_two_files_of_one_step(traces: Path, tmp_path: Path) -> None:
    shutil.copy(traces / "worker_0" / "run_meta_0", traces / "worker_0" / "run_metadata_0.pb")
    with pytest.raises(OptionError, match=r"both step 0 of worker 'worker_0'.* --pattern"):
        add(traces, tmp_path / "store")
