"""`balance`: traffic and work of parameter servers, and which is slow or has too much.

A server is slow if its ops take longer than ops of the same types on the other servers. The time of
transfers does not tell, as most of it is waiting for the worker or the variable.
"""

from __future__ import annotations

from typing import Any

import ibis

from tfprof.errors import LoadError
from tfprof.fleet.answer import Answer
from tfprof.fleet.questions.verdicts import limited, of_job, with_verdicts
from tfprof.fleet.tables import FleetTables

SLOW_RATIO = 1.5
"""A server is slow if its ops take so many times as long as on the others."""
TRAFFIC_RATIO = 1.5
"""A server has too much traffic if it has so many times its even share."""


def ask(tables: FleetTables) -> Answer:
    """Answer the question."""
    devices = tables.rollup("devices")
    devices = devices.filter(~devices.own)
    keys = ["job", "server"]
    servers = devices.group_by(["job", devices.device.name("server")]).aggregate(
        steps=devices.count(),
        records=devices.records.sum().cast("int64"),
        fewest_records=devices.records.min(),
        work=devices.work.cast("float64").median().round().cast("int64"),
    )
    traffic = _traffic(tables.rollup("transfers"))
    rows = servers.left_join(traffic, keys).drop("job_right", "server_right")
    slow = _slowdown(tables)
    rows = rows.left_join(slow, keys).drop("job_right", "server_right")
    filled = {
        n: rows[n].fill_null(0) for n in ("bytes_out", "bytes_in", "transfers", "with_transfers")
    }
    rows = rows.mutate(**filled)
    rows = rows.mutate(
        bytes=rows.bytes_in + rows.bytes_out, without_transfers=rows.steps - rows.with_transfers
    )
    total = rows.bytes.sum().over(ibis.window(group_by="job")).cast("float64")
    count = rows.count().over(ibis.window(group_by="job"))
    rows = rows.mutate(
        share=ibis.ifelse(total > 0, rows.bytes.cast("float64") / total, 0.0), servers=count
    )
    columns = ("job", "server", "steps", "work", "slowdown", "bytes_out", "bytes_in", "share")
    rows = rows.order_by(rows.job, rows.server).select(
        *columns, "transfers", "without_transfers", "records", "fewest_records", "servers"
    )
    table = tables.run(rows)
    if not len(table):
        raise LoadError("the store has no parameter servers: all records are of workers")
    facts = table.to_pylist()
    verdicts = [", ".join(_verdicts(row)) for row in facts]
    table = with_verdicts(table.drop_columns("servers"), verdicts)
    findings = tuple(
        _describe(row, verdict) + of_job(row, table) for row in facts for verdict in _verdicts(row)
    )
    nothing = "no server is slow or has too much traffic"
    return Answer("balance", limited(table, tables.selection.limit), findings, nothing)


def _traffic(transfers: ibis.Table) -> ibis.Table:
    """Bytes that each device sends and receives."""
    out = transfers.select(
        "job",
        "worker",
        "step",
        "transfers",
        server=transfers.source,
        bytes_out=transfers.bytes,
        bytes_in=ibis.literal(0, "int64"),
    )
    received = transfers.select(
        "job",
        "worker",
        "step",
        "transfers",
        server=transfers.destination,
        bytes_out=ibis.literal(0, "int64"),
        bytes_in=transfers.bytes,
    )
    both = out.union(received)
    of_steps = both.group_by(["job", "server", "worker", "step"]).aggregate(
        bytes_out=both.bytes_out.sum().cast("int64"),
        bytes_in=both.bytes_in.sum().cast("int64"),
        transfers=both.transfers.sum().cast("int64"),
    )
    return of_steps.group_by(["job", "server"]).aggregate(
        bytes_out=of_steps.bytes_out.sum().cast("int64"),
        bytes_in=of_steps.bytes_in.sum().cast("int64"),
        transfers=of_steps.transfers.sum().cast("int64"),
        with_transfers=of_steps.count(),
    )


def _slowdown(tables: FleetTables) -> ibis.Table:
    """How long the ops of each server take, relative to ops of the same types on the others."""
    nodes = tables.nodes().select("job", "node", "op", "waits")
    histogram = tables.histogram().join(nodes, ["job", "node"])
    histogram = histogram.filter(~histogram.waits & histogram.device.re_search(r"^[^/:]+:[0-9]+/"))
    ops = histogram.group_by(["job", "device", "op"]).aggregate(
        runs=histogram["count"].sum().cast("int64"), micros=histogram.micros.sum().cast("int64")
    )
    window = ibis.window(group_by=["job", "op"])
    ops = ops.mutate(
        other_runs=ops.runs.sum().over(window).cast("int64") - ops.runs,
        other_micros=ops.micros.sum().over(window).cast("int64") - ops.micros,
    )
    ops = ops.filter(ops.other_runs > 0)
    expected = (
        ops.runs.cast("float64") * ops.other_micros.cast("float64") / ops.other_runs.cast("float64")
    )
    sums = (
        ops.mutate(expected=expected)
        .group_by(["job", ops.device.name("server")])
        .aggregate(
            micros=lambda t: t.micros.sum().cast("float64"), expected=lambda t: t.expected.sum()
        )
    )
    return sums.select("job", "server", slowdown=(sums.micros / sums.expected).round(2))


def _verdicts(row: dict[str, Any]) -> list[str]:
    found = []
    if (row["slowdown"] or 0) >= SLOW_RATIO:
        found.append("slow")
    if row["servers"] > 1 and row["share"] * row["servers"] >= TRAFFIC_RATIO:
        found.append("too much traffic")
    return found


def _describe(row: dict[str, Any], verdict: str) -> str:
    if verdict == "slow":
        ratio = f"{row['slowdown']:.2f}"
        return f"{row['server']} is slow: its ops take {ratio} times as long as on the others"
    share = f"{row['share']:.0%}"
    return f"{row['server']} has too much traffic: {share} of that of {row['servers']} servers"
