"""Reports, rows, costs and tables of layers in an interactive session."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from typing import Any

import pytest

import tfprof
from tests.api.test_notebook import Balanced
from tests.reports.test_symbolic_counts import linear, sequence
from tfprof import demo
from tfprof.definitions.metrics import METRICS, measure_names, number_names
from tfprof.flops.polynomial import symbol

B = symbol("B")


@pytest.fixture(scope="module")
def report() -> tfprof.Report:
    options: dict[str, Any] = {"select": ["micros", "params"], "max_depth": 3}
    return tfprof.load(**demo.paths()).report("scope", options)


@pytest.fixture(scope="module")
def shown(report: tfprof.Report) -> dict[str, Any]:
    graph = sequence()
    return {
        "report": report,
        "row": report["unit_1_0"],
        "cost": tfprof.cost(graph),
        "model": tfprof.model(graph),
    }


KINDS = ["report", "row", "cost", "model"]


@pytest.mark.parametrize("kind", KINDS)
def test_repr_is_short(shown: dict[str, Any], kind: str) -> None:
    cost = "0 parameters, 8·B·T^2 + 4·B·T + 10·B + 100 float operations of 7 nodes"
    expected = {
        "report": "<Report: scope view, 649 rows; micros 2.23sec, params 930.58k>",
        "row": "<Row 'unit_1_0': micros 0us of 31.59ms, params 0 of 9.41k>",
        "cost": f"<Cost: {cost}>",
        "model": f"<ModelTable: 2 layers; {cost}>",
    }
    assert repr(shown[kind]) == expected[kind]


def test_repr_of_numbers_says_what_there_is(report: tfprof.Report) -> None:
    """The names that `report.total` and `report.own` take, without computing anything."""
    names = repr(report.total).removeprefix("<649 rows of ").removesuffix(">").split(", ")
    assert {"micros", "params", "float_ops", "bytes"} <= set(names)
    assert all(isinstance(report.total[name], int) for name in names)


def test_repr_of_one_row() -> None:
    report = tfprof.load(**demo.paths()).report("op", select=["params"], show_name_regexes=["no"])
    assert repr(report) == "<Report: op view, 1 row; params 930.58k>"


@pytest.mark.parametrize("kind", KINDS)
def test_html_is_well_formed(shown: dict[str, Any], kind: str) -> None:
    page = Balanced()
    page.feed(shown[kind]._repr_html_())
    assert not page.open
    named = {"report": "unit_1_0", "row": "unit_1_0", "cost": "Relu", "model": "layer"}
    assert named[kind] in page.texts


def test_printed_they_are_their_text(shown: dict[str, Any]) -> None:
    for kind in ("report", "cost", "model"):
        assert f"{shown[kind]}\n" == shown[kind].text()
    assert "op type" in str(shown["cost"])
    assert "layer" in str(shown["model"])


def test_data_frames(shown: dict[str, Any]) -> None:
    frames = {kind: shown[kind].to_pandas() for kind in KINDS}
    assert len(frames["report"]) == len(shown["report"])
    row = shown["row"]
    assert list(frames["row"]["name"]) == [
        other.name for other in shown["report"] if f"{other.name}/".startswith(f"{row.name}/")
    ]
    assert list(frames["cost"]["op"]) == ["BatchMatMulV2", "Relu", "Exp", "Neg"]
    assert frames["cost"]["float_ops"].sum() == shown["cost"].float_ops
    assert list(frames["model"]["name"]) == [layer.name for layer in shown["model"]]
    assert set(frames["model"]["params"]) == {0}


@pytest.mark.parametrize("kind", KINDS)
def test_without_pandas(shown: dict[str, Any], kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(tfprof.OutputError, match="pandas is not installed; pip install pandas"):
        shown[kind].to_pandas()


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_numbers_have_all_their_names(view: str) -> None:
    report = tfprof.load(**demo.paths()).report(view, select=["params", "float_ops"])
    message = report.proto()
    for name in number_names():
        measure = METRICS[name].measure or METRICS[name].counts[0]
        number = report.root.total[measure]
        assert report.total[name] == report.root.total[name] == number
        assert report.total[measure] == report.root.total.get(name) == number
        assert report.total[f"total_{measure}"] == report.root.total[f"total_{name}"] == number
        assert report.total[:, name].tolist() == report.total[:, measure].tolist()
        assert name in report.root.own
    assert report.total["total_parameters"] == message.total_parameters  # type: ignore[attr-defined]
    assert report.root.own["runs"] == report.root.own["run_count"]
    assert list(report.root.own) == measure_names()


def test_totals_of_models(shown: dict[str, Any]) -> None:
    for kind in ("cost", "model"):
        total = shown[kind].total
        assert total["params"] == total["total_parameters"] == 0
        assert total["float_ops"] == total["total_float_ops"] == shown["cost"].float_ops
        assert total["macs"] == shown["cost"].macs
    assert shown["model"]["layer"].float_ops == 10 + 100
    assert len(shown["model"]) == 2
    assert tfprof.cost(linear()).total["float_ops"] == 10 * B + 100


@pytest.mark.parametrize(
    ("look_up", "message"),
    [
        (lambda s: s["report"].total["parms"], "no number 'parms'; did you mean 'params'?"),
        (lambda s: s["report"].own[:, "micro"], "no number 'micro'; did you mean 'micros'?"),
        (lambda s: s["row"].own["exec_micro"], "no number 'exec_micro'; did you mean"),
        (lambda s: s["report"]["unit_1_00"], "no row 'unit_1_00'; did you mean 'unit_1_0'?"),
        (lambda s: s["report"]["nothing like it"], "no row 'nothing like it'"),
        (lambda s: s["cost"].total["parms"], "no total 'parms'; did you mean 'params'?"),
        (lambda s: s["cost"].by_op_type["Rel"], "no op type 'Rel'; did you mean 'Relu'?"),
        (lambda s: s["cost"].by_scope["layr"], "no scope 'layr'; did you mean 'layer'?"),
        (lambda s: s["model"]["layr"], "no layer 'layr'; did you mean 'layer'?"),
    ],
)
def test_wrong_names_are_told_the_nearest(
    shown: dict[str, Any], look_up: Callable[[dict[str, Any]], Any], message: str
) -> None:
    with pytest.raises(KeyError) as caught:
        look_up(shown)
    assert message in caught.value.args[0]


def test_numbers_of_rows_are_plain_dicts_elsewhere(shown: dict[str, Any]) -> None:
    own = shown["row"].own
    for again in (copy.deepcopy(own), pickle.loads(pickle.dumps(own))):
        assert type(again) is dict
        assert again == own
    assert own.get("parms") is None
    assert own.get("parms", 7) == 7
    assert 7 not in own
