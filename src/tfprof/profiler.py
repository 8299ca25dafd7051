"""A profiler of several steps, as the original's class of that name, any number side by side."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from os import PathLike
from typing import Any

from tfprof.api import print_advice
from tfprof.loaders.messages import MessageLike
from tfprof.loaders.profile_proto import read_profile
from tfprof.outputs.files import write_file
from tfprof.profiles.profile import Profile
from tfprof.recording.build_profile import find_model
from tfprof.reports.report import Report
from tfprof.reports.request import (
    OptionsLike,
    answer,
    chosen_options,
    tell,
)
from tfprof.runtime.gc_pause import gc_paused
from tfprof.session import Session

__all__ = ["Profiler"]


class Profiler:
    """Collects the runs of a model and reports on them.

    `graph` may be anything that `tfprof.profile` takes. Methods may be called from any thread.
    """

    def __init__(
        self, graph: Any = None, op_log: MessageLike = None, *, compat: bool = False
    ) -> None:
        model = find_model(graph)
        self._lock = threading.RLock()
        self._compat = compat
        self._coverage = 0.0
        source = model.source if model.live is None else model.live
        self._session = Session(source, op_log, compat=compat)
        tell(self._session.notes)

    @classmethod
    def load(cls, path: MessageLike, *, compat: bool = False) -> Profiler:
        """A profiler with all that another has saved; steps can be added to it."""
        made = cls(b"", compat=compat)
        made._session.profile = read_profile(path)
        return made

    @property
    def profile(self) -> Profile:
        """All that was added so far."""
        return self._session.profile

    def add_step(self, step: int, run_meta: MessageLike) -> None:
        """Add a run to a step. A run without records is reported and skipped."""
        if not hasattr(step, "__index__") or isinstance(step, bool):
            raise TypeError(f"step: a {type(step).__name__} was given; accepted is a whole number")
        if run_meta is None:
            raise TypeError("run_meta: None was given; accepted is a RunMetadata, bytes or a path")
        with self._lock, gc_paused():
            known = len(self.profile.records)
            self._session.add_step(int(step), run_meta)
            tell(self._session.notes)
            if len(self.profile.records) == known:
                tell([f"Invalid RunMetadata for step {step}"])
            self._coverage = self.profile.coverage

    def report(self, kind: str, options: OptionsLike = 0) -> Report:
        """The report of a view, with everything it can be asked."""
        with self._lock:
            return self._session.report(kind, chosen_options(options))

    def profile_python(self, options: OptionsLike = 0) -> Any:
        """Report by lines of Python code; returns a MultiGraphNodeProto."""
        return answer(self.report("code", options))

    profile_python_codes = profile_python

    def profile_operations(self, options: OptionsLike = 0) -> Any:
        """Report by op type; returns a MultiGraphNodeProto."""
        return answer(self.report("op", options))

    def profile_name_scope(self, options: OptionsLike = 0) -> Any:
        """Report by name scope; returns a GraphNodeProto."""
        return answer(self.report("scope", options))

    def profile_graph(self, options: OptionsLike = 0) -> Any:
        """Report by inputs and outputs; returns a GraphNodeProto."""
        return answer(self.report("graph", options))

    def advise(self, options: Mapping[str, Mapping[str, Any]] | int | None = 0) -> Any:
        """Check for known problems; all checkers by default. Returns an AdviceProto."""
        with self._lock:
            views = self._session.built if self._compat else None
            return print_advice(self.profile, options, compat=self._compat, views=views)

    def serialize_to_string(self) -> bytes:
        """All that was added, as the bytes of a ProfileProto."""
        with self._lock:
            return self._session.serialize()

    def save(self, path: str | PathLike[str]) -> None:
        """Write all that was added to a file, for `Profiler.load` or `tfprof --profile_path`."""
        write_file(path, self.serialize_to_string())

    _write_profile = save
