"""A profiler of several steps, as the original's class of that name, any number side by side."""

from __future__ import annotations

import os
import threading
import weakref
from dataclasses import replace
from os import PathLike
from typing import Any

import pyarrow as pa

from tfprof.api.advice import AdviceOptions, print_advice
from tfprof.api.profile import Profile
from tfprof.api.report import Report
from tfprof.api.request import OptionsLike, parse_request, refuse_output, report_on, run_request
from tfprof.api.screen import Screen
from tfprof.definitions.quirks import quirks_for
from tfprof.loaders import read_input
from tfprof.loaders.graph_def import read_graph
from tfprof.loaders.messages import MessageLike
from tfprof.loaders.op_log import read_op_log
from tfprof.loaders.profile_proto import read_profile
from tfprof.outputs.files import write_file
from tfprof.profiles.executions import has_odd_records, record_warnings
from tfprof.profiles.profile import check_step
from tfprof.profiles.schema import Records
from tfprof.profiles.source_columns import RunColumns
from tfprof.recording.build_profile import (
    add_run,
    find_model,
    log_columns,
    model_log,
    with_empty_traces,
    with_saved_traces,
)
from tfprof.recording.live_graph import read_live_graph
from tfprof.resolve.runtime_shapes import with_runtime_shapes
from tfprof.runtime.gc_pause import gc_paused
from tfprof.views import VIEWS

_MAX_PENDING_BYTES = 1 << 26

_PROFILERS: weakref.WeakSet[Profiler] = weakref.WeakSet()


def _renew_locks() -> None:
    """Free the locks of profilers in a new process: the threads that hold them are not there."""
    for profiler in _PROFILERS:
        profiler._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


class Profiler:
    """Collects the runs of a model and reports on them.

    `graph` may be anything that `tfprof.profile` takes. Methods may be called from any thread. In
    compat a view keeps the tree it had at the first report or advice, until a graph node is added.
    """

    def __init__(
        self, graph: Any = None, op_log: MessageLike = None, *, compat: bool = False
    ) -> None:
        self._lock = threading.RLock()
        _PROFILERS.add(self)
        self._compat = compat
        self._quirks = quirks_for(compat)
        self._complete = Profile(compat=compat)
        self._pending: list[tuple[int, RunColumns]] = []
        """Runs that are added together when the profile is next asked for."""
        self._pending_bytes = 0
        self._views: dict[str, Profile] = {}
        self._model = find_model(graph)
        self._graph_version: Any = None
        # The output shapes as far as runs have completed them; compat does not show them.
        self._shapes: pa.Array = self._profile.nodes.output_shapes
        if self._model.live is not None:
            self._update_live(op_log)
            return
        self._add_graph(self._model.source)
        self._add_op_log(op_log)
        self._profile = Profile.from_columns(with_saved_traces(self._profile, graph, self._quirks))

    @classmethod
    def load(cls, path: MessageLike, *, compat: bool = False) -> Profiler:
        """A profiler with all that another has saved; steps can be added to it."""
        loaded = cls(b"", compat=compat)
        saved = with_empty_traces(read_profile(path), loaded._quirks)
        loaded._profile = Profile.from_columns(saved.replace(compat=compat))
        return loaded

    @classmethod
    def of_profile(cls, profile: Profile) -> Profiler:
        """A profiler with a profile that was loaded."""
        profiler = cls(b"")
        profiler._profile = profile
        return profiler

    @property
    def profile(self) -> Profile:
        """All that was added so far."""
        with self._lock:
            return self._profile

    @property
    def _profile(self) -> Profile:
        self._add_pending()
        return self._complete

    @_profile.setter
    def _profile(self, profile: Profile) -> None:
        self._complete = profile

    def add_step(
        self,
        step: int,
        run_meta: MessageLike,
        *,
        graph: MessageLike = None,
        op_log: MessageLike = None,
    ) -> None:
        """Add a run to a step, and with it a graph and an op log that a model had by then.

        A run without records is reported and skipped.
        """
        if not hasattr(step, "__index__") or isinstance(step, bool):
            raise TypeError(f"step: a {type(step).__name__} was given; accepted is a whole number")
        if run_meta is None:
            raise TypeError("run_meta: None was given; accepted is a RunMetadata, bytes or a path")
        with self._lock, gc_paused():
            if self._model.live is None and graph is None and op_log is None:
                self._add_later(int(step), run_meta)
                return
            before = len(self._profile.records)
            if self._model.live is not None:
                self._update_live(op_log, int(step), run_meta)
            else:
                self._add_graph(graph)
                self._add_run(int(step), run_meta)
                self._add_op_log(op_log)
            messages = record_warnings(self._profile, self._quirks, before)
            if len(self._profile.records) == before:
                messages = (f"Invalid RunMetadata for step {step}",)
            Screen.standard().info(*messages)

    def report(self, view: str, options: OptionsLike = 0) -> Report:
        """The report of a view, with everything it can be asked."""
        with self._lock:
            request = parse_request(view, options, compat=self._compat)
            refuse_output(request.options)
            return report_on(self._profile, request, built_from=self._built_from(view))

    def profile_python(self, options: OptionsLike = 0) -> Any:
        """Report by lines of Python code; returns a MultiGraphNodeProto."""
        return self._run_request("code", options)

    profile_python_codes = profile_python

    def profile_operations(self, options: OptionsLike = 0) -> Any:
        """Report by op type; returns a MultiGraphNodeProto."""
        return self._run_request("op", options)

    def profile_name_scope(self, options: OptionsLike = 0) -> Any:
        """Report by name scope; returns a GraphNodeProto."""
        return self._run_request("scope", options)

    def profile_graph(self, options: OptionsLike = 0) -> Any:
        """Report by inputs and outputs; returns a GraphNodeProto."""
        return self._run_request("graph", options)

    def advise(self, options: AdviceOptions = 0) -> Any:
        """Check for known problems; all checkers by default. Returns an AdviceProto."""
        with self._lock:
            views = dict(self._views)
            for view in VIEWS:
                self._built_from(view)
            return print_advice(self._profile, options, compat=self._compat, views=views)

    def serialize_to_string(self) -> bytes:
        """All that was added, as the bytes of a ProfileProto."""
        with self._lock:
            return self._profile.serialize(compat=self._compat)

    def save(self, path: str | PathLike[str]) -> None:
        """Write all that was added to a file, for `Profiler.load` or `tfprof --profile_path`."""
        write_file(path, self.serialize_to_string())

    _write_profile = save

    def _run_request(self, view: str, options: OptionsLike) -> Any:
        with self._lock:
            request = parse_request(view, options, compat=self._compat, banners=True)
            built_from = self._built_from(view)
            return run_request(self._profile, request, built_from=built_from).proto()

    def _built_from(self, view: str) -> Profile | None:
        """The profile that a view was built from earlier; nothing if it is built now."""
        if not self._quirks.views_built_once:
            return None
        earlier = self._views.get(view)
        self._views.setdefault(view, self._profile)
        return earlier

    def _add_graph(self, graph: MessageLike) -> None:
        if graph is not None:
            self._with_graph(read_graph(graph))

    def _with_graph(self, columns: Any) -> None:
        grown = self._profile.with_graph(columns)
        if grown is not self._profile:
            self._views.clear()
        self._profile = Profile.from_columns(grown)

    def _add_pending(self) -> None:
        if self._pending:
            grown = self._complete.with_runs(self._pending, self._quirks)
            self._complete = Profile.from_columns(grown)
            self._pending, self._pending_bytes = [], 0

    def _add_later(self, step: int, run_meta: MessageLike) -> None:
        """Keep a run until the profile is asked for: each time, all names are compared.

        What the original says of odd records is said at once.
        """
        run = read_input("run_meta", run_meta)
        if run is None:
            Screen.standard().info(f"Invalid RunMetadata for step {step}")
            return
        check_step(step, self._quirks)
        self._pending.append((step, run))
        self._pending_bytes += run.name.nbytes
        if self._quirks.records_reported_once and has_odd_records(run):
            messages = record_warnings(self._profile, self._quirks, len(self._profile.records) - 1)
            Screen.standard().info(*messages)
        elif self._pending_bytes > _MAX_PENDING_BYTES:
            self._add_pending()

    def _add_run(self, step: int, run_meta: MessageLike) -> None:
        self._profile = Profile.from_columns(add_run(self._profile, step, run_meta, self._quirks))

    def _add_op_log(self, op_log: MessageLike) -> None:
        if op_log is not None:
            self._profile = Profile.from_columns(self._profile.with_op_log(read_op_log(op_log)))

    def _update_live(
        self, op_log: MessageLike, step: int = 0, run_meta: MessageLike = None
    ) -> None:
        """Add what is new in a live graph, a run, and the float operations of both."""
        model, quirks = self._model, self._quirks
        is_new = self._graph_version != model.version
        if is_new:
            self._with_graph(read_live_graph(model.live, quirks))
            self._graph_version = model.version
        before = len(self._profile.records)
        if run_meta is not None:
            self._add_run(step, run_meta)
        shaped, messages = self._complete_shapes(self._profile.records[before:])
        has_run = run_meta is not None
        log, more = model_log(model, shaped, quirks, traces=is_new, has_run=has_run)
        if not is_new:
            log = replace(log, trainable=[])
        profile = self._profile.with_op_log(log_columns(log, op_log, quirks))
        self._profile = Profile.from_columns(profile)
        Screen.standard().info(*messages, *more)

    def _complete_shapes(self, runs: tuple[Records, ...]) -> tuple[Profile, list[str]]:
        """The profile with all shapes that are known by now, new runs included."""
        nodes = self._profile.nodes
        rest = nodes.output_shapes.slice(len(self._shapes))
        known = pa.concat_arrays([self._shapes, rest])
        shaped = self._profile.replace(nodes=replace(nodes, output_shapes=known))
        shaped, messages = with_runtime_shapes(shaped, self._quirks, runs)
        self._shapes = shaped.nodes.output_shapes
        if not self._quirks.exact_runtime_names:
            self._profile = Profile.from_columns(shaped)
        return Profile.from_columns(shaped), messages
