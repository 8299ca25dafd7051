"""StepVariance: steps that take longer than others, and the nodes that cause it."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import numpy as np

from tfprof.advisor.checker import STEPS, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import NodeQueries, share, time
from tfprof.advisor.step_time import StepTime, step_times
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array

_NAME = "StepVariance"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Compare the slowest step with the median, and its nodes with those of the fastest step."""
    queries = NodeQueries(profile, settings.quirks)
    steps = step_times(queries.executions, profile.steps)
    if len(steps) < 2:
        return
    usual = median(step.length for step in steps)
    slowest = max(steps, key=lambda step: step.length)
    fastest = min(steps, key=lambda step: step.length)
    late = slowest.length - usual
    if len(steps) == 2:
        # The median of two steps is between them: compare with the faster one.
        usual, late = fastest.length, slowest.length - fastest.length
    if usual <= 0 or late <= settings["share"] * usual:
        return
    extra = _micros(queries, slowest) - _micros(queries, fastest)
    rows = [
        queries.evidence(
            node, extra=time(int(extra[node])), total=time(int(_micros(queries, slowest)[node]))
        )
        for node in queries.largest(extra, extra > 0, settings.top)
    ]
    lengths = {f"step {step.step}": time(step.length) for step in (slowest, fastest)}
    message = (
        f"step {slowest.step} takes {slowest.length / usual - 1:.1%} longer than usual; largest "
        f"differences from step {fastest.step}"
    )
    evidence = (Evidence("steps", lengths | {"slower by": share(late / usual)}), *rows)
    yield Finding(_NAME, "warning", message, evidence, Impact(time(late), "in this step"))


def _micros(queries: NodeQueries, step: StepTime) -> Array:
    """The time of every node in a step."""
    executions = queries.executions
    sums = np.zeros(len(queries.profile.nodes), np.int64)
    np.add.at(sums, executions.interval_node[step.rows], executions.interval_duration[step.rows])
    return sums


CHECKER = Checker(
    _NAME,
    "slow steps, and the nodes that cause the difference",
    check,
    requires=(STEPS,),
    settings={
        "share": Setting(0.1, "report nothing if no step is slower by a larger share"),
        "top": Setting(5, "nodes to show"),
    },
)
