"""InputStall: time in which a step only waits for its input."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.advisor.checker import RUN, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import IDLE, INPUT, NodeQueries, time
from tfprof.advisor.step_time import step_times
from tfprof.advisor.trace_time import TraceTime
from tfprof.loaders.xplane.op_events import DATA
from tfprof.profiles.profile import Profile

_NAME = "InputStall"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """The time, on average, in which queue and iterator ops run and no computation does."""
    queries = NodeQueries(profile, settings.quirks)
    if profile.exact_durations:
        yield from _check_trace(queries, settings)
        return
    executions = queries.executions
    inputs = queries.has_op_type(INPUT)
    waiting = inputs[executions.interval_node]
    working = ~(inputs | queries.has_op_type(IDLE))[executions.interval_node]
    stalled, lengths, rows = [], [], []
    for step in step_times(executions, profile.steps):
        work = step.intervals(executions, working)
        stall = step.intervals(executions, waiting).length_outside(work)
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


def _check_trace(queries: NodeQueries, settings: Settings) -> Iterator[Finding]:
    """In a trace of consecutive steps also tf.data is recorded, and the time between steps."""
    trace = TraceTime(queries)
    stalled, elapsed = trace.stalled, trace.elapsed
    if not stalled or stalled < settings["share"] * elapsed:
        return
    inputs = queries.has_op_type(INPUT) | queries.is_in_scope(DATA)
    rows = [
        queries.evidence(node, time=time(int(queries.micros[node])))
        for node in queries.largest(queries.micros, inputs, settings.top)
    ]
    numbers = {
        "stalled": time(stalled),
        "elapsed": time(elapsed),
        "in ops": time(trace.work.length),
    }
    message = (
        f"the program only waits for its input {stalled / elapsed:.1%} of the time: make the "
        "tf.data pipeline faster (prefetch, num_parallel_calls, cache), or move work out of it"
    )
    steps = max(len(queries.profile.steps), 1)
    evidence = (Evidence("trace", numbers), *rows)
    yield Finding(_NAME, "warning", message, evidence, Impact(time(stalled / steps), "per step"))


CHECKER = Checker(
    _NAME,
    "time in which a step only waits for its input",
    check,
    requires=(RUN,),
    settings={
        "share": Setting(0.05, "report nothing if a smaller share of the time is spent waiting"),
        "top": Setting(5, "input nodes and steps to show"),
    },
)
