"""StepVariance: steps that take longer than others, and the nodes that make the difference."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import numpy as np

from tfprof.advisor.checker import Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Saving
from tfprof.advisor.node_queries import Facts, share, time
from tfprof.advisor.requirement import STEPS
from tfprof.advisor.step_time import StepTime, step_times
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array

__all__ = ["CHECKER"]

_NAME = "StepVariance"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """The slowest step against the median, node by node against the fastest."""
    facts = Facts(profile, settings.quirks)
    steps = step_times(facts.runs, profile.steps)
    if len(steps) < 2:
        return
    usual = median(step.length for step in steps)
    slowest = max(steps, key=lambda step: step.length)
    fastest = min(steps, key=lambda step: step.length)
    late = slowest.length - usual
    if len(steps) == 2:
        # The median of two is between them; the faster one shows what is possible.
        usual, late = fastest.length, slowest.length - fastest.length
    if late <= settings["share"] * usual:
        return
    more = _micros(facts, slowest) - _micros(facts, fastest)
    rows = [
        facts.row(
            node,
            more=time(int(more[node])),
            of=time(int(_micros(facts, slowest)[node])),
        )
        for node in facts.largest(more, more > 0, settings.top)
    ]
    lengths = {f"step {step.step}": time(step.length) for step in (slowest, fastest)}
    message = (
        f"step {slowest.step} takes {slowest.length / usual - 1:.1%} longer than usual; below, "
        f"what it spends more than step {fastest.step}"
    )
    evidence = (Evidence("steps", lengths | {"longer": share(late / usual)}), *rows)
    yield Finding(_NAME, "warning", message, evidence, Saving(time(late), "in such a step"))


def _micros(facts: Facts, step: StepTime) -> Array:
    """The time of every node in a step."""
    runs = facts.runs
    sums = np.zeros(len(facts.profile.nodes), np.int64)
    np.add.at(sums, runs.interval_node[step.rows], runs.interval_duration[step.rows])
    return sums


CHECKER = Checker(
    _NAME,
    "steps that differ, and in which nodes",
    check,
    needs=(STEPS,),
    settings={
        "share": Setting(0.1, "silent if no step is longer than usual by more than this"),
        "top": Setting(5, "nodes to show"),
    },
)
