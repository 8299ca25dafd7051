"""Small captures whose gate once took long: each keeps a budget of 2 s and 300 MB."""

from __future__ import annotations

import pytest

import tfprof
from tests.robustness.budget import run_measured
from tests.robustness.models import CPU, graph_of, run_of


@pytest.fixture
def gate(tmp_path):
    """Judges the time of captures in a folder, which may be 5% longer."""
    (tmp_path / "budget.toml").write_text('[budget]\ntime = "+5%"')

    def judge(*captures):
        return run_measured("gate", *captures, "--budget", "budget.toml", cwd=tmp_path).check()

    return judge


def _capture(*runs):
    names = dict.fromkeys(name for records in runs for name, _, _ in records)
    graph = graph_of(*((name, "MatMul") for name in names))
    return tfprof.load(graph=graph, run_meta=[run_of(CPU, *records) for records in runs])


def test_many_processes(gate, tmp_path):
    data = _capture([("a", 1, 5)]).serialize()
    for side in ("base", "head"):
        (tmp_path / side).mkdir()
        for i in range(200):
            (tmp_path / side / f"p{i}.profile").write_bytes(data)
    done = gate("base", "head")
    assert done.status == 0
    assert "200 and 200 processes" in done.out
