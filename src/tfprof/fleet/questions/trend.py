"""`trend`: whether steps get slower in the course of a job, and from job to job."""

from __future__ import annotations

from typing import Any

import ibis

from tfprof.fleet.answer import Answer
from tfprof.fleet.questions.verdicts import with_verdicts
from tfprof.fleet.tables import FleetTables

SLOWER = 0.2
"""Steps are slower if their median takes this share longer than that of the first ones."""
_WINDOWS = 10
_FEWEST_STEPS = 5
"""Steps of a window at least, so that one slow step is no trend."""


def ask(tables: FleetTables) -> Answer:
    """Answer the question."""
    steps = tables.rollup("steps").select("job", "worker", "step", "t0", "wall", "work", "wait")
    fleet = steps.group_by(["job", "step"]).aggregate(
        t0=steps.t0.min(),
        wall=steps.wall.cast("float64").median(),
        work=steps.work.cast("float64").median(),
        wait=steps.wait.cast("float64").median(),
        slowest=steps.wall.max(),
    )
    windows = _windows(fleet)
    rows = windows.group_by(["job", "window", "job_start"]).aggregate(
        first_step=windows.step.min(),
        last_step=windows.step.max(),
        wall=windows.wall.median().round().cast("int64"),
        work=windows.work.median().round().cast("int64"),
        wait=windows.wait.median().round().cast("int64"),
        slowest=windows.slowest.max(),
    )
    rows = rows.order_by(rows.job_start, rows.job, rows.window).drop("job_start")
    table = tables.run(rows)
    facts = table.to_pylist()
    first = {row["job"]: row for row in reversed(facts)}
    changes = [_changes(row, first[row["job"]]) for row in facts]
    of_jobs = [_changes(first[row["job"]], facts[0]) for row in facts]
    table = table.append_column("wall_change", [[c["wall"] for c in changes]])
    table = table.append_column("work_change", [[c["work"] for c in changes]])
    table = table.append_column("job_change", [[max(c.values()) for c in of_jobs]])
    verdicts = [
        _verdict(change, of_job_change if row is first[row["job"]] else {})
        for row, change, of_job_change in zip(facts, changes, of_jobs, strict=True)
    ]
    table = with_verdicts(table, verdicts)
    findings = tuple(_describe(row, facts[0]["job"]) for row in table.to_pylist() if row["verdict"])
    return Answer("trend", table, findings, "steps do not get slower")


def _changes(row: dict[str, Any], base: dict[str, Any]) -> dict[str, float]:
    """How much longer steps take than others, in wall time and in work."""
    return {name: row[name] / max(base[name], 1) - 1 for name in ("wall", "work")}


def _verdict(changes: dict[str, float], of_job: dict[str, float]) -> str:
    if max(changes.values()) >= SLOWER:
        return "slower"
    return "slower job" if max(of_job.values(), default=0) >= SLOWER else ""


def _windows(fleet: ibis.Table) -> ibis.Table:
    """The steps with the number of the window of their job that they are in."""
    jobs = fleet.group_by("job").aggregate(steps=fleet.count(), job_start=fleet.t0.min())
    rows = fleet.join(jobs, "job")
    rank = ibis.row_number().over(ibis.window(group_by="job", order_by="step"))
    count = ibis.greatest(ibis.least((rows.steps / _FEWEST_STEPS).floor(), _WINDOWS), 1)
    rows = rows.mutate(position=rank.cast("float64"), windows=count.cast("float64"))
    window = (rows.position * rows.windows / rows.steps.cast("float64")).floor().cast("int64")
    return rows.mutate(window=window)


def _describe(row: dict[str, Any], first_job: str) -> str:
    if row["verdict"] == "slower job":
        return f"job '{row['job']}' starts {row['job_change']:.0%} slower than job '{first_job}'"
    return (
        f"steps {row['first_step']} to {row['last_step']} of job '{row['job']}' have "
        f"{row['wall_change']:+.0%} wall time and {row['work_change']:+.0%} work of the first steps"
    )
