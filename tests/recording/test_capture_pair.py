"""Pairs of captures: both sides whole, in turn, and judged by the gate; with TensorFlow."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tfprof
from tests.recording.captures import ROOT, environment
from tfprof.errors import OptionError
from tfprof.protos.xplane_pb2 import XSpace

pytest.importorskip("tensorflow")

PROGRAM = """
import sys
import tensorflow as tf
import tfprof

def make(width):
    weights = tf.Variable(tf.random.normal((64, width)), name="weights")
    back = tf.Variable(tf.random.normal((width, 64)), name="back")
    x = tf.random.normal((200, 64))

    @tf.function
    def step():
        return tf.reduce_sum(tf.nn.relu(x @ weights) @ back)

    return step

folder = tfprof.capture_pair(make(32), make(128), steps=6, folder=sys.argv[1])
folder = tfprof.capture_pair(make(32), make(128), steps=5, folder=sys.argv[1])
print(folder)
"""


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pairs") / "pair"
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), check=True, capture_output=True)
    assert done.stdout.decode().strip() == str(folder)
    return folder


def test_both_sides_are_captures(pair: Path) -> None:
    base, head = (tfprof.load(pair / side) for side in ("base", "head"))
    assert base.steps == head.steps == (0, 1, 2, 3, 4)
    for profile, width in ((base, 32), (head, 128)):
        report = profile.report(
            "scope", select=["params"], account_type_regexes=["VarHandleOp"], max_depth=100
        )
        assert report.total["params"] == 2 * 64 * width
        counts = profile.report("op", select=["occurrence"], account_type_regexes=[".*MatMul"])
        assert [row.total["run_count"] for row in counts if "MatMul" in row.name] == [2]


def test_the_folder_has_only_the_last_pair(pair: Path) -> None:
    assert sorted(path.name for path in pair.iterdir()) == ["base", "head", "pair.json"]
    about = json.loads((pair / "pair.json").read_text())
    assert about["order"][:4] == ["base", "head", "head", "base"]
    assert len(about["order"]) == 2 * about["steps"] == 10
    assert about["busy"] is None or 0 <= about["busy"] <= 1


def test_the_steps_before_those_that_count_are_not_in_it(pair: Path) -> None:
    for side in ("base", "head"):
        (trace,) = (pair / side).rglob("*.xplane.pb")
        space = XSpace.FromString(trace.read_bytes())
        names = {data.name for plane in space.planes for data in plane.event_metadata.values()}
        assert f"tfprof_{side}" in names
        others = {"tfprof_unused", "tfprof_base", "tfprof_head"} - {f"tfprof_{side}"}
        assert not others & names


def test_the_gate_judges_it(pair: Path) -> None:
    limits = {"params": "+0%", "float_ops": "+0%", "time": "+2%"}
    verdict = tfprof.gate(pair, budget={"budget": limits})
    params, float_ops, time = verdict.checks
    assert (params.base, params.head, params.outcome) == (4096, 16384, 1)
    assert float_ops.outcome == 1
    assert "matmul" in float_ops.rows[0].name.lower()
    assert time.evidence["sum_of_least"]["head"] > 0
    same = tfprof.gate(pair / "base", pair / "head", budget={"budget": limits})
    assert same.to_dict()["checks"] == verdict.to_dict()["checks"]


def test_two_captures_that_are_no_pair_cannot_be_judged(pair: Path, tmp_path: Path) -> None:
    verdict = tfprof.gate(
        pair / "head", pair / "base", budget={"budget": {"time": "+2%", "params": "+0%"}}
    )
    assert verdict.status == 3
    assert "tfprof.capture_pair" in verdict.checks[0].reason


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((1, print), "base_step: a int cannot be called"),
        ((print, "x"), "head_step: a str cannot be called"),
        ((print, print, 2), "steps=2: give a number of at least 5"),
        ((print, print, 5, -1), "warm_up=-1: give a number of calls"),
    ],
)
def test_wrong_arguments(arguments: tuple[object, ...], problem: str) -> None:
    names = ("base_step", "head_step", "steps", "warm_up")
    with pytest.raises(OptionError, match=problem):
        tfprof.capture_pair(**dict(zip(names, arguments, strict=False)))  # type: ignore[arg-type]
