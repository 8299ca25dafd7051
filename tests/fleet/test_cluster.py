"""A real cluster: two parameter servers and two workers that TensorFlow runs and traces."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.fleet.cluster import trace_cluster
from benchmarks.fleet.generate import TracedSteps, generate
from tests.cli.conftest import call

pytestmark = pytest.mark.skipif(
    find_spec("tensorflow") is None, reason="runs a cluster of TensorFlow"
)


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cluster") / "traces"
    trace_cluster(folder, workers=2, steps=3, blocks=2)
    return folder


def test_traces_of_a_cluster(traces: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    model = ("--graph_path", str(traces / "graph.pb"), "--op_log_path", str(traces / "tfprof_log"))
    done = call("fleet", "ingest", str(traces), "--job", "train", "--out", store, *model)
    assert done.status == 0, done.err
    assert done.text.startswith("6 steps")
    answer = json.loads(call("fleet", "balance", store, "--json").out)
    servers = {row["server"]: row for row in answer["rows"]}
    assert set(servers) == {"ps:0/cpu:0", "ps:1/cpu:0"}
    # The variables of the two blocks are of the same size, and each server has those of one.
    assert all(row["bytes_out"] > 0 for row in servers.values())
    workers = json.loads(call("fleet", "stragglers", store, "--json").out)["rows"]
    assert {row["worker"] for row in workers} == {"worker_0", "worker_1"}
    assert all(0 < row["work"] < row["work"] + row["wait"] for row in workers)
    lines = json.loads(call("fleet", "lines", store, "--json").out)["rows"]
    assert any("conv2d" in (row["code"] or "") for row in lines)


def test_stores_are_made_from_them(traces: Path, tmp_path: Path) -> None:
    generate(TracedSteps(traces), tmp_path / "store", workers=9, steps=20, faults=["straggler"])
    done = call("fleet", "stragglers", str(tmp_path / "store"))
    assert done.text.startswith("worker_7 is a chronic straggler")
