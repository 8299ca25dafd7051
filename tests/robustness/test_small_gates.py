"""Small captures whose gate once took long: each keeps a budget of 2 s and 300 MB."""

from __future__ import annotations

import pytest

import tfprof
from tests.robustness.budget import run_measured
from tests.robustness.models import CPU, graph_of, run_of
from tfprof.protos.log_pb2 import ProfileProto


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


@pytest.mark.parametrize("steps", [400, 2000])
def test_pair_of_steps_that_each_run_another_op(steps, gate, tmp_path):
    (tmp_path / "pair").mkdir()
    data = _capture(*([(f"n{i}", 1, 5)] for i in range(steps))).serialize()
    for side in ("base", "head"):
        (tmp_path / "pair" / side).write_bytes(data)
    (tmp_path / "pair" / "pair.json").write_text(f'{{"steps":{steps},"busy":0.0}}')
    done = gate("pair")
    assert done.status == 3
    assert "few ops of the base run in each step: capture steps that do the same" in done.out


def test_pair_of_steps_that_run_nothing(gate, tmp_path):
    (tmp_path / "pair").mkdir()
    profile = ProfileProto()
    profile.ParseFromString(_capture([("a", 1, 5)]).serialize())
    profile.steps[:] = range(50_000)
    for side in ("base", "head"):
        (tmp_path / "pair" / side).write_bytes(profile.SerializeToString())
    (tmp_path / "pair" / "pair.json").write_text('{"steps":50000,"busy":0.0}')
    assert gate("pair").status == 3
