"""Capture some steps of a program, where a step is a call of a `tf.function` or of `Session.run`.

The first function or session that is called often enough is captured.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from tfprof.loaders.xplane.folders import find_traces
from tfprof.recording.capture import Capture

FUNCTIONS = "tensorflow.python.eager.polymorphic_function.polymorphic_function"
SESSIONS = "tensorflow.python.client.session"
"""The modules to watch."""


class StepCapture:
    """Captures the steps from `first` up to `last` of what is called first so often."""

    def __init__(self, folder: Path, first: int, last: int, *, script: str = "") -> None:
        self._first, self._last = first, last
        self._capture = Capture(folder, first_step=first, script=script)
        self.folder = self._capture.folder
        self._numbers: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._next_number = itertools.count()
        self._calls: Counter[int] = Counter()
        self._captured_calls: Counter[int] = Counter()
        self._captured: int | None = None
        self._waits_for: frozenset[int] = frozenset()
        self._thread = threading.local()
        self._watched: list[tuple[Any, str, Any]] = []
        self._is_complete = False

    def watch_functions(self, module: ModuleType) -> None:
        """Count the calls of every `tf.function`."""
        self._watch(module.Function, "__call__")

    def watch_sessions(self, module: ModuleType) -> None:
        """Count the runs of every session."""
        self._watch(module.BaseSession, "run")

    def finish(self) -> None:
        """Stop a capture that has not reached its last step, and count no more calls."""
        self._stop()
        while self._watched:
            owner, name, original = self._watched.pop()
            setattr(owner, name, original)

    @property
    def problem(self) -> str:
        """Why nothing was captured; empty if something was."""
        if self._captured is not None:
            return "" if find_traces(self.folder) else self._capture.notes[0]
        calls = self.most_calls
        if not calls:
            return (
                "no tf.function and no session ran; put `with tfprof.capture(FOLDER):` around the "
                "steps of a program that runs op by op"
            )
        return f"nothing ran more than {calls} times; capture steps 0:{min(calls, 3)}"

    @property
    def most_calls(self) -> int:
        """How often the function or session ran that ran most."""
        return max(self._calls.values(), default=0)

    def _watch(self, owner: Any, name: str) -> None:
        original: Callable[..., Any] = getattr(owner, name)
        counter = self

        def counted(callee: Any, *arguments: Any, **keywords: Any) -> Any:
            if getattr(counter._thread, "in_call", False):
                return original(callee, *arguments, **keywords)
            if counter._is_complete:
                counter._calls[counter._number(callee)] += 1
                return original(callee, *arguments, **keywords)
            counter._thread.in_call = True
            number = counter._number(callee)
            counter._before(number)
            try:
                return original(callee, *arguments, **keywords)
            finally:
                counter._thread.in_call = False
                counter._after(number)

        counted.__doc__ = original.__doc__
        setattr(owner, name, counted)
        self._watched.append((owner, name, original))

    def _number(self, callee: Any) -> int:
        """The number of a function or session; the address of one that is freed is used again."""
        known = self._numbers.get(id(callee))
        if known is None or known[0]() is not callee:
            known = self._numbers[id(callee)] = weakref.ref(callee), next(self._next_number)
        return known[1]

    def _before(self, callee: int) -> None:
        if self._captured is None and self._calls[callee] >= self._first:
            self._captured = callee
            self._capture.start()
        elif callee == self._captured and self._waits_for:
            self._stop()

    def _after(self, callee: int) -> None:
        self._calls[callee] += 1
        if self._captured is None:
            return
        self._captured_calls[callee] += 1
        if callee in self._waits_for:
            self._waits_for -= {callee}
        elif callee == self._captured and self._calls[callee] >= self._last:
            # Functions that are called once a step, and not yet in this one: they belong to it.
            count = self._captured_calls[callee] - 1
            self._waits_for = frozenset(
                other for other, calls in self._captured_calls.items() if calls == count > 0
            )
        else:
            return
        if not self._waits_for:
            self._stop()

    def _stop(self) -> None:
        self._is_complete = True
        self._capture.stop()
