"""HostBound: time between the steps of a trace in which nothing runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tfprof.advisor.checker import TIMELINE, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import NodeQueries, time
from tfprof.advisor.trace_time import TraceTime
from tfprof.profiles.profile import Profile

_NAME = "HostBound"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """The share of the trace in which no op runs and no input is awaited."""
    trace = TraceTime(NodeQueries(profile, settings.quirks))
    idle, elapsed = trace.idle, trace.elapsed
    if elapsed <= 0 or idle <= settings["share"] * elapsed:
        return
    gaps = [(after.start - before.end, before, after) for before, after in pairwise(trace.runs)]
    gaps.sort(key=lambda gap: -gap[0])
    rows = [
        Evidence(_describe(before.step, after.step), {"gap": time(gap)})
        for gap, before, after in gaps[: settings.top]
        if gap > 0
    ]
    numbers = {"idle": time(idle), "elapsed": time(elapsed), "in ops": time(trace.work.length)}
    message = (
        f"nothing runs {idle / elapsed:.1%} of the time between the first op and the last: Python "
        "takes it, between steps or op by op; move its work into a tf.function or out of the loop, "
        "or run several steps in a call (steps_per_execution)"
    )
    impact = Impact(time(idle / max(len(profile.steps), 1)), "per step")
    yield Finding(_NAME, "warning", message, (Evidence("trace", numbers), *rows), impact)


def _describe(before: int, after: int) -> str:
    return f"in step {after}" if before == after else f"between step {before} and {after}"


CHECKER = Checker(
    _NAME,
    "time between steps in which nothing runs",
    check,
    requires=(TIMELINE,),
    settings={
        "share": Setting(0.25, "report nothing if a smaller share of the time is idle"),
        "top": Setting(3, "gaps to show"),
    },
)
