"""Keras models with `jit_compile=True`, captured: every instruction has the stack of its op."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfprof
from tests.recording.captures import Captures
from tests.recording.test_capture import micros_of_model
from tfprof.definitions.quirks import REPAIRED
from tfprof.loaders.xplane.folders import find_traces
from tfprof.protos.xplane_pb2 import XSpace
from tfprof.resolve import resolve

pytest.importorskip("tensorflow")

MODELS = ["cnn", "lstm", "transformer"]


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Captures:
    captures = Captures("tests.loaders.hlo.tf_programs", tmp_path_factory.mktemp("captures"))
    captures.make()
    return captures


def _times(profile: Any) -> Any:
    time = np.zeros(len(profile.nodes), np.int64)
    for records in profile.records:
        np.add.at(time, records.node, records.duration)
    return time


@pytest.mark.parametrize("name", MODELS)
def test_time_belongs_to_nodes_with_stacks(captures: Captures, name: str) -> None:
    captures.check(name, _check_nodes_and_stacks)


def _check_nodes_and_stacks(folder: Path) -> None:
    profile = tfprof.load(folder)
    resolved = resolve(profile, REPAIRED)
    time, names = _times(resolved), resolved.nodes.name.to_pylist()
    outside = ("tf_data/", "other/")
    inside = np.array([not name.startswith(outside) for name in names])
    total = time[inside].sum()
    assert time[inside & resolved.nodes.in_graph].sum() >= 0.999 * total
    assert time[inside & (resolved.nodes.stack >= 0)].sum() >= 0.999 * total
    assert profile.attributed_share > 0.99
    assert profile.steps == (2, 3)


def test_time_is_on_lines_of_the_model(captures: Captures) -> None:
    """That of the program: the call itself is the work of the XLA runtime, at a line of Keras."""

    def check(folder: Path) -> None:
        profile = tfprof.load(folder)
        in_model, total = micros_of_model(profile)
        calls = profile.report("op", select=["micros"], step=profile.steps[0])
        assert calls["StatefulPartitionedCall"].own["exec_micros"] > 0
        assert in_model >= 0.9 * (total - _micros_of_calls(profile))
        assert in_model >= 0.6 * total

    captures.check("transformer", check)


def _micros_of_calls(profile: tfprof.Profile) -> int:
    """The time of calls of compiled functions outside of their instructions."""
    reports = [profile.report("op", select=["micros"], step=step) for step in profile.steps]
    return sum(int(r["StatefulPartitionedCall"].own["exec_micros"]) for r in reports)


@pytest.mark.parametrize("name", MODELS)
def test_every_event_is_an_execution(captures: Captures, name: str) -> None:
    files = find_traces(captures / name)
    assert files is not None
    expected: collections.Counter[str] = collections.Counter()
    for plane in XSpace.FromString(files.traces[0].read_bytes()).planes:
        stats = {stat.name: number for number, stat in plane.stat_metadata.items()}
        for line in plane.lines:
            for event in line.events:
                if stats.get("hlo_op") in {stat.metadata_id for stat in event.stats}:
                    expected[plane.event_metadata[event.metadata_id].name] += 1
    counts: collections.Counter[str] = collections.Counter()
    for records in tfprof.load(captures / name).records:
        counts.update(n.rpartition("/")[2] for n in records.names.cast("string").to_pylist())
    assert sum(expected.values()) > 100
    assert {key: counts[key] for key in expected} == expected


@pytest.mark.parametrize("name", MODELS)
def test_gradients_join_the_forward_line(captures: Captures, name: str) -> None:
    captures.check(name, _check_gradients)


def _check_gradients(folder: Path) -> None:
    profile = tfprof.load(folder)
    resolved = resolve(profile, REPAIRED)
    is_backward = ["gradient_tape" in name for name in resolved.nodes.name.to_pylist()]
    report = profile.report("code", select=["micros"], max_depth=1000, step=profile.steps[0])
    shown = sum(
        row.total["exec_micros"] for row in report.root.children if "(gradient)" in row.name
    )
    time = np.zeros(len(resolved.nodes), np.int64)
    for records in resolved.records:
        if records.step == profile.steps[0]:
            np.add.at(time, records.node, records.duration)
    assert shown > 0
    assert shown >= 0.98 * time[is_backward].sum() - 5


@pytest.mark.parametrize("name", MODELS)
def test_float_operations_of_the_model_are_those_of_the_plain_one(
    captures: Captures, name: str
) -> None:
    """The graph is the same; what is executed is counted from the program."""
    compiled, plain = (
        tfprof.load(captures / folder)
        .report("scope", select=["macs", "executed_float_ops"], step=2)
        .root.total
        for folder in (name, f"{name}_plain")
    )
    assert compiled["macs"] == plain["macs"] > 0
    # Other gradients of activations and copies; the matmuls and convolutions are the same.
    assert 0.8 < compiled["executed_float_ops"] / plain["executed_float_ops"] < 1.5


def test_a_trace_without_a_capture(captures: Captures) -> None:
    """As TensorBoard has it: nodes from names, no stacks."""
    files = find_traces(captures / "cnn")
    assert files is not None
    alone = files.traces[0].rename(captures / "alone.xplane.pb")
    profile = tfprof.load(alone)
    alone.rename(files.traces[0])
    report = profile.report("op", select=["micros", "executed_float_ops"], step=0)
    assert {"convolution", "dot", "fusion"} <= {row.name for row in report}
    assert report.root.total["executed_float_ops"] > 10**6
    assert any("no graph is beside this trace" in message for message in report.messages)
    names = profile.nodes.name.to_pylist()
    assert any(name.startswith("one_step_on_data/") for name in names)


@pytest.mark.parametrize("name", ["cnn", "transformer"])
def test_temporary_memory_belongs_to_instructions(captures: Captures, name: str) -> None:
    """The allocator records one block, of which the buffer assignment knows the parts."""

    def check(folder: Path) -> None:
        profile = tfprof.load(folder)
        tensors = profile.live_tensors()
        total = profile.report("op", select=["live_bytes"]).root.total["live_bytes"]
        assert total == sum(t.bytes for t in tensors) > 0
        assert all(t.op != "StatefulPartitionedCall" for t in tensors)
        rounded = sum(t.bytes for t in tensors if t.op == "XlaModule")
        assert 0 < rounded < total / 2
        known = [t for t in tensors if t.is_compiled and t.shape]
        assert sum(t.bytes for t in known) > 0.4 * total
        assert all(t.role == "temporary" and t.dtype for t in known)

    captures.check(name, check)
