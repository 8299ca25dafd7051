"""Calls are counted for each function, without TensorFlow."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from tfprof.recording.step_capture import StepCapture


class _Function:
    def __call__(self) -> None:
        pass


def test_functions_that_are_freed_are_not_one(tmp_path: Path) -> None:
    """Python gives the address of a function that is freed to the next one."""
    module: Any = ModuleType("functions")
    module.Function = _Function
    capture = StepCapture(tmp_path / "a", 1000, 1001)
    capture.watch_functions(module)
    kept = _Function()
    for _ in range(20):
        _Function()()
    kept()
    kept()
    capture.finish()
    assert capture.most_calls == 2
