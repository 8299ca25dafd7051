"""Which tests reach a line of the sources, the quickest first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path

import pytest
from coverage import Coverage, CoverageData

__all__ = ["CoveringTests", "trace_tests"]

_SECONDS = 10.0
"""How long the tests of a mutant may take together: some lines are reached by most of all tests."""


class CoveringTests:
    """The tests that reached each line of some files, from what `trace_tests` saved."""

    def __init__(self, folder: Path, files: Iterable[Path]) -> None:
        data = CoverageData(str(folder / "lines"))
        data.read()
        self._by_line = {path: data.contexts_by_lineno(str(path)) for path in files}
        lines = (folder / "seconds").read_text().splitlines()
        self._seconds = {test: float(time) for time, _, test in (s.partition(" ") for s in lines)}

    def find(self, path: Path, lines: range) -> list[str]:
        """The quickest tests of some lines; of the whole file for lines that run at import.

        A test of a constant may run no line of its file: it is in the test file of that name.
        """
        by_line = self._by_line[path]
        tests = _tests(by_line.get(line, ()) for line in lines)
        return self._quickest(tests or self._tests_of_file(path))

    def find_all(self, path: Path) -> list[str]:
        """Every test that `find` chooses for any lines of a file."""
        by_line = self._by_line[path]
        chosen = {test for line in by_line for test in self.find(path, range(line, line + 1))}
        chosen.update(self._quickest(self._tests_of_file(path)))
        return sorted(chosen, key=self._seconds.__getitem__)

    def _tests_of_file(self, path: Path) -> set[str]:
        own_file = f"/{path.parent.name}/test_{path.stem}.py::"
        named = {test for test in self._seconds if own_file in test}
        return _tests(self._by_line[path].values()) | named

    def _quickest(self, tests: set[str]) -> list[str]:
        ordered = sorted(tests & set(self._seconds), key=self._seconds.__getitem__)
        ends = accumulate(map(self._seconds.__getitem__, ordered))
        return [test for test, end in zip(ordered, ends, strict=True) if end < _SECONDS]


def trace_tests(folder: Path, files: list[Path], arguments: list[str]) -> int:
    """Run tests, and save which of them reached which line and how long they took."""
    coverage = Coverage(
        data_file=str(folder / "lines"), config_file=False, include=[str(path) for path in files]
    )
    tracer = _Tracer(coverage)
    coverage.start()
    status = pytest.main(arguments, plugins=[tracer])
    coverage.stop()
    coverage.save()
    seconds = (f"{time:.6f} {test}\n" for test, time in tracer.seconds.items())
    (folder / "seconds").write_text("".join(seconds))
    return int(status)


def _tests(contexts: Iterable[Iterable[str]]) -> set[str]:
    return {test for tests in contexts for test in tests if test}


class _Tracer:
    """A plugin of pytest that tells coverage which test runs."""

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logfinish(self) -> None:
        self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.skipped:
            self.seconds[report.nodeid] += report.duration
