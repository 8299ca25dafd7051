"""Four times the model costs about four times as much, and depth costs nothing extra.

Processor time of the same work on N and 4N nodes, the least of several tries. Quadratic work would
show as 16 times; the bound leaves room for a busy machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tfprof
from benchmarks.generate import generate
from tfprof.protos import graph_pb2

SMALL, TIMES = 4_000, 4
BOUND = 2.5 * TIMES
ALL = {"max_depth": 10_000, "order_by": "micros", "select": ["micros", "bytes", "params", "device"]}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The files of a model and of one four times as large."""
    root = tmp_path_factory.mktemp("models")
    return generate(SMALL, 2, root), generate(SMALL * TIMES, 2, root)


@pytest.fixture(scope="module")
def profiles(folders: tuple[Path, Path]) -> tuple[tfprof.Profile, tfprof.Profile]:
    """Both models, loaded."""
    small, large = (_load(folder) for folder in folders)
    return small, large


def _load(folder: Path) -> tfprof.Profile:
    runs = [folder / "run_meta_0", folder / "run_meta_1"]
    return tfprof.load(folder / "graph.pb", runs, folder / "tfprof_log")


def _seconds(task: Callable[[], Any]) -> float:
    tries = []
    for _ in range(3):
        began = time.process_time()
        task()
        tries.append(time.process_time() - began)
    # Where little is done, the clock and fixed costs would decide.
    return max(min(tries), 0.01)


def _check(small: Callable[[], Any], large: Callable[[], Any]) -> None:
    small()
    assert _seconds(large) < BOUND * _seconds(small)


def test_loading(folders: tuple[Path, Path]) -> None:
    _check(lambda: _load(folders[0]), lambda: _load(folders[1]))


def test_loading_text(folders: tuple[Path, Path]) -> None:
    _check(
        lambda: tfprof.load(folders[0] / "graph.pbtxt", count_float_ops=False),
        lambda: tfprof.load(folders[1] / "graph.pbtxt", count_float_ops=False),
    )


@pytest.mark.parametrize("view", ["scope", "op", "graph", "code"])
def test_views(profiles: tuple[tfprof.Profile, tfprof.Profile], view: str) -> None:
    def written(profile: tfprof.Profile) -> None:
        profile.replace().report(view, ALL).text()

    _check(lambda: written(profiles[0]), lambda: written(profiles[1]))


@pytest.mark.parametrize("view", ["scope", "op", "graph", "code"])
def test_messages(profiles: tuple[tfprof.Profile, tfprof.Profile], view: str) -> None:
    _check(
        lambda: profiles[0].report(view, ALL).proto(), lambda: profiles[1].report(view, ALL).proto()
    )


def test_float_operations(folders: tuple[Path, Path]) -> None:
    """Counting by the rules is linear in the number of nodes."""

    def count(folder: Path) -> None:
        profile = tfprof.load(folder / "graph.pb")
        assert profile.report("op", select=["float_ops"]).root.total["float_ops"]

    _check(lambda: count(folders[0]), lambda: count(folders[1]))


def test_saving(profiles: tuple[tfprof.Profile, tfprof.Profile]) -> None:
    _check(profiles[0].serialize, profiles[1].serialize)


def test_a_chain_of_200_000_nodes() -> None:
    """Depth is no recursion: the whole chain is counted, and shown as deep as asked for."""
    count = 200_000
    graph = graph_pb2.GraphDef()
    for number in range(count):
        node = graph.node.add(name=f"n{number:06}", op="Identity")
        if number:
            node.input.append(f"n{number - 1:06}")
    profile = tfprof.load(graph.SerializeToString(), count_float_ops=False)
    report = profile.report("graph", max_depth=5, select=["occurrence"])
    rows = report.rows
    assert [row.depth for row in rows] == list(range(len(rows)))
    assert rows[1].name == f"n{count - 1:06}"
    assert rows[1].total["definition_count"] == count
    hidden = profile.report("graph", max_depth=count + 1, show_name_regexes=["n0000.*"])
    assert len(hidden) == 101
