"""Inference of a frozen ResNet-50: time, op types and float operations."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tfprof
from tests.resolve import resnet50

SOFTMAX = resnet50.IMAGES * 2048 * 1000
"""The multiply-adds of the last layer."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("resnet50")
    command = [sys.executable, "-W", "ignore", resnet50.__file__, str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def truth(folder: Path) -> int:
    return int((folder / "truth").read_text())


@pytest.fixture(scope="module")
def profile(folder: Path) -> tfprof.Profile:
    return tfprof.load(folder / "graph", folder / "run")


def test_time_is_attributed_to_graph_nodes(profile: tfprof.Profile) -> None:
    assert profile.attributed_share >= 0.99


def test_op_view_shows_what_ran(profile: tfprof.Profile, truth: int) -> None:
    report = profile.report("op", select=["micros", "macs"], order_by="macs", max_depth=99)
    assert report.names[1:3] == ["_FusedConv2D", "_FusedMatMul"]
    assert not {"Conv2D", "BiasAdd", "MatMul"} & set(report.names)
    total = report.rows[0].total
    assert report["_FusedConv2D"].own["exec_micros"] > total["exec_micros"] / 2
    assert report["_FusedConv2D"].own["run_count"] == 53
    assert report["_FusedConv2D"].own["macs"] == truth - SOFTMAX
    assert report["_FusedMatMul"].own["macs"] == SOFTMAX


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
def test_float_operations_are_the_truth(profile: tfprof.Profile, truth: int, view: str) -> None:
    assert profile.report(view, select=["macs"]).rows[0].total["macs"] == truth
    kinds = ["Conv2D", "MatMul"]
    report = profile.report(view, select=["float_ops"], account_type_regexes=kinds)
    assert report.rows[0].total["float_ops"] == 2 * truth


def test_saved_profiles_have_the_same(profile: tfprof.Profile, truth: int, tmp_path: Path) -> None:
    profile.save_tables(tmp_path / "tables")
    again = tfprof.Profile.from_tables(tmp_path / "tables")
    assert again.report("op").rows[0].total["macs"] == truth
    again = tfprof.load(profile=profile.serialize())
    assert again.report("op").rows[0].total["macs"] == truth


def test_cost_agrees(folder: Path, truth: int) -> None:
    cost = tfprof.cost(folder / "graph", run_meta=folder / "run")
    assert cost.macs == truth
    assert cost.ledger.complete
