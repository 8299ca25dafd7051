"""`tfprof fit`: will it fit, and the largest that does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import call

FOLDER = Path(__file__).resolve().parents[1] / "data" / "memory" / "cnn"
GRAPH, RUN = str(FOLDER / "graph.pb"), str(FOLDER / "run_meta_32")


def test_from_a_trace_and_from_the_graph() -> None:
    traced = call(GRAPH, RUN, "fit", "--bind", "B=64", "--memory", "16GB")
    assert traced.status == 0
    assert traced.lines[0].endswith("with B=64, from the traced step, scaled by shapes")
    assert "Fits        yes: needs at most" in traced.text
    alone = call(GRAPH, "fit", "--bind", "B=64", "--memory", "1MB")
    assert alone.lines[0].endswith("with B=64, from the graph alone")
    assert "Fits        no: needs at least" in alone.text


def test_largest_as_json() -> None:
    found = json.loads(call(GRAPH, "fit", "--largest", "B", "--memory", "1GB", "--json").out)
    assert found["fits"] == "yes"
    assert found["sizes"]["B"] > 100
    assert found["highest"] <= found["memory"] == 10**9


def test_no_memory_is_negative() -> None:
    """Also where most of a trace is assumed to grow, so that the margin is more than everything."""
    trace = FOLDER.parents[1] / "jax" / "train.xplane.pb"
    found = json.loads(call(str(trace), "fit", "--memory", "100kB", "--json").out)
    assert found["lowest"] >= 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "memory depends on B (batch size); give the size with --bind B="),
        (("--bind", "B=2", "--memory", "big"), "'big' is not a size such as 16GB"),
        (("--largest", "B"), "'fit' needs --memory with --largest"),
        (("--largest", "B", "--memory", "1MB"), "not even B=1 fits in 1MB, margin included"),
        (("--largest", "Z", "--memory", "1GB"), "cannot bind 'Z'"),
        (("--largest", "B", "--memory", "1GB", "--bind", "B=4"), "leave it out of --bind"),
        (("--bind", "B=8,B=9"), "option 'bind': B is given as 8 and as 9; give one of them"),
    ],
)
def test_bad_requests(arguments: tuple[str, ...], problem: str) -> None:
    answer = call(GRAPH, "fit", *arguments)
    assert answer.status == 2
    assert answer.out == b""
    assert problem in answer.err
