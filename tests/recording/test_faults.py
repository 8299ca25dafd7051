"""Whatever goes wrong while a program is captured: the program goes on, with one warning."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.recording.captures import ROOT, environment
from tfprof.errors import LoadError

pytest.importorskip("tensorflow")

NO_TRACE = ("running", "stop", "full before the trace", "backend")
NO_GRAPH = ("functions", "full after the trace")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-W", "ignore", "-m", "tests.recording.faults", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def _folder(results: dict[str, Any], name: str) -> str:
    """The folder of a training with a fault."""
    return str(list(results).index(name) - 1)


def test_training_is_the_same(results: dict[str, Any]) -> None:
    names = ("nothing", "in the way", *NO_TRACE, *NO_GRAPH, "eager ops")
    losses = {str(results[name]["answer"]) for name in ("untraced", *names)}
    assert len(losses) == 1
    assert results["nothing"]["warnings"] == results["nothing"]["notes"] == []
    for name in names[1:]:
        assert len(results[name]["warnings"]) == 1, name
    assert "File exists" in results["in the way"]["warnings"][0]
    assert (
        "Another profiler is running: call tf.profiler.experimental.stop() first"
        in results["running"]["warnings"][0]
    )
    assert results["eager ops"]["notes"] == [
        "ops that Python runs one by one have no stacks: OSError: it fails"
    ]


@pytest.mark.parametrize("name", NO_TRACE)
def test_a_folder_without_a_trace_says_why(
    folder: Path, results: dict[str, Any], name: str
) -> None:
    (note, *_) = results[name]["notes"]
    with pytest.raises(LoadError, match="nothing was captured: the trace was not") as error:
        tfprof.load(folder / _folder(results, name))
    assert note in str(error.value)


@pytest.mark.parametrize("name", NO_GRAPH)
def test_a_trace_without_a_graph_opens(folder: Path, results: dict[str, Any], name: str) -> None:
    profile = tfprof.load(folder / _folder(results, name))
    assert profile.report("op", select=["micros"]).root.total["exec_micros"] > 0
    assert any("graphs and stacks were not saved" in text for text in profile.warnings)


def test_blocks(folder: Path, results: dict[str, Any]) -> None:
    """An exception, a capture in a capture, a fork: the trace of the block is complete."""
    for name in ("exception", "nested", "fork"):
        assert results[name]["notes"] == []
        names = tfprof.load(folder / name).nodes.name.to_pylist()
        assert any(node.startswith("_square") for node in names)
    assert results["exception"]["answer"] == "raised"
    assert "Another profiler is running: a capture into" in results["nested"]["answer"]
    assert results["fork"]["answer"] == "7"


def test_functions_that_are_gone_are_named(folder: Path, results: dict[str, Any]) -> None:
    (note,) = results["gone"]["notes"]
    assert "__inference_collected_" in note
    assert len(results["gone"]["warnings"]) == 1
    assert note in tfprof.load(folder / "gone").warnings


def test_files_of_an_earlier_capture(results: dict[str, Any]) -> None:
    assert results["again"]["answer"] == "True False False"


def test_fit_that_raises(folder: Path, results: dict[str, Any]) -> None:
    """The profiler does not stay on: the next capture, or the end, writes what it has."""
    for name in ("raising fit", "interrupted fit"):
        (note,) = results[name]["notes"]
        assert "fit did not reach the last step" in note
        assert results[name]["answer"] == "[]"
        assert len(results[name]["warnings"]) == 1
        names = tfprof.load(folder / f"{name}_next").nodes.name.to_pylist()
        assert any(node.startswith("_square") for node in names)
    for name in ("raising fit", "interrupted fit", "at exit"):
        profile = tfprof.load(folder / name)
        assert profile.steps[0] == 2
        assert any("fit did not reach the last step" in text for text in profile.warnings)


def test_a_callback_captures_each_fit(folder: Path, results: dict[str, Any]) -> None:
    assert results["second fit"]["answer"] == "True"
    assert results["second fit"]["notes"] == []
    assert tfprof.load(folder / "second fit").steps == (2, 3, 4, 5)
