"""Whether tests notice a mutant: they run in a forked process that imports the changed module."""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

# Imported once, before processes are forked: they import only tfprof and tests themselves.
import pyarrow.parquet  # noqa: F401
import pytest

__all__ = ["dies", "run_forked"]

_SECONDS, _MEMORY = 120.0, 8 << 30
"""How long the tests of a mutant may take, and how much memory; more counts as noticed."""
_FIRST_FILES = 3
_PYTEST = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")


def dies(module: str, source: str, tests: Sequence[str]) -> bool:
    """Whether any of the tests fails with the changed source of a module."""
    return any(
        run_forked(partial(_run_tests, module, source, batch), _SECONDS) != 0
        for batch in _split(tests)
    )


def _split(tests: Sequence[str]) -> list[list[str]]:
    """The tests of the files that have most of them, and the rest: to import files takes time."""
    counts = Counter(map(_file, tests))
    first = {file for file, _ in counts.most_common(_FIRST_FILES)}
    batches = [[test for test in tests if (_file(test) in first) == part] for part in (True, False)]
    return [batch for batch in batches if batch]


def _file(test: str) -> str:
    return test.partition("::")[0]


def run_forked(work: Callable[[], int], seconds: float) -> int:
    """The status of a piece of work that is done in a forked process, which may hang or die."""
    process = os.fork()
    if process == 0:
        os.setsid()
        status = 1
        try:
            status = work()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return status
        time.sleep(0.01)
    os.killpg(process, signal.SIGKILL)
    return os.waitpid(process, 0)[1]


def _run_tests(module: str, source: str, tests: Sequence[str]) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    with Path(os.devnull).open("r+b") as null:
        for stream in (0, 1, 2):
            os.dup2(null.fileno(), stream)
    sys.meta_path.insert(0, _ChangedModule(module, source))
    files = dict.fromkeys(map(_file, tests))
    return int(pytest.main([*_PYTEST, *files], plugins=[_Selection(tests)]))


class _ChangedModule(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module with another source."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.source = module, source

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name != self.module:
            return None
        return importlib.util.spec_from_loader(name, self)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, f"{self.module} (mutant)", "exec"), module.__dict__)


class _Selection:
    """A plugin of pytest that keeps some tests, in their order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.order = {test: i for i, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if item.nodeid in self.order]
        items[:] = sorted(chosen, key=lambda item: self.order[item.nodeid])
