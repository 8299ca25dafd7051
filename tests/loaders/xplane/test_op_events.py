"""Instructions of compiled programs in the plane of a host."""

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
