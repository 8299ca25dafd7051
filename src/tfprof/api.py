"""The Python API: load files into a profile, ask it for reports, and the original's functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from tfprof import outputs
from tfprof.advisor import Advice, advise
from tfprof.errors import OptionError
from tfprof.loaders.checkpoint import open_checkpoint
from tfprof.loaders.graph_def import read_graph
from tfprof.loaders.op_log import read_op_log
from tfprof.loaders.profile_proto import read_profile
from tfprof.loaders.run_metadata import read_run
from tfprof.loaders.sources import Source
from tfprof.options import Options
from tfprof.profiles.profile import Profile
from tfprof.quirks import Quirks, quirks_for
from tfprof.report import Report, make_report
from tfprof.views import VIEWS

__all__ = ["Session", "load", "profile"]


def load(
    graph: Source = None,
    run_meta: Source | Iterable[Source] = None,
    op_log: Source = None,
    profile: Source = None,
    *,
    checkpoint: str | PathLike[str] | None = None,
    compat: bool = False,
) -> Profile:
    """A profile from files, bytes or messages; several run_meta are steps 0, 1, 2 and so on."""
    loaded = Profile() if profile is None else read_profile(profile)
    if graph is not None:
        loaded = loaded.with_graph(read_graph(graph))
    if checkpoint is not None:
        loaded = loaded.with_checkpoint(open_checkpoint(checkpoint))
    runs = [] if run_meta is None else run_meta
    if not isinstance(runs, (list, tuple)):
        runs = [runs]
    for step, run in enumerate(runs):
        loaded = add_run(loaded, step, run, quirks_for(compat))
    if op_log is not None:
        loaded = loaded.with_op_log(read_op_log(op_log))
    return loaded


def add_run(profile: Profile, step: int, run_meta: Source, quirks: Quirks) -> Profile:
    """A profile with a run added to a step; a run without records leaves it as it is."""
    run = read_run(run_meta)
    return profile if run is None else profile.with_run(step, run, quirks)


class Session:
    """Profiles that grow: what the original's process-wide profiler is, as often as one likes.

    In compat a view keeps the structure it had when it was first asked for, until a graph node is
    added.
    """

    def __init__(
        self, graph: Source = None, op_log: Source = None, *, compat: bool = False
    ) -> None:
        self.quirks = quirks_for(compat)
        self.profile = Profile()
        self._built: dict[str, Profile] = {}
        self._add_graph(graph)
        self._add_op_log(op_log)

    def add_step(
        self, step: int, run_meta: Source, *, graph: Source = None, op_log: Source = None
    ) -> None:
        """Add a graph, a run and an op log, in this order."""
        self._add_graph(graph)
        self.profile = add_run(self.profile, step, run_meta, self.quirks)
        self._add_op_log(op_log)

    def report(self, kind: str, options: Mapping[str, Any] | Options | None = None) -> Report:
        """The report of a view."""
        built = None
        if self.quirks.views_built_once:
            built = self._built.setdefault(kind, self.profile)
        return make_report(
            self.profile, kind, Options.build(options, self.quirks), self.quirks, built_from=built
        )

    def advise(self, checkers: Any = None) -> Advice:
        """What checkers find; in compat this builds all views, as the original does."""
        built: dict[str, Profile] = {}
        if self.quirks.views_built_once:
            built = {kind: self._built.setdefault(kind, self.profile) for kind in VIEWS}
        return advise(self.profile, checkers, compat=self.quirks.views_built_once, views=built)

    def serialize(self) -> bytes:
        """The ProfileProto of all that was added."""
        from tfprof.outputs.profile_proto import serialized

        return serialized(self.profile, self.quirks)

    def _add_graph(self, graph: Source) -> None:
        if graph is None:
            return
        grown = self.profile.with_graph(read_graph(graph))
        if grown is not self.profile:
            self._built.clear()
        self.profile = grown

    def _add_op_log(self, op_log: Source) -> None:
        if op_log is not None:
            self.profile = self.profile.with_op_log(read_op_log(op_log))


def profile(
    graph: Source = None,
    run_meta: Source = None,
    op_log: Source = None,
    cmd: str = "scope",
    options: Mapping[str, Any] | Options | None = None,
    *,
    compat: bool = False,
) -> Any:
    """Profile a model once: write a report where the options say, and return its message."""
    if cmd not in VIEWS:
        raise OptionError(f"unknown cmd: {cmd}; known are {', '.join(VIEWS)}")
    loaded = load(graph, run_meta, op_log, compat=compat)
    return answer(loaded.report(cmd, options, compat=compat))


def answer(report: Report) -> Any:
    """Write a report as the original's functions do, with banners on the terminal."""
    if outputs.parse(report.options.output)[0].name == "stdout":
        outputs.print_bytes(outputs.text.with_banners(report))
    else:
        report.write()
    return report.proto()
