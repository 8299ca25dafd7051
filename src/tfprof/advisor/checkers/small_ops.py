"""SmallOps: steps that consist of so many tiny operations that scheduling them is the work."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Saving
from tfprof.advisor.node_queries import (
    IDLE,
    Facts,
    count,
    share,
    time,
)
from tfprof.advisor.requirement import RUN
from tfprof.advisor.step_time import step_times
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import BoolArray
from tfprof.profiles.user_code import describe_user_line

__all__ = ["CHECKER"]

_NAME = "SmallOps"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Many short runs, and a notable part of the step in which only they or nothing runs."""
    facts = Facts(profile, settings.quirks)
    runs = facts.runs
    computes = (
        ~facts.of_type(IDLE)[runs.time_node] if len(runs.time_node) else runs.time_accelerator
    )
    tiny = computes & (runs.time_duration < settings["micros"])
    steps = step_times(runs, profile.steps)
    if not steps or not computes.any():
        return
    whole = sum(step.length for step in steps)
    lost = whole - sum(step.when(runs, computes & ~tiny).length for step in steps)
    number = int(tiny.sum()) / len(steps)
    enough = number >= settings["count"] and 2 * tiny.sum() >= computes.sum()
    if not enough or lost < settings["share"] * whole:
        return
    message = (
        f"{number:.0f} of {computes.sum() / len(steps):.0f} op runs of a step take less than "
        f"{settings['micros']:.0f}us, and {lost / whole:.1%} of the step passes without a longer "
        "one running: it is bound by scheduling; fuse or batch the ops"
    )
    rows = tuple(_rows(facts, tiny, settings.top, len(steps)))
    yield Finding(_NAME, "warning", message, rows, Saving(time(lost / len(steps)), "per step"))


def _rows(facts: Facts, tiny: BoolArray, top: int, steps: int) -> Iterator[Evidence]:
    node = facts.runs.time_node[tiny]
    codes = facts.op_code[node]
    often = np.bincount(codes, minlength=len(facts.op_types))
    micros = np.bincount(codes, facts.runs.time_duration[tiny], len(facts.op_types))
    for at in np.argsort(-often, kind="stable")[:top].tolist():
        if not often[at]:
            return
        nodes, times = np.unique(node[codes == at], return_counts=True)
        commonest = int(nodes[np.argmax(times)])
        numbers = {
            "runs": count(often[at] / steps),
            "time": time(micros[at] / steps),
            "of runs": share(often[at] / int(tiny.sum())),
        }
        source = describe_user_line(facts.profile, commonest)
        note = f"e.g. {facts.name(commonest)}"
        yield Evidence(facts.op_types[at], numbers, source=source, note=note)


CHECKER = Checker(
    _NAME,
    "many tiny operations: the step is bound by scheduling",
    check,
    needs=(RUN,),
    settings={
        "micros": Setting(10, "runs shorter than this are tiny"),
        "count": Setting(500, "silent if a step has fewer tiny runs"),
        "share": Setting(0.2, "silent if a smaller share of the step is lost"),
        "top": Setting(5, "op types to show"),
    },
)
