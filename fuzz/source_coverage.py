"""Which lines of src/ the fuzzer reaches, by package.

A worker is traced from before it imports tfprof, so that this module imports nothing of it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from coverage import Coverage

from fuzz.status import Task

__all__ = ["LEAST", "PACKAGES", "Lines", "reached_lines", "run_traced", "share_by_package"]

SOURCE = Path(__file__).resolve().parents[1] / "src" / "tfprof"
PACKAGES = ("loaders", "resolve", "flops", "views", "reports", "outputs")
LEAST = 0.9
"""The share of the lines of each of these packages that must be reached."""
_NEVER_RUN = ("if TYPE_CHECKING:", r"^\s*\.\.\.$")

Lines = Mapping[str, tuple[int, list[int]]]
"""A file below src/tfprof -> how many lines can be run, and those that were not."""


def run_traced(task: Task, folder: Path, traced_until: float) -> None:
    """Work on a task; the lines that are reached until then are saved in a folder."""
    coverage = _coverage(folder)
    coverage.start()
    traced = True
    from fuzz.worker import work

    for _ in work(task):
        # After each round, because a worker that hangs is killed.
        if traced:
            coverage.save()
        if traced and time.time() >= traced_until:
            coverage.stop()
            traced = False
    if traced:
        coverage.stop()
        coverage.save()


def reached_lines(folder: Path) -> Lines:
    """What workers reached together, from what they saved in a folder."""
    coverage = _coverage(folder)
    coverage.combine([str(path) for path in folder.glob("lines.*")], keep=True)
    files = {}
    for path in sorted(SOURCE.rglob("*.py")):
        if path.name.endswith("_pb2.py"):
            continue
        _, statements, _, missing, _ = coverage.analysis2(str(path))
        files[str(path.relative_to(SOURCE))] = len(statements), missing
    return files


def share_by_package(lines: Lines) -> dict[str, float]:
    """How much of the lines of each package was reached."""
    all_lines: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for file, (count, missing) in lines.items():
        package = file.partition("/")[0]
        all_lines[package] += count
        missed[package] += len(missing)
    return {name: 1 - missed[name] / count for name, count in all_lines.items() if count}


def _coverage(folder: Path) -> Coverage:
    coverage = Coverage(
        data_file=str(folder / "lines"),
        data_suffix=True,
        config_file=False,
        source=[str(SOURCE)],
    )
    for pattern in _NEVER_RUN:
        coverage.exclude(pattern)
    return coverage
