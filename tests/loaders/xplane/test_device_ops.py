"""Planes of accelerators, made by hand in the documented form: no GPU or TPU recorded them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.loaders.xplane.traces import Maker, made
from tfprof.protos.xplane_pb2 import XPlane


class Device:
    """Builds the plane of an accelerator."""

    def __init__(self, maker: Maker, name: str) -> None:
        self.plane: XPlane = maker.space.planes.add(name=name)
        self._ids: dict[str, int] = {}

    def _id(self, text: str, table: Any) -> int:
        number = self._ids.setdefault(text, len(self._ids) + 1)
        table[number].name = text
        return number

    def add(self, line: str, name: str, first: float, last: float, **stats: str | int) -> None:
        """An event with stats; texts are references, as profilers write them."""
        lines = {entry.name: entry for entry in self.plane.lines}
        found = lines.get(line) or self.plane.lines.add(name=line, timestamp_ns=1000)
        event = found.events.add(
            metadata_id=self._id(name, self.plane.event_metadata),
            offset_ps=int(first * 1e6),
            duration_ps=int((last - first) * 1e6),
        )
        self._add_stats(event, stats)

    def describe(self, name: str, **stats: str | int) -> None:
        """Stats of all events of a name."""
        self._add_stats(self.plane.event_metadata[self._ids[name]], stats)

    def _add_stats(self, owner: Any, stats: dict[str, str | int]) -> None:
        for key, value in stats.items():
            stat = owner.stats.add(metadata_id=self._id(key, self.plane.stat_metadata))
            if isinstance(value, int):
                stat.uint64_value = value
            else:
                stat.ref_value = self._id(value, self.plane.stat_metadata)


def _gpu(maker: Maker) -> Device:
    """Two steps of `train` on the host, each of which launches two kernels and a copy."""
    python, worker = maker.line("python"), maker.line("tf_Compute/1")
    maker.plane.stat_metadata[3].name = "correlation_id"
    gpu = Device(maker, "/device:GPU:0")
    for step, first in ((0, 0), (1, 100)):
        maker.event(python, "EagerLocalExecute: __inference_train_12", first, first + 9)
        maker.event(python, "FunctionRun", first + 1, first + 2, id=7 + step)
        maker.event(worker, "ExecutorState::Process", first + 10, first + 60, id=7 + step)
        maker.event(worker, "a/MatMul:MatMul", first + 10, first + 14)
        maker.event(worker, "b/Relu:Relu", first + 20, first + 22)
        for at, number in ((11, 1), (12, 2), (21, 3)):
            maker.event(worker, "cuLaunchKernel", first + at, first + at + 0.5)
            stat = worker.events[-1].stats.add(metadata_id=3)
            stat.uint64_value = 10 * step + number
        # Kernels run after the next step has started on the host.
        op, stream = "a/MatMul:MatMul", "Stream #16(Compute)"
        late = {"first": first + 105, "last": first + 135}
        gpu.add(stream, "gemm_128x64", **late, tf_op=op, correlation_id=10 * step + 1)
        gpu.add(stream, "splitK", first + 135, first + 140, tf_op=op, correlation_id=10 * step + 2)
        gpu.add(
            "Stream #20(MemcpyH2D)",
            *("MemcpyH2D", first + 10, first + 30),
            tf_op="b/Relu:Relu",
            correlation_id=10 * step + 3,
        )
        gpu.add("Framework Ops", "MatMul", first + 105, first + 140)
    return gpu


def test_kernels_of_a_gpu(tmp_path: Path) -> None:
    maker = Maker()
    _gpu(maker)
    profile = tfprof.load(maker.write(tmp_path))
    assert profile.steps == (0, 1)
    for step in profile.steps:
        report = profile.report(
            "op", select=["micros", "accelerator_micros", "cpu_micros", "occurrence"], step=step
        )
        row = report["MatMul"].own
        # Both kernels belong to one run of the op, which took 4us on the host.
        assert (row["accelerator_exec_micros"], row["cpu_exec_micros"]) == (35, 4)
        assert row["run_count"] == 1
    names = {name.rpartition("task:0/")[2] for name in profile.devices}
    assert names == {"device:cpu:0", "device:gpu:0", "device:gpu:0/stream:all"}
    busy = {name.rpartition("/")[2]: time for name, time in profile.totals.busy_ns.items()}
    assert busy["stream:all"] == 2 * 35_000
    assert profile.trace is not None
    assert profile.trace.used["gpu kernels"] == 6
    assert profile.trace.ignored == {"gpu derived from kernels": 2}
    messages = profile.report("scope", select=["micros"]).messages
    assert not any("stream" in message for message in messages)


def test_kernels_without_a_host(tmp_path: Path) -> None:
    """What XLA compiled has an instruction, and no op on the host."""
    maker = Maker()
    gpu = Device(maker, "/device:GPU:1")
    gpu.add("Stream #1(Compute)", "fusion_3", 0, 9, hlo_op="fusion.3", hlo_module="jit_step")
    gpu.add("Stream #1(Compute)", "void cub::reduce<int>(int*)", 10, 12)
    profile = tfprof.load(maker.write(tmp_path))
    report = profile.report("op", select=["accelerator_micros", "occurrence"])
    assert report["fusion"].own["accelerator_exec_micros"] == 9
    assert report["fusion"].own["run_count"] == 1
    assert report.root.total["exec_micros"] == 11
    scope = profile.report("scope", select=["micros"], max_depth=5)
    assert scope["other/jit_step/fusion.3"].own["exec_micros"] == 9


def test_a_text_and_a_reference_to_the_same_text_name_one_op(tmp_path: Path) -> None:
    maker = Maker()
    gpu = Device(maker, "/device:GPU:0")
    for first, op in ((0, "b/Relu:Relu"), (10, "a/MatMul:MatMul"), (20, "b/Relu:Relu")):
        gpu.add("Stream #1", "k", first, first + 1, tf_op=op)
    stat = gpu.plane.lines[0].events[2].stats[0]
    stat.str_value = "b/Relu:Relu"
    profile = tfprof.load(maker.write(tmp_path))
    report = profile.report("scope", select=["micros", "occurrence"], max_depth=5)
    assert [report[f"other/{name}"].own["run_count"] for name in ("b/Relu", "a/MatMul")] == [2, 1]


@pytest.mark.parametrize("line", ["XLA Ops", "Framework Ops"])
def test_instructions_of_a_tpu(tmp_path: Path, line: str) -> None:
    """Nested instructions count once; other lines show the same time again."""
    maker = Maker()
    tpu = Device(maker, "/device:TPU:0")
    for number, first in ((5, 0), (6, 100)):
        tpu.add("Steps", str(number), first, first + 90)
        tpu.add("XLA Modules", "jit_step(123)", first, first + 80)
        tpu.add(line, "%while.1 = (f32[]) while(...)", first, first + 50)
        tpu.add(line, "%dot.7 = f32[8,8] dot(...)", first + 10, first + 40)
    tpu.describe("%dot.7 = f32[8,8] dot(...)", tf_op="jit(step)/dot_general:")
    profile = tfprof.load(maker.write(tmp_path))
    assert profile.steps == (5, 6)
    scope = profile.report("scope", select=["micros", "occurrence"], max_depth=9, step=5)
    assert scope["other/jit(step)/dot_general"].own["accelerator_exec_micros"] == 30
    assert scope["other/while.1"].own["accelerator_exec_micros"] == 20
    assert scope.root.total["exec_micros"] == 50
    assert {row.name for row in profile.report("op", select=["micros"])} >= {"dot", "while"}


def test_a_number_that_is_too_long_is_no_device(tmp_path: Path) -> None:
    maker = made()
    maker.space.planes.add(name=f"/device:GPU:{5000 * '1'}")
    profile = tfprof.load(maker.write(tmp_path))
    assert not any("gpu" in device for device in profile.devices)
