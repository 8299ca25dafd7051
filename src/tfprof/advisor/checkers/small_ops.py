"""SmallOps: steps with so many tiny operations that scheduling dominates."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import RUN, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import IDLE, NodeQueries, count, share, time
from tfprof.advisor.step_time import step_times
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import BoolArray
from tfprof.profiles.user_code import describe_user_line

_NAME = "SmallOps"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Many short executions, and much of the step in which nothing longer runs."""
    queries = NodeQueries(profile, settings.quirks)
    executions = queries.executions
    computes = ~queries.has_op_type(IDLE)[executions.interval_node]
    tiny = computes & (executions.interval_duration < settings["micros"])
    steps = step_times(executions, profile.steps)
    if not steps or not computes.any():
        return
    elapsed = sum(step.length for step in steps)
    lost = elapsed - sum(step.intervals(executions, computes & ~tiny).length for step in steps)
    number = int(tiny.sum()) / len(steps)
    enough = number >= settings["count"] and 2 * tiny.sum() >= computes.sum()
    if elapsed <= 0 or not enough or lost < settings["share"] * elapsed:
        return
    message = (
        f"{number:.0f} of {computes.sum() / len(steps):.0f} op executions of a step take less than "
        f"{settings['micros']:.0f}us, and nothing longer runs in {lost / elapsed:.1%} of the step: "
        "it is bound by scheduling; fuse or batch the ops"
    )
    rows = tuple(_rows(queries, tiny, settings.top, len(steps)))
    yield Finding(_NAME, "warning", message, rows, Impact(time(lost / len(steps)), "per step"))


def _rows(queries: NodeQueries, tiny: BoolArray, top: int, steps: int) -> Iterator[Evidence]:
    node = queries.executions.interval_node[tiny]
    codes = queries.op_code[node]
    counts = np.bincount(codes, minlength=len(queries.op_types))
    micros = np.bincount(codes, queries.executions.interval_duration[tiny], len(queries.op_types))
    for code in np.argsort(-counts, kind="stable")[:top].tolist():
        if not counts[code]:
            return
        nodes, runs = np.unique(node[codes == code], return_counts=True)
        most_frequent = int(nodes[np.argmax(runs)])
        numbers = {
            "runs": count(counts[code] / steps),
            "time": time(micros[code] / steps),
            "share of runs": share(counts[code] / int(tiny.sum())),
        }
        source = describe_user_line(queries.profile, most_frequent)
        note = f"e.g. {queries.name(most_frequent)}"
        yield Evidence(queries.op_types[code], numbers, source=source, note=note)


CHECKER = Checker(
    _NAME,
    "many tiny operations: the step is bound by scheduling",
    check,
    requires=(RUN,),
    settings={
        "micros": Setting(10, "executions shorter than this are tiny"),
        "count": Setting(500, "report nothing if a step has fewer tiny executions"),
        "share": Setting(0.2, "report nothing if a smaller share of the step is lost"),
        "top": Setting(5, "op types to show"),
    },
)
