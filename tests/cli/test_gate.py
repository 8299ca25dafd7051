"""`tfprof gate`: exit statuses, outputs, and one clear line for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Tfprof
from tests.gates.graphs import dense_graph
from tfprof.protos.log_pb2 import OpLogProto

BUDGET = '[budget]\nparams = "+0%"\n'


def op_log(name: str) -> bytes:
    log = OpLogProto()
    log.log_entries.add(name=name, types=["_trainable_variables"])
    return log.SerializeToString()


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, width in (("base", 4), ("head", 5)):
        graph = dense_graph({"block": (8, width)})
        (tmp_path / f"{name}.pb").write_bytes(graph.SerializeToString())
    (tmp_path / "tfprof.toml").write_text(BUDGET)
    return tmp_path


def test_statuses(models: Path, run: Tfprof) -> None:
    assert run("gate", "base.pb", "base.pb").status == 0
    over = run("gate", "base.pb", "head.pb")
    assert over.status == 1
    assert "+8  block/kernel (32 ▸ 40)" in over.text
    (models / "tfprof.toml").write_text('[budget]\ntime = "+5%"\n')
    unsure = run("gate", "base.pb", "head.pb")
    assert unsure.status == 3
    assert "tfprof.capture_pair" in unsure.text


def test_files_before_the_command(models: Path, run: Tfprof) -> None:
    assert run("base.pb", "head.pb", "gate").text == run("gate", "base.pb", "head.pb").text


def test_several_files_of_one_side(models: Path, run: Tfprof) -> None:
    for name in ("base", "head"):
        (models / f"{name}_log").write_bytes(op_log(f"block/{name}"))
    (models / "tfprof.toml").write_text(BUDGET + 'float_ops = "+0%"\n')
    done = run("gate", "base.pb,base_log", "base.pb,head_log")
    assert done.status == 0, done.err
    assert "base.pb,base_log ▸ base.pb,head_log" in done.text


def test_outputs(models: Path, run: Tfprof) -> None:
    done = run("gate", "base.pb", "head.pb", "--json", "--junit", "g.xml", "--markdown", "g.md")
    assert done.status == 1
    assert json.loads(done.out)["checks"][0]["rows"][0]["name"] == "block/kernel"
    assert "block/kernel" in (models / "g.xml").read_text()
    assert "block/kernel" in (models / "g.md").read_text()


def test_init(models: Path, run: Tfprof) -> None:
    assert "is there already" in run("gate", "base.pb", "--init").err
    done = run("gate", "base.pb", "--init", "--budget", "new.toml")
    assert done.status == 0
    assert (models / "new.toml").read_text() == done.text
    assert run("gate", "base.pb", "--budget", "new.toml").status == 0
    over = run("gate", "base.pb", "head.pb", "--budget", "new.toml")
    assert over.status == 1
    assert "params of scope block: 32 ▸ 40" in over.text


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["gate"], "takes BASE and HEAD"),
        (["gate", "base.pb", "head.pb", "base.pb"], "takes BASE and HEAD"),
        (["gate", "none.pb", "head.pb"], "no such file"),
        (["gate", "base.pb", "tfprof.toml"], "tfprof.toml"),
        (["gate", "base.pb", "head.pb", "--budget", "no.toml"], "no such budget"),
        (["gate", "head.pb"], "relative to a base; give BASE too"),
        (["gate", "base.pb", "head.pb", "--junit", "no/g.xml"], "no/g.xml"),
        (["gate", "base.pb", "head.pb", "--junit="], "name a file"),
        (["gate", "base.pb", "head.pb", "--init"], "takes one input"),
        (["gate", "base.pb", "head.pb", "-select", "params"], "takes no option"),
    ],
)
def test_bad_input_is_2(models: Path, run: Tfprof, arguments: list[str], problem: str) -> None:
    done = run(*arguments)
    assert (done.status, done.text) == (2, "")
    assert problem in done.err
    assert len(done.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("budget", "problem"),
    [
        ("[budget.scope.blok]\nparams = 1\n", "no scope has this name; did you mean 'block'?"),
        ("[budget]\nparam = 1\n", "did you mean 'params'?"),
        ('[budget]\nparams = "3ms"\n', "params = '3ms' is no limit"),
        ("[budget.layer.blok]\nparams = 1\n", "no layer has this name; did you mean 'block'?"),
        ("[bind]\nQ = 3\n[budget]\nparams = 1\n", "Q"),
    ],
)
def test_bad_budgets_are_2(models: Path, run: Tfprof, budget: str, problem: str) -> None:
    (models / "tfprof.toml").write_text(budget)
    done = run("gate", "base.pb", "head.pb")
    assert (done.status, done.text) == (2, "")
    assert problem in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_damaged_pair(models: Path, run: Tfprof) -> None:
    (models / "pair").mkdir()
    for text in ("", "{}", "[", '{"steps": "x", "busy": 0}', '{"steps": 4, "busy": 7}'):
        (models / "pair" / "pair.json").write_text(text)
        done = run("gate", "pair")
        assert done.status == 2
        assert "not written by tfprof.capture_pair" in done.err
