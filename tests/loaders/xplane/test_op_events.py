"""Instructions of compiled programs, collective ops and marked steps in the plane of a host."""

from __future__ import annotations

from pathlib import Path

import tfprof
from tests.loaders.traces.test_read_trace import rows
from tests.loaders.xplane.test_device_ops import Device
from tests.loaders.xplane.traces import Maker


def _profile(folder: Path, **stats: int) -> tfprof.Profile:
    """Two marked steps, in each of which an instruction runs that has some stats."""
    maker = Maker()
    maker.space.planes.remove(maker.plane)
    host = Device(maker, "/host:CPU")
    for step in (0, 1):
        host.add("python", "train", 100 * step, 100 * step + 90, step_num=4 + step)
        host.add("worker", "dot.1", 100 * step + 10, 100 * step + 20, hlo_op="dot.1", **stats)
    return tfprof.load(maker.write(folder))


def test_instructions_without_a_run_belong_to_the_step_of_their_time(tmp_path: Path) -> None:
    profile = _profile(tmp_path, program_id=5)
    assert profile.steps == (4, 5)
    assert {step for step, _ in rows(profile)} == {4, 5}


def test_instructions_of_one_run_stay_together(tmp_path: Path) -> None:
    """Programs are launched before they run, perhaps in an earlier step."""
    assert _profile(tmp_path, program_id=5, run_id=0).steps == (4,)


def test_instructions_without_a_program_miss_no_hlo(tmp_path: Path) -> None:
    profile = _profile(tmp_path)
    assert not any("without HLO" in text for text in profile.warnings)
    assert profile.steps == (4, 5)


def test_collective_ops_belong_to_the_run_that_they_name(tmp_path: Path) -> None:
    """Replicas execute them on threads of their own, outside of any Process."""
    maker = Maker()
    maker.space.planes.remove(maker.plane)
    host = Device(maker, "/host:CPU")
    for run, first in ((7, 0), (8, 100)):
        host.add("python", "EagerLocalExecute: __inference_train_12", first, first + 9)
        host.add("python", "FunctionRun", first + 1, first + 2, id=run)
        host.add("tf_Compute/1", "ExecutorState::Process", first + 10, first + 30, id=run)
        host.add("tf_Compute/1", "sum:CollectiveReduceV2", first + 12, first + 14)
        host.add("collective_ops/1", "sum:CollectiveReduceV2", first + 20, first + 60, step_id=run)
    assert rows(tfprof.load(maker.write(tmp_path))) == {
        (0, "train/sum"): (42, 2),
        (1, "train/sum"): (42, 2),
    }


def test_functions_that_a_pipeline_calls_are_part_of_it(tmp_path: Path) -> None:
    maker = Maker()
    pipeline, worker = maker.line("tf_data_private_threadpool/1"), maker.line("tf_Compute/1")
    maker.event(pipeline, "FunctionRun", 0, 2, id=5)
    maker.event(worker, "ExecutorState::Process", 3, 9, id=5)
    maker.event(worker, "next:MultiDeviceIteratorGetNextFromShard", 4, 8)
    assert rows(tfprof.load(maker.write(tmp_path))) == {(0, "tf_data/next"): (4, 1)}


def test_steps_that_a_capture_marked_go_before_those_of_the_program(tmp_path: Path) -> None:
    """tf_keras counts from 0 again in each epoch."""
    maker = Maker()
    python = maker.line("python")
    for step, (epoch_step, first) in enumerate([(3, 0), (0, 100), (1, 200)], 3):
        maker.event(python, "train", first, first + 90, step_num=epoch_step)
        maker.event(python, "tfprof step", first + 1, first + 1, step_num=step)
        maker.event(python, "EagerLocalExecute: Relu", first + 10, first + 20)
        maker.event(python, "EagerKernelExecute", first + 11, first + 19)
    assert tfprof.load(maker.write(tmp_path)).steps == (3, 4, 5)
