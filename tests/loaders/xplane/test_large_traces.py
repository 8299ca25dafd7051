"""A trace that is repeated: the same numbers as often, in little more memory than the file has."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfprof
from benchmarks.trace_files import repeat_trace
from tests.robustness.memory import measured

SMALL = Path(__file__).parents[2] / "data" / "traces" / "custom_loop.xplane.pb"
ROOM = 100_000_000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    file = tmp_path_factory.mktemp("large") / "host.xplane.pb"
    return file, repeat_trace(SMALL, file, 8)


def test_numbers_and_memory(large: tuple[Path, int]) -> None:
    file, times = large
    tfprof.load(SMALL).report("op", select=["micros"]).text()  # what is imported is not counted
    with measured() as peak:
        profile = tfprof.load(file)
        report = profile.report("op", select=["micros"])
    assert peak.size < ROOM + 5 * file.stat().st_size
    small = tfprof.load(SMALL)
    assert small.trace is not None
    assert profile.trace is not None
    assert profile.trace.read == times * small.trace.read
    assert profile.trace.used == {kind: times * n for kind, n in small.trace.used.items()}
    assert profile.totals.summed_ns == times * small.totals.summed_ns
    assert len(profile.steps) == times * len(small.steps)
    assert report.text() == small.report("op", select=["micros"]).text()
