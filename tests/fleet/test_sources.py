"""Which worker and step a file is of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fleet.traces import make_step
from tfprof.errors import LoadError, OptionError
from tfprof.fleet.sources import find_sources


def write(path: Path, worker: int = 3, step: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(make_step(worker, step).SerializeToString())


def found(*folders: Path, pattern: str = "") -> list[tuple[str, int]]:
    return [(source.worker, source.step) for source in find_sources(folders, pattern)]


@pytest.mark.parametrize(
    ("name", "worker", "step"),
    [
        ("worker_3/run_meta_120", "worker_3", 120),
        ("host7/run_metadata-12.pb", "host7", 12),
        ("host7/logs/runmeta5", "host7", 5),
        ("host7/step_9", "host7", 9),
        ("run_meta_120", "worker_3", 120),
    ],
)
def test_worker_and_step_of_a_path(tmp_path: Path, name: str, worker: str, step: int) -> None:
    write(tmp_path / name)
    assert found(tmp_path) == [(worker, step)]


def test_steps_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for step in (10, 9, 2):
        write(tmp_path / "w" / f"run_meta_{step}")
    assert found(tmp_path) == [("w", 2), ("w", 9), ("w", 10)]


def test_other_files_are_left_out(tmp_path: Path) -> None:
    write(tmp_path / "w" / "run_meta_1")
    (tmp_path / "w" / "notes2").write_text("text")
    (tmp_path / "w" / ".run_meta_2").write_text("hidden")
    assert found(tmp_path) == [("w", 1)]


def test_a_pattern(tmp_path: Path) -> None:
    write(tmp_path / "day1" / "meta-7-of-w4.bin")
    write(tmp_path / "day1" / "other")
    assert found(tmp_path, pattern="day*/meta-{step}-of-{worker}.bin") == [("w4", 7)]
    assert found(tmp_path, pattern="day1/meta-{step}-of-w4.bin") == [("worker_3", 7)]


@pytest.mark.parametrize("pattern", ["run_meta", "{step}{step}"])
def test_patterns_that_cannot_be_meant(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(OptionError, match="option 'pattern'"):
        find_sources([tmp_path], pattern)


def test_a_pattern_that_matches_nothing(tmp_path: Path) -> None:
    write(tmp_path / "w" / "run_meta_1")
    with pytest.raises(LoadError, match=r"no traced steps that match 'x{step}'"):
        find_sources([tmp_path], "x{step}")


def test_damaged_files_have_the_worker_of_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    (folder / "run_meta_1").write_bytes(b"\x0a\xff\xff\xff\xff\x7f")
    assert found(folder) == [("traces", 1)]
