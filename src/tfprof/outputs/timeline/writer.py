"""Render timelines: of scope and code view where time went, of graph view what ran when."""

from __future__ import annotations

import gzip
import itertools
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import TypeVar

from tfprof.definitions.limits import check_timelines
from tfprof.errors import OptionError
from tfprof.outputs.document import Chunks, Document, Message, Rendering, RenderSettings
from tfprof.outputs.timeline import graph_trace_events, tree_trace_events
from tfprof.outputs.timeline.flows import FLOWS
from tfprof.profiles.executions import counts_of_steps
from tfprof.reports.make_report import report_of_step
from tfprof.reports.report import Report

T = TypeVar("T")

_STARS = "\n" + "*" * 54 + "\n"
_LARGE = 200 * 1024 * 1024
_TOO_LARGE = (
    "Trace file is over 200MB. Chrome might not be able to display it. Consider to use filters "
    "(e.g. -min_micros > 1000 or -op_type .*gpu:0.* to reduce the size."
)
_SUFFIXES = (".trace.json.gz", ".trace.json", ".json.gz")
_STDOUT = "-"
_SEVERAL = "several steps go to several files; choose one with -step, or name a file"
_NO_STEP = "Must specify -step option to generate timeline in graph view."


def render(report: Report, settings: RenderSettings) -> Rendering:
    """Render the timeline of a report; for graph view without a step, one of each step."""
    path, flows = settings.keys["outfile"], settings.keys.get("flows", FLOWS[0])
    if flows not in FLOWS:
        raise OptionError(f"option 'output': flows is '{flows}'; it may be {', '.join(FLOWS)}")
    steps = [report.options.step]
    if report.kind == "graph" and steps[0] < 0:
        steps = list(report.profile.steps)
        if not steps and not report.quirks.unsupported_is_a_message:
            raise OptionError("option 'output': a graph timeline needs a step, and there is none")
        if path == _STDOUT and len(steps) > 1 and not report.quirks.dash_is_a_file:
            raise OptionError(f"option 'output': {_SEVERAL}")
        check_timelines(path, **counts_of_steps(report.profile, report.quirks))
    for step in steps:
        if report.quirks.timelines_without_args:
            yield from _render_compat(report, step, f"{path}_{step}")
        else:
            yield from _render(
                report, step, path if len(steps) == 1 else step_path(path, step), flows
            )


def step_path(path: str, step: int) -> str:
    """The file of one of several steps: `x_0.json` beside `x_1.json`."""
    name = PurePath(path).name
    known = [suffix for suffix in _SUFFIXES if name.endswith(suffix)]
    suffix = known[0] if known else PurePath(path).suffix
    return f"{path.removesuffix(suffix)}_{step}{suffix}"


def _render_compat(report: Report, step: int, path: str) -> Rendering:
    """The original's file and what it prints."""
    stages: Iterable[tuple[Chunks, list[str]]]
    if report.kind != "graph":
        stages = [(tree_trace_events.compat_events(report), [])]
    elif step < 0:
        yield Message(_NO_STEP)
        return
    else:
        stages = graph_trace_events.compat_events(report_of_step(report, step))
    lines: list[list[str]] = []
    sizes: list[int] = []
    events = _without_first(_chain(stages, lines), len(b","))
    chunks = itertools.chain([b'{"traceEvents":['], events, [b"]}\n"])
    yield Document(_measure(chunks, sizes), path)
    printed = "".join(f"{line}\n" for line in itertools.chain(*lines))
    yield Document([printed.encode(errors="surrogateescape")])
    if sum(sizes) > _LARGE:
        yield Message(_TOO_LARGE)
    banner = (
        f"{_STARS}Timeline file is written to {path}.\n"
        f"Open a Chrome browser, enter URL chrome://tracing and load the timeline file.{_STARS}"
    )
    yield Document([banner.encode(errors="surrogateescape")])


def _render(report: Report, step: int, path: str, flows: str) -> Rendering:
    stages: Iterable[tuple[Chunks, int]]
    if report.kind == "graph":
        stages = graph_trace_events.events(report_of_step(report, step), flows)
    else:
        stages = [tree_trace_events.events(report)]
    counts: list[int] = []
    sizes: list[int] = []
    events = _without_first(_chain(stages, counts), len(b",\n"))
    opening = b'{"displayTimeUnit":"ms","traceEvents":[\n'
    chunks: Chunks = itertools.chain([opening], events, [b"\n]}\n"])
    if path.endswith(".gz"):
        chunks = _compress(chunks)
    yield Document(_measure(chunks, sizes), path)
    name = "standard output" if path == _STDOUT else path
    yield Message(
        f"{name}: {sum(counts):,} events, {sum(sizes) / 1e6:.1f} MB. "
        "Open it in ui.perfetto.dev or chrome://tracing."
    )


def _chain(stages: Iterable[tuple[Chunks, T]], results: list[T]) -> Iterator[bytes | memoryview]:
    """The chunks of each stage before the next stage is made; their results go to a list."""
    for chunks, result in stages:
        results.append(result)
        yield from chunks


def _without_first(chunks: Chunks, length: int) -> Chunks:
    """All chunks without the separator that the first event begins with.

    No chunk is held on to, so that the next one can be made in the same memory.
    """
    chunks = filter(len, chunks)
    yield from (first[length:] for first in itertools.islice(chunks, 1))
    yield from chunks


def _measure(chunks: Chunks, sizes: list[int]) -> Chunks:
    """The same chunks; their sizes go to a list."""

    def measure(chunk: bytes | memoryview) -> bytes | memoryview:
        sizes.append(len(chunk))
        return chunk

    return map(measure, chunks)


def _compress(chunks: Chunks) -> Chunks:
    yield gzip.compress(b"".join(chunks), 6, mtime=0)
