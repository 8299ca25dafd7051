"""`ops`: how long each node runs, across workers and steps, and which are slow at times."""

from __future__ import annotations

import ibis

from tfprof.definitions.units import format_time
from tfprof.fleet.answer import Answer
from tfprof.fleet.questions.verdicts import limited, of_job, with_verdicts
from tfprof.fleet.tables import FleetTables, micros_of

TAIL_RATIO = 3
"""A node is slow at times if its p99 is so many times its median, …"""
TAIL_SHARE = 0.03
"""… and what it takes beyond its median is so much of all work."""
FEWEST_RUNS = 50
"""Fewer runs say nothing about one in 100."""
_QUANTILES = (50, 95, 99)
_NOTE = "quantiles are exact below 100us, at most 1% off above"


def ask(tables: FleetTables) -> Answer:
    """Answer the question."""
    nodes = tables.nodes().select("job", "node", "name", "op", "waits")
    rows = _node_quantiles(tables.histogram()).join(nodes, ["job", "node"])
    work = ibis.ifelse(rows.waits, 0, rows.micros).sum().over(ibis.window(group_by="job"))
    share = ibis.ifelse(rows.waits, 0.0, rows.micros.cast("float64") / work.cast("float64"))
    rows = rows.mutate(share=share, beyond=rows.micros - rows.runs * rows.p50, all_work=work)
    rows = rows.order_by(rows.waits, rows.micros.desc(), rows.name, rows.job)
    columns = (
        "job",
        "name",
        "op",
        "waits",
        "runs",
        "micros",
        "share",
        "p50",
        "p95",
        "p99",
        "bytes",
    )
    table = tables.run(rows.select(*columns, "beyond", "all_work"))
    verdicts = [
        "slow at times"
        if not row["waits"]
        and row["runs"] >= FEWEST_RUNS
        and row["p99"] >= TAIL_RATIO * row["p50"]
        and row["beyond"] >= TAIL_SHARE * row["all_work"]
        else ""
        for row in table.select(["waits", "runs", "p50", "p99", "beyond", "all_work"]).to_pylist()
    ]
    table = with_verdicts(table.select(columns), verdicts)
    findings = tuple(
        f"{row['name']}{of_job(row, table)} is slow at times: half of its runs take up to "
        f"{format_time(row['p50'])}, one in 100 takes {format_time(row['p99'])} or more"
        for row in table.to_pylist()
        if row["verdict"]
    )
    nothing = "no op is slow at times"
    return Answer("ops", limited(table, tables.selection.limit), findings, nothing, (_NOTE,))


def _node_quantiles(histogram: ibis.Table) -> ibis.Table:
    """Runs, time, bytes and quantiles of each node."""
    keys = ["job", "node"]
    buckets = histogram.group_by([*keys, "bucket"]).aggregate(
        runs=histogram["count"].sum().cast("int64"),
        micros=histogram.micros.sum().cast("int64"),
        bytes=histogram.bytes.sum().cast("int64"),
    )
    running = buckets.runs.sum().over(ibis.cumulative_window(group_by=keys, order_by="bucket"))
    total = buckets.runs.sum().over(ibis.window(group_by=keys))
    buckets = buckets.mutate(running=running.cast("int64"), total=total.cast("int64"))
    quantiles = {
        f"p{percent}": buckets.bucket.min(where=buckets.running * 100 >= buckets.total * percent)
        for percent in _QUANTILES
    }
    rows = buckets.group_by(keys).aggregate(
        runs=buckets.runs.sum().cast("int64"),
        micros=buckets.micros.sum().cast("int64"),
        bytes=buckets.bytes.sum().cast("int64"),
        **quantiles,
    )
    return rows.mutate(**{name: micros_of(rows[name]) for name in quantiles})
