"""Spark with two executors gives the answers that DuckDB gives, also if one of them is killed."""

from __future__ import annotations

import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ibis  # noqa: F401 - what every question needs; `make test-lowest` has none
import pytest

import tfprof
from benchmarks.fleet.generate import TracedSteps, generate
from tests.cli.conftest import call
from tfprof.fleet.open_fleet import Fleet
from tfprof.fleet.questions import QUESTIONS

TRACES = Path(__file__).parents[1] / "data" / "fleet"
MASTER = "local-cluster[2,1,2048]"
FAULTS = ("straggler", "slow_server", "slow_step")
pytestmark = [
    # Spark warns of what pandas and Python will change.
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(shutil.which("java") is None, reason="needs Java; `make java` installs it"),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("spark store")
    generate(TracedSteps(TRACES), root / "store", workers=10, steps=20, faults=FAULTS)
    return root / "store"


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """A cluster of two executors, with settings for small data."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    builder = SparkSession.builder.master(MASTER)
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def spark(session: Any, store: Path) -> Iterator[Fleet]:
    with tfprof.fleet.open(store, "spark") as fleet:
        yield fleet
    assert session.range(3).count() == 3, "the session of the program goes on"


@pytest.fixture(scope="module")
def duckdb(store: Path) -> Iterator[Fleet]:
    with tfprof.fleet.open(store) as fleet:
        yield fleet


def assert_equal(ours: Any, theirs: Any) -> None:
    """The same rows in the same order; shares may differ in their last digit."""
    assert ours.findings == theirs.findings
    assert ours.rows.column_names == theirs.rows.column_names
    first, second = ours.rows.to_pylist(), theirs.rows.to_pylist()
    assert len(first) == len(second)
    for row, other in zip(first, second, strict=True):
        for name, value in row.items():
            is_float = isinstance(value, float)
            assert value == (pytest.approx(other[name], rel=1e-12) if is_float else other[name])


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in QUESTIONS},
    "ops of some": (
        "ops",
        {"workers": ["worker_[0-4]"], "steps": (2, 9), "account_type_regexes": [".*Conv2D.*"]},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_answers_are_equal(case: str, spark: Fleet, duckdb: Fleet) -> None:
    question, options = CASES[case]
    ours, theirs = spark.ask(question, **options), duckdb.ask(question, **options)
    assert_equal(ours, theirs)
    assert len(ours.rows)


def executors(session: Any) -> list[int]:
    """The processes of the executors of a session."""
    application = session.sparkContext.applicationId.encode()
    return [
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if b"CoarseGrainedExecutorBackend" in _read(path) and application in _read(path)
    ]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # it has ended


def test_a_killed_executor_does_not_change_the_answer(
    session: Any, spark: Fleet, duckdb: Fleet
) -> None:
    session.range(1000).count()
    deadline = time.monotonic() + 60
    while len(executors(session)) < 2 and time.monotonic() < deadline:
        time.sleep(0.2)
    before = executors(session)
    assert len(before) == 2
    answers: list[Any] = []
    asking = threading.Thread(target=lambda: answers.append(spark.ops(steps=(0, 20))))
    asking.start()
    time.sleep(0.3)
    os.kill(before[0], signal.SIGKILL)
    asking.join()
    assert_equal(answers[0], duckdb.ops(steps=(0, 20)))
    assert before[0] not in executors(session)
    assert_equal(spark.stragglers(), duckdb.stragglers())


def test_a_store_that_is_not_there_is_one_line(session: Any, tmp_path: Path) -> None:
    done = call("fleet", "ops", str(tmp_path / "missing"), "--engine", "spark")
    assert (done.status, done.out) == (1, b"")
    assert re.fullmatch(r"tfprof: Spark cannot read the store: .*\n", done.err)


def test_the_memory_of_spark_is_its_own(store: Path) -> None:
    done = call("fleet", "ops", str(store), "--engine", "local[1]", "--memory", "1GB")
    assert (done.status, done.out) == (2, b"")
    assert "option 'memory': is DuckDB's" in done.err
