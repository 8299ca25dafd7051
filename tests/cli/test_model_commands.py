"""`tfprof model` and `tfprof cost` on a model of layers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import call

MODEL = str(Path(__file__).resolve().parents[1] / "data" / "keras_2" / "frozen_backbone")
NESTED = ["conv2d", "batch_normalization", "re_lu"]


def test_nested_models_are_shown_on_demand() -> None:
    shown = call("model", MODEL)
    assert shown.status == 0
    assert "4 rows of nested models not shown; to see all: --depth 2" in shown.lines
    assert not any(line.lstrip().startswith("conv2d") for line in shown.lines)
    whole = call("model", MODEL, "--depth", "2").lines
    assert [line.split()[0] for line in whole if line.startswith("  ")][1:4] == NESTED
    assert not any("not shown" in line for line in whole)


def test_json_has_all_rows() -> None:
    rows = json.loads(call("model", MODEL, "--json").out)["layers"]
    backbone = next(row for row in rows if row["name"] == "backbone")
    assert backbone["children"][1:] == NESTED
    assert [row["name"] for row in rows if row["parent"] == "backbone"] == backbone["children"]
    expected = {"name": "dense", "type": "Dense", "output": "(None, 2)", "params": 10}
    dense = rows[-1]
    assert {key: dense[key] for key in expected} == expected
    assert (dense["trainable_params"], dense["calls"], dense["macs"]) == (10, 1, 8)
    top = json.loads(call("model", MODEL, "--json", "--depth=1").out)["layers"]
    assert [row["name"] for row in top] == [row["name"] for row in rows if row["depth"] == 1]


@pytest.mark.parametrize("command", ["model", "cost"])
def test_explain_takes_a_layer(command: str) -> None:
    shown = call(command, MODEL, "--explain", "dense")
    assert shown.lines[0] == "layer dense (Dense)"
    assert any(line.endswith("model/dense/MatMul = MatMul: 16") for line in shown.lines)
    wrong = call(command, MODEL, "--explain", "dens")
    assert wrong.status != 0
    assert wrong.err == (
        "tfprof: cannot explain 'dens': there is no such node or layer; did you mean 'dense'?\n"
    )


@pytest.mark.parametrize("depth", ["0", "-1", "two", "1.5", "9" * 30])
def test_a_depth_is_a_number(depth: str) -> None:
    wrong = call("model", MODEL, f"--depth={depth}")
    assert wrong.status != 0
    assert wrong.err == (f"tfprof: option 'depth': '{depth}' is not a number of levels such as 2\n")


@pytest.mark.parametrize("command", ["model", "cost"])
def test_no_option_is_ignored(command: str) -> None:
    missing = call(command, MODEL, "--run_meta_path", "nofile")
    assert (missing.status, missing.out) == (1, b"")
    assert "nofile" in missing.err
    graph = str(Path(MODEL).parents[1] / "memory" / "cnn" / "graph.pb")
    unknown = call(command, graph, "--signature", "serve")
    assert unknown.status == 2
    assert unknown.err == (
        f"tfprof: option 'signature': {graph} has none; only a SavedModel does\n"
    )
