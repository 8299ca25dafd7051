"""`stragglers`: workers that the others wait for, in most steps or once.

Behind a barrier all workers have the same wall time. The one that works longest arrives last and
waits least, so workers are compared by work.
"""

from __future__ import annotations

import ibis

from tfprof.definitions.units import format_time
from tfprof.fleet.answer import Answer
from tfprof.fleet.questions.verdicts import limited, of_job, with_verdicts
from tfprof.fleet.tables import FleetTables

LATE_SHARE = 0.05
"""A worker is late in a step if it works longer than the median worker by this share of the
step, …"""
LATE_NOISE = 6
"""… and by so many times what its lateness usually varies."""


def ask(tables: FleetTables) -> Answer:
    """Answer the question."""
    steps = tables.rollup("steps").select("job", "worker", "step", "wall", "work", "wait")
    late = _late_steps(steps)
    most = late.late_by.max().over(ibis.window(group_by=["job", "worker"]))
    late = late.mutate(most=most)
    rows = late.group_by(["job", "worker"]).aggregate(
        steps=late.count(),
        last=late.is_last.cast("int64").sum().cast("int64"),
        waited_least=late.waits_least.cast("int64").sum().cast("int64"),
        late=late.is_late.cast("int64").sum().cast("int64"),
        late_by=late.late_by.median().round().cast("int64"),
        worst_late_by=late.late_by.max().round().cast("int64"),
        worst_step=late.step.min(where=late.late_by == late.most),
        work=late.work.cast("float64").median().round().cast("int64"),
        wait=late.wait.cast("float64").median().round().cast("int64"),
    )
    rows = rows.order_by(rows.late.desc(), rows.late_by.desc(), rows.worker, rows.job)
    table = tables.run(rows)
    facts = table.to_pylist()
    verdicts = [_verdict(row["late"], row["steps"]) for row in facts]
    table = with_verdicts(table, verdicts)
    findings = tuple(
        (_chronic(row) if verdict == "chronic" else _once(row)) + of_job(row, table)
        for row, verdict in zip(facts, verdicts, strict=True)
        if verdict
    )
    nothing = "no worker is a straggler"
    return Answer("stragglers", limited(table, tables.selection.limit), findings, nothing)


def _late_steps(steps: ibis.Table) -> ibis.Table:
    """How much longer each worker works in each step than the median one, and if it is late."""
    work = steps.work.cast("float64")
    typical = steps.group_by(["job", "step"]).aggregate(
        typical=work.median(),
        step_wall=steps.wall.cast("float64").median(),
        longest=steps.work.max(),
        shortest_wait=steps.wait.min(),
        workers=steps.count(),
    )
    joined = steps.join(typical, ["job", "step"])
    joined = joined.mutate(late_by=joined.work.cast("float64") - joined.typical)
    usual = joined.group_by(["job", "worker"]).aggregate(usual=joined.late_by.median())
    joined = joined.join(usual, ["job", "worker"])
    noise = joined.group_by("job").aggregate(noise=(joined.late_by - joined.usual).abs().median())
    joined = joined.join(noise, "job")
    limit = ibis.greatest(LATE_SHARE * joined.step_wall, LATE_NOISE * joined.noise)
    return joined.mutate(
        is_late=(joined.workers > 1) & (joined.late_by > limit),
        is_last=(joined.workers > 1) & (joined.work == joined.longest),
        waits_least=(joined.workers > 1) & (joined.wait == joined.shortest_wait),
    )


def _verdict(late: int, steps: int) -> str:
    if not late:
        return ""
    return "chronic" if 2 * late >= steps else "one-off"


def _chronic(row: dict[str, int]) -> str:
    return (
        f"{row['worker']} is a chronic straggler: late in {row['late']} of {row['steps']} steps, "
        f"by {format_time(row['late_by'])} in the median"
    )


def _once(row: dict[str, int]) -> str:
    return (
        f"{row['worker']} was late in {row['late']} of {row['steps']} steps, most in step "
        f"{row['worst_step']}: by {format_time(row['worst_late_by'])}"
    )
