"""InputStall: time in which a step only waits for its input."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.advisor.checker import RUN, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import IDLE, INPUT, NodeQueries, time
from tfprof.advisor.step_time import step_times
from tfprof.profiles.profile import Profile

_NAME = "InputStall"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """The time, on average, in which queue and iterator ops run and no computation does."""
    queries = NodeQueries(profile, settings.quirks)
    runs = queries.executions
    inputs = queries.has_op_type(INPUT)
    waiting = inputs[runs.interval_node]
    working = ~(inputs | queries.has_op_type(IDLE))[runs.interval_node]
    stalled, lengths, rows = [], [], []
    for step in step_times(runs, profile.steps):
        stall = step.intervals(runs, waiting).length_outside(step.intervals(runs, working))
        stalled.append(stall)
        lengths.append(step.length)
        numbers = {"stalled": time(stall), "elapsed": time(step.length)}
        rows.append(Evidence(f"step {step.step}", numbers))
    elapsed = sum(lengths)
    if not elapsed or sum(stalled) < settings["share"] * elapsed or not any(stalled):
        return
    nodes = queries.largest(queries.micros, inputs, settings.top)
    most_expensive = [
        queries.evidence(node, time=time(int(queries.micros[node]))) for node in nodes
    ]
    mean = sum(stalled) / len(stalled)
    message = (
        f"the step only waits for input {sum(stalled) / elapsed:.1%} of the time: prefetch, or "
        "make the input pipeline faster"
    )
    impact = Impact(time(mean), "per step")
    yield Finding(_NAME, "warning", message, (*most_expensive, *rows[: settings.top]), impact)


CHECKER = Checker(
    _NAME,
    "time in queue and iterator ops while nothing computes",
    check,
    requires=(RUN,),
    settings={
        "share": Setting(0.05, "report nothing if a smaller share of the time is spent waiting"),
        "top": Setting(5, "input nodes and steps to show"),
    },
)
