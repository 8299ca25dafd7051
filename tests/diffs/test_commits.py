"""Two commits of real models: the first screen names the change, and everything adds up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tfprof
from tests.cli.conftest import call
from tfprof.definitions.metrics import number_names
from tfprof.views import VIEWS

pytest.importorskip("tensorflow")
SCREEN = 40


@pytest.fixture(scope="module")
def commits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both commits of all models."""
    folder = tmp_path_factory.mktemp("commits")
    command = [sys.executable, "-W", "ignore", "-m", "tests.diffs.commits", str(folder)]
    root = str(Path(__file__).parents[2])
    source = str(Path(tfprof.__file__).parents[1])
    variables = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{source}"}
    done = subprocess.run(
        command, cwd=root, env=variables, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


def _sides(commits: Path, name: str) -> list[str]:
    if name != "resnet":
        return [f"{commits}/{name.replace('#', number)}" for number in "12"]
    parts = ("graph.pb", "run_meta", "tfprof_log")
    return [",".join(f"{commits}/resnet_{number}/{part}" for part in parts) for number in "12"]


def _screen(commits: Path, name: str, *options: str) -> list[str]:
    done = call("diff", *_sides(commits, name), *options)
    assert done.status == 0, done.err
    return done.lines[:SCREEN]


def _line(lines: list[str], start: str) -> str:
    return next(line for line in lines if line.strip().startswith(f"{start} "))


def test_the_demo_network(commits: Path) -> None:
    """A kernel of 3 x 3 became one of 5 x 5, with as many more parameters, and a slot as well."""
    lines = _screen(commits, "resnet")
    assert "renamed: unit_last ▸ head" in "\n".join(lines)
    extra = 16 * (5 * 5 * 3 - 3 * 3 * 3)
    diff = tfprof.diff(*(tfprof.load(*side.split(",")) for side in _sides(commits, "resnet")))
    assert diff.breakdown("params").delta == diff.breakdown("params").changed == 2 * extra
    assert diff.rows[1].name == "init"
    assert diff["init/init_conv"].delta["params"] == 2 * extra
    assert "+1.54k" in _line(lines, "init/init_conv")
    assert diff["head/final_bn"].match == "scope rename"
    assert diff["gradients/head"].match == "scope rename"
    assert not any(row.match == "removed" for row in diff)


def test_its_lines(commits: Path) -> None:
    lines = "\n".join(_screen(commits, "resnet", "code", "-max_depth", "30", "-select", "params"))
    assert "line edited, was 53" in lines
    assert "line moved, was 117" in lines
    assert " 0 added, 0 removed" in lines


@pytest.mark.parametrize("name", ["keras_#", "keras_#_saved"])
def test_a_keras_model(commits: Path, name: str) -> None:
    """A layer has 512 units instead of 64 and another name; layer normalization is new."""
    lines = _screen(commits, name)
    assert "encoder2_1 ▸ mixer_1" in " ".join(lines)
    before, after = (tfprof.load(side) for side in _sides(commits, name))
    params = tfprof.diff(before, after, select=["params"]).breakdown("params")
    kernels, biases, norm = 2 * 16 * (512 - 64), 512 - 64, 2 * 16
    slots = 3 if name == "keras_#" else 1
    assert params.delta == slots * (kernels + biases + norm)
    assert params.added == slots * norm
    assert params.removed == 0
    assert any("mixer_1/up_1" in line for line in lines)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["keras_#", "resnet"])
def test_everything_adds_up(commits: Path, name: str, view: str) -> None:
    sides = [tfprof.load(*side.split(",")) for side in _sides(commits, name)]
    diff = tfprof.diff(*sides, by=view, select=number_names())
    for metric in number_names():
        whole = diff.breakdown(metric)
        assert whole.delta == whole.changed + whole.added + whole.removed
        assert whole.delta == diff.root.delta[metric]


def test_a_model_against_its_capture(commits: Path) -> None:
    """They have the parameters of the model in common, under other names of scopes."""
    diff = tfprof.diff(commits / "keras_1_saved", commits / "keras_1", "op", select=["params"])
    assert diff.breakdown("params").before == 4273
    assert diff["VarHandleOp"].after["params"] == 3 * 4273  # with the optimizer's slots
    assert diff["VarHandleOp"].match == "name"
