"""Programs that accelerators run, attributed as those of the CPU are.

The planes are made from a trace of a JAX program on a CPU, in the form that profilers of GPUs and
TPUs write: what ran is the same, so the answers have to be the same.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.loaders.hlo.test_programs import FILE
from tfprof.protos.xplane_pb2 import XPlane, XSpace

LAUNCHES = 1000
"""The id of the first launch."""
WIDE = 2**63 + 5
"""An id of a program that needs all 64 bits, as those of a TPU do."""


class Instruction:
    """An event of the CPU: an instruction of the program."""

    def __init__(self, plane: XPlane, event: Any) -> None:
        names = {number: entry.name for number, entry in plane.stat_metadata.items()}
        self.stats = {names[stat.metadata_id]: stat for stat in event.stats}
        self.name = names[self.stats["hlo_op"].ref_value] if "hlo_op" in self.stats else ""
        self.offset, self.duration = event.offset_ps, event.duration_ps


class Accelerator:
    """Builds the plane of an accelerator in place of the instructions of the CPU."""

    def __init__(self, name: str, program: int) -> None:
        self.space = XSpace.FromString(FILE.read_bytes())
        self.host = next(plane for plane in self.space.planes if plane.name == "/host:CPU")
        self.first_ns = min(line.timestamp_ns for line in self.host.lines)
        self.runs = self._take_runs()
        self._number_program(program)
        self.plane = self.space.planes.add(name=name)
        self._ids: dict[str, int] = {}

    def _take_runs(self) -> list[list[tuple[int, Instruction]]]:
        """The instructions of each run of the program with their starts, taken from the host."""
        runs: dict[int, list[tuple[int, Instruction]]] = {}
        for line in self.host.lines:
            kept = []
            for event in line.events:
                found = Instruction(self.host, event)
                if not found.name:
                    kept.append(event)
                    continue
                start = found.offset + (line.timestamp_ns - self.first_ns) * 1000
                runs.setdefault(found.stats["run_id"].int64_value, []).append((start, found))
            del line.events[:]
            line.events.extend(kept)
        ordered = [sorted(run, key=lambda item: item[0]) for run in runs.values()]
        return sorted(ordered, key=lambda run: run[0][0])

    def _number_program(self, program: int) -> None:
        metadata = next(plane for plane in self.space.planes if plane.name == "/host:metadata")
        for entry in metadata.event_metadata.values():
            entry.name = f"jit_train_step({program})"

    def id(self, text: str, table: Any) -> int:
        number = self._ids.setdefault(text, len(self._ids) + 1)
        table[number].name = text
        return number

    def add(self, line: str, name: str, start: int, duration: int, **stats: str | int) -> Any:
        lines = {entry.name: entry for entry in self.plane.lines}
        found = lines.get(line) or self.plane.lines.add(name=line, timestamp_ns=self.first_ns)
        event = found.events.add(
            metadata_id=self.id(name, self.plane.event_metadata),
            offset_ps=start,
            duration_ps=duration,
        )
        self.add_stats(event, stats)
        return event

    def describe(self, name: str, **stats: str | int) -> None:
        """Stats of all events of a name."""
        entry = self.plane.event_metadata[self.id(name, self.plane.event_metadata)]
        if not entry.stats:
            self.add_stats(entry, stats)

    def add_stats(self, owner: Any, stats: dict[str, str | int]) -> None:
        for key, value in stats.items():
            stat = owner.stats.add(metadata_id=self.id(key, self.plane.stat_metadata))
            if isinstance(value, int):
                stat.uint64_value = value
            else:
                stat.ref_value = self.id(value, self.plane.stat_metadata)

    def launch(self, number: int, start: int) -> None:
        """The host launches a kernel, in a step that the program marks."""
        line = self.host.lines[0]
        shift = (line.timestamp_ns - self.first_ns) * 1000
        event = line.events.add(
            metadata_id=self.host_name("cuLaunchKernel"), offset_ps=start - shift, duration_ps=100
        )
        event.stats.add(metadata_id=self.host_stat("correlation_id"), uint64_value=number)

    def mark(self, step: int, start: int) -> None:
        line = self.host.lines[0]
        shift = (line.timestamp_ns - self.first_ns) * 1000
        event = line.events.add(
            metadata_id=self.host_name("train"), offset_ps=start - shift, duration_ps=10**6
        )
        event.stats.add(metadata_id=self.host_stat("step_num"), int64_value=step)

    def host_name(self, text: str) -> int:
        self.host.event_metadata[10_000 + len(text)].name = text
        return 10_000 + len(text)

    def host_stat(self, text: str) -> int:
        self.host.stat_metadata[20_000 + len(text)].name = text
        return 20_000 + len(text)

    def write(self, folder: Path) -> Path:
        file = folder / "plugins" / "profile" / "run" / "host.xplane.pb"
        file.parent.mkdir(parents=True)
        file.write_bytes(self.space.SerializeToString())
        return folder


def gpu(folder: Path) -> Path:
    """Kernels with an instruction and a program, of which the launch says the step."""
    made = Accelerator("/device:GPU:0", 3)
    number = LAUNCHES
    for step, run in enumerate(made.runs):
        made.mark(step, run[0][0] - 1000)
        for start, item in run:
            made.launch(number, run[0][0] - 500)
            made.add(
                *("Stream #16(Compute)", f"void {item.name.replace('.', '_')}()"),
                *(start, item.duration),
                # XLA's own annotation stands where TensorFlow has the name of an op.
                tf_op="XlaModule:",
                hlo_module="jit_train_step",
                hlo_op=item.name,
                program_id=3,
                correlation_id=number,
            )
            number += 1
    return made.write(folder)


def gpu_in_loops(folder: Path) -> Path:
    """Names of instructions inside others; the module's name alone tells the program."""
    made = Accelerator("/device:GPU:0", 3)
    for step, run in enumerate(made.runs):
        made.mark(step, run[0][0] - 1000)
        for start, item in run:
            made.add(
                *("Stream #16(Compute)", f"void {item.name.replace('.', '_')}()"),
                *(start, item.duration),
                hlo_module="jit_train_step",
                hlo_op=f"while.1::{item.name}",
            )
    return made.write(folder)


def _tpu(folder: Path, has_program: bool) -> Path:
    made = Accelerator("/device:TPU:0", WIDE)
    for step, run in enumerate(made.runs):
        first, last = run[0][0], run[-1][0] + run[-1][1].duration
        made.add("Steps", str(step), first, last - first)
        made.add("XLA Modules", f"jit_train_step({WIDE})", first, last - first)
        for start, item in run:
            title = f"%{item.name} = f32[8,8]{{1,0}} fusion(f32[8] %p)"
            made.add("XLA Ops", title, start, item.duration)
            stats: dict[str, Any] = {"program_id": WIDE} if has_program else {}
            made.describe(title, tf_op="jit(train_step)/add:", **stats)
    return made.write(folder)


def tpu(folder: Path) -> Path:
    """Instructions that are named by their text; the program is a stat of the name."""
    return _tpu(folder, has_program=True)


def tpu_by_modules(folder: Path) -> Path:
    """The line of modules tells which program ran."""
    return _tpu(folder, has_program=False)


def _numbers(profile: tfprof.Profile, view: str, step: int, time: str) -> dict[str, Any]:
    select = ["micros", "occurrence", "macs", "params"]
    report = profile.report(view, select=select, max_depth=100, step=step)
    return {
        row.name: (row.own[time], row.own["run_count"], row.own["macs"], row.own["parameters"])
        for row in report
        if row.own[time] or row.own["macs"] or row.own["parameters"]
    }


@pytest.mark.parametrize("make", [gpu, gpu_in_loops, tpu, tpu_by_modules])
@pytest.mark.parametrize("view", ["scope", "op", "code"])
def test_as_on_a_cpu(tmp_path: Path, make: Callable[[Path], Path], view: str) -> None:
    expected, profile = tfprof.load(FILE), tfprof.load(make(tmp_path))
    assert profile.steps == expected.steps == (0, 1, 2)
    assert profile.attributed_share == 1
    for step in profile.steps:
        of_cpu = _numbers(expected, view, step, "exec_micros")
        of_device = _numbers(profile, view, step, "accelerator_exec_micros")
        assert of_device.keys() == of_cpu.keys()
        for name, (micros, *others) in of_device.items():
            assert abs(micros - of_cpu[name][0]) <= 1
            assert tuple(others) == of_cpu[name][1:], name
        assert sum(numbers[0] for numbers in of_device.values()) > 100


@pytest.mark.parametrize("make", [gpu, tpu])
def test_framework_ops_and_memory(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    expected, profile = tfprof.load(FILE), tfprof.load(make(tmp_path))
    for load in (expected, profile):
        report = load.report("op", select=["macs"], account_type_regexes=["dot_general"], step=1)
        assert report.root.total["macs"] > 0
    fields = ("requested_bytes", "residual_bytes")
    select = ["bytes", "residual_bytes"]
    found, wanted = (
        [load.report("op", select=select, step=1).root.total[field] for field in fields]
        for load in (profile, expected)
    )
    assert found == wanted
    assert all(found)


def test_several_kernels_of_one_instruction(tmp_path: Path) -> None:
    """A convolution may take several kernels: their times add up to one run."""
    made = Accelerator("/device:GPU:0", 3)
    name = made.runs[0][0][1].name
    for start in (0, 20, 60):
        made.add(
            *("Stream #16(Compute)", f"kernel_{start}", start * 10**6, 10 * 10**6),
            hlo_op=name,
            program_id=3,
        )
    profile = tfprof.load(made.write(tmp_path))
    report = profile.report("scope", select=["micros", "occurrence"], max_depth=100)
    row = next(row for row in report if row.name.endswith(f"/{name}"))
    assert (row.own["accelerator_exec_micros"], row.own["run_count"]) == (30, 1)


def test_a_program_without_hlo(tmp_path: Path) -> None:
    """The name of the module and of the instruction is all that is known, and it is said."""
    made = Accelerator("/device:GPU:0", 3)
    made.add("Stream #1", "k", 0, 10**7, hlo_op="fusion.9", hlo_module="other", program_id=77)
    profile = tfprof.load(made.write(tmp_path))
    report = profile.report("scope", select=["micros"], max_depth=9)
    assert report["other/other/fusion.9"].own["accelerator_exec_micros"] == 10
    assert any("compiled programs without HLO in this trace: 1" in m for m in report.messages)
