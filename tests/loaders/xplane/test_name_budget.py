"""The bytes of names that are made of those of a trace: counted before they are made."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfprof
from tests.loaders.xplane.traces import Maker
from tfprof.definitions.limits import max_derived_bytes
from tfprof.loaders.xplane import name_budget
from tfprof.loaders.xplane.name_budget import NameBudget


def test_all_bytes_can_be_spent(tmp_path: Path) -> None:
    budget = NameBudget(tmp_path, 1000)
    budget.spend(max_derived_bytes(1000) - 1)
    budget.spend(1)
    with pytest.raises(tfprof.LoadError, match="would take more than 2 MB"):
        budget.spend(1)


def test_a_budget_grows_with_the_file_up_to_a_gigabyte() -> None:
    assert max_derived_bytes(10**6) - max_derived_bytes(0) == 20 * 10**6
    assert max_derived_bytes(10**12) == 2**30


def test_names_below_a_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scope `train`, the node and the type of each distinct op count, in bytes."""
    maker = Maker()
    python, worker = maker.line("python"), maker.line("tf_Compute/1")
    maker.event(python, "EagerLocalExecute: __inference_train_12", 0, 9)
    maker.event(python, "FunctionRun", 1, 2, id=7)
    maker.event(worker, "ExecutorState::Process", 10, 60, id=7)
    for first, name in ((10, "a/MatMul:MatMul"), (20, "\u00e9:Relu"), (30, "a/MatMul:MatMul")):
        maker.event(worker, name, first, first + 5)
    trace = maker.write(tmp_path)
    needed = len("train" + "a/MatMul" + "MatMul") + len("train" + "\u00e9\u00e9" + "Relu")
    monkeypatch.setattr(name_budget, "max_derived_bytes", lambda _: needed)
    assert tfprof.load(trace).report("op", select=["micros"])["MatMul"].own["exec_micros"] == 10
    monkeypatch.setattr(name_budget, "max_derived_bytes", lambda _: needed - 1)
    with pytest.raises(tfprof.LoadError, match="long names are parts of so many others"):
        tfprof.load(trace)
