"""Profiling while a training job runs, without a change to the job.

No error reaches the job: the first one is reported, and training goes on.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tfprof.errors import OptionError
from tfprof.runtime.exceptions import is_error
from tfprof.tf_compat.function_steps import DEFAULT_STEPS, FunctionSteps
from tfprof.tf_compat.session_run import RunCall, base_session
from tfprof.tf_compat.trace_schedule import Schedule

_COMMANDS = {
    "graph": "profile_graph",
    "scope": "profile_name_scope",
    "op": "profile_operations",
    "code": "profile_python",
}
_active: list[ProfileContext] = []


class ProfileContext:
    """A context manager that traces some runs of all sessions and collects them in `profiler`.

    with tfprof.ProfileContext("/tmp/train", trace_steps=range(100, 103), dump_steps=[102]):
        train()

    Steps count the calls of `run` from 0. Without `trace_steps` runs are sampled, at first for each
    new set of fetches. After each of `dump_steps` (100 by default) `<profile_dir>/profile_<step>`
    is written, which `tfprof --profile_path` opens.

    Where no session runs, as in `model.fit` of TensorFlow 2, steps count the calls of a
    `tf.function`. Then the first steps of `trace_steps` that follow each other are captured in
    `profile_dir`, which `tfprof` opens, and results are there when the context ends.
    """

    def __init__(
        self,
        profile_dir: str,
        trace_steps: Iterable[int] | None = None,
        dump_steps: Iterable[int] | None = None,
        enabled: bool = True,
        debug: bool = False,
        *,
        compat: bool = False,
    ) -> None:
        self._enabled = enabled
        self._profiles: dict[str, dict[int, Any]] = {}
        self._profiler: Any = None
        self._original_run: Callable[..., Any] | None = None
        self._functions: FunctionSteps | None = None
        if not enabled:
            return
        if not profile_dir:
            raise ValueError("Must have a directory for profile.\n")
        self._folder = Path(profile_dir)
        self._schedule = Schedule(trace_steps, dump_steps)
        self._debug = debug
        self._compat = compat
        self._jobs: list[tuple[str, Mapping[str, Any], frozenset[int]]] = []
        self._steps = itertools.count()
        self._lock = threading.Lock()
        self._has_failed = False

    @property
    def profiler(self) -> Any:
        """The profiler that traced runs go to; None when disabled."""
        return self._get_profiler(None) if self._enabled else None

    def trace_next_step(self) -> None:
        """Trace the next run."""
        if self._enabled:
            self._schedule.trace_next()

    def dump_next_step(self) -> None:
        """Write a file after the next run."""
        if self._enabled:
            self._schedule.dump_next()

    def add_auto_profiling(
        self, cmd: str, options: Mapping[str, Any], profile_steps: Iterable[int]
    ) -> None:
        """Trace these steps and report a view after each of them."""
        if not self._enabled:
            return
        if cmd not in _COMMANDS:
            raise OptionError(f"Unknown cmd: {cmd}; known are {', '.join(_COMMANDS)}")
        steps = frozenset(profile_steps)
        self._jobs.append((cmd, dict(options), steps))
        self._schedule.also_trace(steps)

    def get_profiles(self, cmd: str) -> dict[int, Any]:
        """The results of a view that `add_auto_profiling` asked for, by step.

        Each is a GraphNodeProto for scope and graph, a MultiGraphNodeProto for op and code.
        """
        if cmd not in self._profiles:
            known = ", ".join(self._profiles) or "none"
            raise OptionError(f"No auto profiling of '{cmd}' was run; run were {known}")
        return dict(self._profiles[cmd])

    def __enter__(self) -> ProfileContext:  # noqa: PYI034 - typing.Self is not in Python 3.10
        if not self._enabled:
            return self
        if _active:
            raise RuntimeError("Already in context or context not cleaned.")
        base = base_session()
        original = base.run
        context = self

        def run(
            session: Any,
            fetches: Any,
            feed_dict: Any = None,
            options: Any = None,
            run_metadata: Any = None,
        ) -> Any:
            call = RunCall(original, session, fetches, feed_dict, options, run_metadata)
            return context._run(call)

        run.__doc__ = original.__doc__
        self._original_run = original
        base.run = run
        _active.append(self)
        steps = self._schedule.requested_steps(DEFAULT_STEPS)
        if steps and not self._compat:
            self._functions = FunctionSteps(self._folder, steps)
        return self

    def __exit__(self, *_error: object) -> None:
        if self._original_run is not None:
            base_session().run = self._original_run
            self._original_run = None
            _active.remove(self)
        if self._functions is not None:
            functions, self._functions = self._functions, None
            with self._report_faults(0):
                self._end(functions)

    def _end(self, functions: FunctionSteps) -> None:
        """Report and write what a capture of functions is due."""
        has_sessions = next(self._steps) > 0
        functions.finish()
        if has_sessions:
            return
        self._message(functions.message)
        profile = functions.profile()
        if profile is None:
            return
        self._profiler = functions.profiler(profile)
        for step in profile.steps:
            self._report(step)
        for step in self._schedule.dumps(functions.calls):
            self._dump(step, None)

    def _run(self, call: RunCall) -> Any:
        if self._functions is not None:
            # A session traces itself, which a running profiler would prevent.
            self._functions.finish()
        step = next(self._steps)
        # While another thread is tracing, this run is counted but not traced.
        if self._schedule.is_idle(step) or not self._lock.acquire(blocking=False):
            return call.run_unchanged()
        try:
            return self._run_and_report(step, call)
        finally:
            self._lock.release()

    def _run_and_report(self, step: int, call: RunCall) -> Any:
        """Trace a run if it is due, then report and write what is due after it."""
        metadata = None
        with self._report_faults(step):
            metadata = self._metadata(step, call)
        result = call.run_unchanged() if metadata is None else call.run_traced(metadata)
        with self._report_faults(step):
            if metadata is not None:
                self._add(step, call.session.graph, metadata)
            self._report(step)
        with self._report_faults(step):
            if self._schedule.should_dump(step):
                self._dump(step, call.session.graph)
        return result

    def _metadata(self, step: int, call: RunCall) -> Any | None:
        """The message to trace a run into; None if it is not traced."""
        fetches = call.fetch_names()
        coverage = self._profiler.profile.coverage if self._profiler is not None else 0.0
        if not self._schedule.should_trace(step, fetches, coverage):
            return None
        self._debug_message(f"tracing step: {step}")
        self._debug_message(f"trace fetches: {fetches}")
        return call.metadata()

    def _add(self, step: int, graph: Any, metadata: Any) -> None:
        self._get_profiler(graph).add_step(step, metadata)
        if self._debug:
            from google.protobuf import text_format

            self._folder.mkdir(parents=True, exist_ok=True)
            text = text_format.MessageToString(metadata)
            (self._folder / f"run_meta_{step}").write_text(text, encoding="utf-8")

    def _report(self, step: int) -> None:
        for cmd, options, steps in self._jobs:
            if step in steps and self._profiler is not None:
                self._debug_message(f"profiling {cmd} step: {step}")
                result = getattr(self._profiler, _COMMANDS[cmd])(options)
                self._profiles.setdefault(cmd, {})[step] = result

    def _dump(self, step: int, graph: Any) -> None:
        self._debug_message(f"dumping file at step: {step}")
        self._folder.mkdir(parents=True, exist_ok=True)
        self._get_profiler(graph).save(self._folder / f"profile_{step}")

    def _get_profiler(self, graph: Any) -> Any:
        if self._profiler is None:
            from tfprof.api.profiler import Profiler

            self._profiler = Profiler(graph, compat=self._compat)
        return self._profiler

    def _debug_message(self, text: str) -> None:
        if self._debug:
            self._message(f"debug: {text}")

    def _message(self, text: str) -> None:
        if sys.stderr is not None:
            sys.stderr.write(f"{text}\n")

    @contextlib.contextmanager
    def _report_faults(self, step: int) -> Iterator[None]:
        """Keep errors from the training job; report the first one."""
        try:
            yield
        except BaseException as fault:
            if not is_error(fault):
                raise
            if not self._has_failed and sys.stderr is not None:
                self._has_failed = True
                with contextlib.suppress(Exception):
                    reason = f"{type(fault).__name__}: {fault}"
                    sys.stderr.write(f"tfprof: profiling step {step} failed: {reason}\n")
