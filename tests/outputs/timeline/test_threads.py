"""The lanes of a trace's timeline are its threads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tfprof
from tests.loaders.xplane.test_device_ops import _gpu
from tests.loaders.xplane.traces import Maker


def _threads(profile: tfprof.Profile, file: Path) -> dict[str, list[str]]:
    """Thread -> the ops that are drawn in it, of step 0."""
    report = profile.report("graph", step=0, max_depth=100)
    report.write(f"timeline:outfile={file}")
    events: list[dict[str, Any]] = json.loads(file.read_text())["traceEvents"]
    named = [event for event in events if event["name"] == "thread_name"]
    titles = {(event["pid"], event["tid"]): event["args"]["name"] for event in named}
    drawn: dict[str, list[str]] = {}
    for event in events:
        if event["ph"] == "X":
            drawn.setdefault(titles[event["pid"], event["tid"]], []).append(event["name"])
    return {title: sorted(names) for title, names in drawn.items()}


def _host(folder: Path) -> tfprof.Profile:
    """Two threads that run one after the other, which would share a lane; one op is in another."""
    maker = Maker()
    one, other = maker.line("tf_Compute/1"), maker.line("tf_Compute/2")
    maker.event(one, "a:MatMul", 0, 10)
    maker.event(other, "b:Relu", 20, 30)
    maker.event(one, "call:PartitionedCall", 40, 80)
    maker.event(one, "call/c:Add", 42, 52)
    return tfprof.load(maker.write(folder))


THREADS = {
    "tf_Compute/1": ["other/a", "other/call"],
    "tf_Compute/1, inner 1": ["other/call/c"],
    "tf_Compute/2": ["other/b"],
}


def test_threads_of_a_host(tmp_path: Path) -> None:
    assert _threads(_host(tmp_path), tmp_path / "t.json") == THREADS


def test_threads_of_saved_tables(tmp_path: Path) -> None:
    _host(tmp_path).save_tables(tmp_path / "tables")
    assert _threads(tfprof.load(tmp_path / "tables"), tmp_path / "t.json") == THREADS


def test_streams_of_an_accelerator(tmp_path: Path) -> None:
    maker = Maker()
    _gpu(maker)
    found = _threads(tfprof.load(maker.write(tmp_path)), tmp_path / "t.json")
    assert found["Stream #16(Compute)"] == ["train/a/MatMul", "train/a/MatMul"]
    assert "tf_Compute/1" in found
