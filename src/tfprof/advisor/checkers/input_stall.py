"""InputStall: time in which a step only waits for its input."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.advisor.checker import Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Saving
from tfprof.advisor.node_queries import (
    IDLE,
    INPUT,
    Facts,
    time,
)
from tfprof.advisor.requirement import RUN
from tfprof.advisor.step_time import step_times
from tfprof.profiles.profile import Profile

__all__ = ["CHECKER"]

_NAME = "InputStall"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """The time, on average, in which queue and iterator ops run and no computation does."""
    facts = Facts(profile, settings.quirks)
    runs = facts.runs
    inputs = facts.of_type(INPUT)
    waiting = inputs[runs.interval_node]
    working = ~(inputs | facts.of_type(IDLE))[runs.interval_node]
    stalled, lengths, rows = [], [], []
    for step in step_times(runs, profile.steps):
        stall = step.when(runs, waiting).without(step.when(runs, working))
        stalled.append(stall)
        lengths.append(step.length)
        numbers = {"stalled": time(stall), "of": time(step.length)}
        rows.append(Evidence(f"step {step.step}", numbers))
    whole = sum(lengths)
    if not whole or sum(stalled) < settings["share"] * whole or not any(stalled):
        return
    nodes = facts.largest(facts.micros, inputs, settings.top)
    dearest = [facts.row(node, time=time(int(facts.micros[node]))) for node in nodes]
    mean = sum(stalled) / len(stalled)
    message = (
        f"the step waits for input {sum(stalled) / whole:.1%} of the time: nothing computes while "
        "it does; prefetch, or make the input pipeline faster"
    )
    stake = Saving(time(mean), "per step")
    yield Finding(_NAME, "warning", message, (*dearest, *rows[: settings.top]), stake)


CHECKER = Checker(
    _NAME,
    "time in queue and iterator ops while nothing computes",
    check,
    needs=(RUN,),
    settings={
        "share": Setting(0.05, "silent if a smaller share of the time is spent waiting"),
        "top": Setting(5, "input nodes and steps to show"),
    },
)
