"""`--demo keras`: a small capture, without a name of the machine that it is from."""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.cli.conftest import Tfprof
from tfprof import demo
from tfprof.loaders.xplane.planes import Trace
from tfprof.protos.graph_pb2 import GraphDebugInfo

FOLDER: Path = demo.paths("keras")["profile"]
FILES = sorted(path for path in FOLDER.rglob("*") if path.is_file())


def test_all_views(run: Tfprof) -> None:
    code = run("--demo", "keras", "code")
    assert "transformer.py:43:call:return x + self.d... (gradient)" in code.text
    assert "fit/StatefulPartitionedCall/transformer_1" in run("--demo=keras", "scope").text
    assert "BatchMatMulV2" in run("op", "--demo", "keras").text
    assert run("--demo", "keras", "graph").status == 0
    assert "transformer.py:43 call: return x" in run("summary", "--demo", "keras").text


def test_the_prompt(run: Tfprof) -> None:
    done = run("--demo", "keras", stdin="op -max_depth 0\nexit\n")
    assert "MatMul" in done.text


def test_time_is_on_lines_of_the_model() -> None:
    profile = tfprof.load(**demo.paths("keras"))
    assert profile.steps == (10, 11, 12)
    assert profile.attributed_share > 0.999
    report = profile.report("code", select=["micros"], max_depth=1000)

    def in_model(row: Any) -> int:
        if re.match(r"transformer.py:\d+:call", row.name):
            return int(row.total["exec_micros"])
        return sum(map(in_model, row.children))

    assert in_model(report.root) > 0.9 * report.root.total["exec_micros"]


@pytest.mark.parametrize("name", ["foo", "", "kera"])
def test_unknown_names(run: Tfprof, name: str) -> None:
    done = run(f"--demo={name}", "op")
    assert done.status == 2
    assert "keras" in done.err


def test_the_default(run: Tfprof) -> None:
    assert (
        run("--demo=resnet", "op").out == run("--demo", "op").out == run("--demo", "true", "op").out
    )


def test_it_brings_its_own_files(run: Tfprof) -> None:
    assert "leave out --graph_path" in run("--demo", "keras", "--graph_path=x", "op").err


def test_completion(run: Tfprof) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "resnet keras" in run("completion", shell).text


def test_it_is_small_and_says_nothing_of_a_machine() -> None:
    assert sum(len(zlib.compress(path.read_bytes())) for path in FILES) < 200_000
    (trace,) = (path for path in FILES if path.name.endswith(".xplane.pb"))
    assert Trace(memoryview(trace.read_bytes())).hostname == "host"
    info = GraphDebugInfo.FromString((FOLDER / "debug_info.pb").read_bytes())
    packages = {"keras", "optree", "tensorflow", "transformer.py"}
    assert {name.split("/")[0] for name in info.files} == packages
    for path in FILES:
        content = path.read_bytes()
        assert b"site-packages" not in content
        assert not re.search(rb"/(tmp|home|root|usr|work)/", content), path
        assert os.uname().nodename.encode() not in content or len(os.uname().nodename) < 4
