"""`step`: why a step was slow, by default the slowest of all: which ops, workers and servers."""

from __future__ import annotations

from typing import Any

import ibis
import pyarrow as pa

from tfprof.definitions.units import format_time
from tfprof.errors import OptionError
from tfprof.fleet.answer import Answer
from tfprof.fleet.questions.verdicts import of_job, with_verdicts
from tfprof.fleet.tables import FleetTables

SLOW_RATIO = 1.5
"""A step is slow if it takes so many times the median step."""
CAUSE_SHARE = 0.25
"""What takes longer than usual is a cause if it is this share of the extra time."""
MOST_WORKERS = 8
"""Ops are compared on so many workers that took longest: a step waits for them."""


def ask(tables: FleetTables) -> Answer:
    """Answer the question."""
    chosen = _choose(tables)
    job, step = chosen["job"], chosen["step"]
    extra = chosen["wall"] - chosen["usual"]
    is_slow = chosen["wall"] >= SLOW_RATIO * chosen["usual"]
    parts = [_ops(tables, job, step), _workers(tables, job, step), _servers(tables, job, step)]
    limit = tables.selection.limit
    rows = pa.concat_tables([tables.run(part.limit(limit)).cast(_SCHEMA) for part in parts])
    rows = rows.sort_by([("extra", "descending"), ("kind", "ascending"), ("name", "ascending")])
    rows = rows.slice(0, limit)
    is_cause = [is_slow and row["extra"] >= CAUSE_SHARE * extra for row in rows.to_pylist()]
    rows = with_verdicts(rows, ["cause" if cause else "" for cause in is_cause])
    wall, usual = format_time(chosen["wall"]), format_time(chosen["usual"])
    described = f"step {step} took {wall}, usual are {usual}"
    findings = [described + of_job(chosen, chosen["jobs"])] if is_slow else []
    findings += [
        f"{row['kind']} {row['name']} took {format_time(row['extra'])} more than usual"
        for row in rows.to_pylist()
        if row["verdict"]
    ]
    asked = tables.selection.step >= 0
    nothing = f"{described}: not slow" if asked else f"no step stands out: {described}"
    return Answer("step", rows, tuple(findings), nothing)


_SCHEMA = pa.schema(
    [("kind", pa.string()), ("name", pa.string()), ("worker", pa.string())]
    + [(name, pa.int64()) for name in ("usual", "this", "extra")]
)


def _choose(tables: FleetTables) -> dict[str, Any]:
    """The step that is asked for, or the one that takes longest beyond its job's median step."""
    steps = tables.rollup("steps")
    fleet = steps.group_by(["job", "step"]).aggregate(wall=steps.wall.max())
    usual = fleet.group_by("job").aggregate(
        usual=fleet.wall.cast("float64").median().round().cast("int64")
    )
    rows = fleet.join(usual, "job")
    if tables.selection.step >= 0:
        rows = rows.filter(rows.step == tables.selection.step)
    ratio = rows.wall.cast("float64") / ibis.greatest(rows.usual, 1).cast("float64")
    first = tables.run(rows.order_by(ratio.desc(), rows.job, rows.step).limit(1)).to_pylist()
    if not first:
        raise OptionError(f"option 'step': the store has no step {tables.selection.step}")
    return {**first[0], "jobs": tables.run(usual)}


def _longest_workers(tables: FleetTables, job: str, step: int) -> set[str]:
    """The workers with most wall time, work, and work of servers for them, in the step."""
    steps, devices = tables.rollup("steps"), tables.rollup("devices")
    steps = steps.filter((steps.job == job) & (steps.step == step))
    devices = devices.filter((devices.job == job) & (devices.step == step) & ~devices.own)
    served = devices.group_by("worker").aggregate(served=devices.work.max())
    workers = tables.run(
        steps.left_join(served, "worker").select("worker", "wall", "work", "served")
    )
    longest: set[str] = set()
    for name in ("wall", "work", "served"):
        by_time = workers.sort_by([(name, "descending"), ("worker", "ascending")])
        longest.update(by_time.column("worker").slice(0, MOST_WORKERS).to_pylist())
    return longest


def _ops(tables: FleetTables, job: str, step: int) -> ibis.Table:
    """Ops of the worker that each took longest on, against what they usually take."""
    workers = _longest_workers(tables, job, step)
    records = tables.of_nodes(tables.step_records(job, step, workers))
    by_worker = records.group_by(["node", "worker"]).aggregate(
        this=records.duration.cast("int64").sum().cast("int64")
    )
    longest = by_worker.this.max().over(ibis.window(group_by="node"))
    by_worker = by_worker.mutate(longest=longest)
    this = by_worker.group_by("node").aggregate(
        this=by_worker.this.max(),
        worker=by_worker.worker.min(where=by_worker.this == by_worker.longest),
    )
    histogram = tables.histogram()
    histogram = histogram.filter(histogram.job == job)
    steps = tables.rollup("steps")
    count = steps.filter(steps.job == job).count().as_scalar()
    usual = histogram.group_by("node").aggregate(micros=histogram.micros.sum().cast("float64"))
    usual = usual.mutate(usual=(usual.micros / count.cast("float64")).round().cast("int64"))
    nodes = tables.nodes().filter(lambda t: (t.job == job) & ~t.waits).select("node", "name")
    rows = this.join(usual, "node").join(nodes, "node")
    return _order(rows.mutate(kind=ibis.literal("op")))


def _workers(tables: FleetTables, job: str, step: int) -> ibis.Table:
    """The work of each worker in the step, against its median step and what all took longer."""
    steps = tables.rollup("steps")
    steps = steps.filter(steps.job == job)
    rows = steps.group_by(steps.worker.name("name")).aggregate(
        usual=steps.work.cast("float64").median().round().cast("int64"),
        this=steps.work.max(where=steps.step == step),
    )
    rows = rows.filter(rows.this.notnull())
    of_all = (rows.this - rows.usual).cast("float64").median().over(ibis.window())
    rows = rows.mutate(usual=rows.usual + of_all.round().cast("int64"))
    return _order(rows.mutate(kind=ibis.literal("worker"), worker=rows.name))


def _servers(tables: FleetTables, job: str, step: int) -> ibis.Table:
    """The work of each server for each worker in the step, against the median of all."""
    devices = tables.rollup("devices")
    devices = devices.filter((devices.job == job) & ~devices.own)
    rows = devices.group_by(devices.device.name("name")).aggregate(
        usual=devices.work.cast("float64").median().round().cast("int64"),
        this=devices.work.max(where=devices.step == step),
    )
    rows = rows.filter(rows.this.notnull())
    return _order(rows.mutate(kind=ibis.literal("server"), worker=ibis.literal("")))


def _order(rows: ibis.Table) -> ibis.Table:
    rows = rows.mutate(extra=rows.this - rows.usual)
    columns = [rows[name] for name in _SCHEMA.names]
    return rows.order_by(rows.extra.desc(), rows.name).select(*columns)
