"""Timelines in the trace event format, which Perfetto and chrome://tracing open.

Scope and code view show where time went, graph view what ran when, one file for each step.
"""

from __future__ import annotations

import gzip
import itertools
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from tfprof.errors import OptionError
from tfprof.outputs.files import Texts, replaced, written
from tfprof.outputs.supported import refused
from tfprof.outputs.timeline import graph_trace_events, tree
from tfprof.outputs.timeline.flows import FLOWS

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["write"]

_STARS = "\n" + "*" * 54 + "\n"
_LARGE = 200 * 1024 * 1024
_TOO_LARGE = (
    "Trace file is over 200MB. Chrome might not be able to display it. Consider to use filters "
    "(e.g. -min_micros > 1000 or -op_type .*gpu:0.* to reduce the size.\n"
)
_NO_STEP = "Must specify -step option to generate timeline in graph view.\n"


def write(report: Report, keys: Mapping[str, str]) -> None:
    """Write the timeline of a report; of graph view and no step, one of every step."""
    flows = keys.get("flows", FLOWS[0])
    if flows not in FLOWS:
        raise OptionError(f"option 'output': flows is '{flows}'; it may be {', '.join(FLOWS)}")
    if refused(report, "timeline"):
        return
    steps = [report.options.step]
    if report.kind == "graph" and steps[0] < 0:
        steps = list(report.profile.steps)
        if not steps and not report.quirks.unsupported_is_a_message:
            raise OptionError("option 'output': a graph timeline needs a step, and there is none")
    for step in steps:
        path = keys["outfile"]
        if report.quirks.timelines_without_args:
            _write_plain(report, step, f"{path}_{step}")
        else:
            _write(report, step, path if len(steps) == 1 else f"{path}_{step}", flows)


def _write_plain(report: Report, step: int, path: str) -> None:
    """The original's file and what it prints."""
    stages: Iterable[tuple[Texts, list[str]]]
    if report.kind != "graph":
        stages = [(tree.plain_events(report), [])]
    elif step < 0:
        sys.stderr.write(_NO_STEP)
        return
    else:
        stages = graph_trace_events.plain_events(report.of_step(step))
    form = partial(_file, b'{"traceEvents":[', b"]}\n", b",")
    with replaced(path) as stream:
        size, lines = written(stream, stages, form)
    sys.stdout.writelines(f"{line}\n" for line in itertools.chain(*lines))
    if size > _LARGE:
        sys.stderr.write(_TOO_LARGE)
    sys.stdout.write(
        f"{_STARS}Timeline file is written to {path}.\n"
        f"Open a Chrome browser, enter URL chrome://tracing and load the timeline file.{_STARS}"
    )


def _write(report: Report, step: int, path: str, flows: str) -> None:
    stages: Iterable[tuple[Texts, int]]
    if report.kind == "graph":
        stages = graph_trace_events.events(report.of_step(step), flows)
    else:
        stages = [tree.events(report)]
    form: Callable[[Texts], Texts] = partial(
        _file, b'{"displayTimeUnit":"ms","traceEvents":[\n', b"\n]}\n", b",\n"
    )
    if path.endswith((".gz", f".gz_{step}")):
        form = partial(_compressed, form)
    with replaced(path) as stream:
        size, counts = written(stream, stages, form)
    sys.stdout.write(
        f"{path}: {sum(counts):,} events, {size / 1e6:.1f} MB. "
        "Open it in ui.perfetto.dev or chrome://tracing.\n"
    )


def _compressed(form: Callable[[Texts], Texts], texts: Texts) -> Texts:
    return [gzip.compress(b"".join(form(texts)), 6, mtime=0)]


def _file(before: bytes, after: bytes, between: bytes, texts: Texts) -> Texts:
    """The parts of a file of events; what stands before the first one is left out.

    No text is held on to, so that the next one can be made where it was.
    """
    texts = filter(len, texts)
    yield before
    yield from (first[len(between) :] for first in itertools.islice(texts, 1))
    yield from texts
    yield after
