"""The steps of a `ProfileContext` in a program without sessions: calls of a `tf.function`."""

from __future__ import annotations

import sys
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from tfprof.recording.step_capture import FUNCTIONS, StepCapture

DEFAULT_STEPS = frozenset(range(10, 13))
"""The steps to capture if none are asked for."""


class FunctionSteps:
    """Captures the first steps that were asked for and follow each other."""

    def __init__(self, folder: Path, requested: AbstractSet[int]) -> None:
        first = last = min(requested)
        while last in requested:
            last += 1
        self._steps = range(first, last)
        self._is_all = len(self._steps) == len(requested)
        self._folder = folder
        self._capture = StepCapture(folder, self._steps.start, self._steps.stop)
        module = sys.modules.get(FUNCTIONS)
        if module is not None:
            self._capture.watch_functions(module)

    @property
    def calls(self) -> int:
        """How often the function ran that ran most."""
        return self._capture.most_calls

    @property
    def message(self) -> str:
        """What was captured, or what to use instead."""
        if self._capture.problem:
            return (
                f"tfprof.ProfileContext: nothing was traced: {self._capture.problem}; see "
                "tfprof.KerasCallback and tfprof.capture"
            )
        rest = "" if self._is_all else ", the first of trace_steps that follow each other"
        return (
            f"tfprof: steps {self._steps.start} to {self._steps.stop - 1} of a tf.function are "
            f"captured{rest}; open them with: tfprof {self._folder}"
        )

    def finish(self) -> None:
        """Stop the capture, and watch no more calls."""
        self._capture.finish()

    def profile(self) -> Any:
        """The profile of what was captured; None if there is nothing."""
        from tfprof.api.functions import load

        return None if self._capture.problem else load(self._capture.folder)

    def profiler(self, profile: Any) -> Any:
        """A profiler with a profile."""
        from tfprof.api.profiler import Profiler

        return Profiler.of_profile(profile)
