"""`lines`: lines of code by the time that their nodes take on all workers."""

from __future__ import annotations

import ibis
import pyarrow.compute as pc

from tfprof.errors import LoadError
from tfprof.fleet.answer import Answer
from tfprof.fleet.questions.verdicts import limited, with_verdicts
from tfprof.fleet.tables import FleetTables


def ask(tables: FleetTables) -> Answer:
    """Answer the question."""
    nodes = tables.nodes().select("job", "node", "waits", "file", "line", "code")
    histogram = tables.histogram()
    of_nodes = histogram.group_by(["job", "node"]).aggregate(
        runs=histogram["count"].sum().cast("int64"),
        micros=histogram.micros.sum().cast("int64"),
        bytes=histogram.bytes.sum().cast("int64"),
    )
    rows = of_nodes.join(nodes, ["job", "node"])
    rows = rows.filter(~rows.waits)
    lines = rows.group_by(["job", "file", "line", "code"]).aggregate(
        micros=rows.micros.sum().cast("int64"),
        nodes=rows.count(),
        runs=rows.runs.sum().cast("int64"),
        bytes=rows.bytes.sum().cast("int64"),
    )
    total = lines.micros.sum().over(ibis.window(group_by="job")).cast("float64")
    lines = lines.mutate(share=lines.micros.cast("float64") / total)
    lines = lines.order_by(lines.micros.desc(), lines.file, lines.line, lines.job)
    columns = ("job", "micros", "share", "nodes", "runs", "bytes", "file", "line", "code")
    table = tables.run(lines.select(*columns))
    if not len(table) or pc.all(table.column("file").is_null()).as_py():
        raise LoadError(
            "the store has no lines of code; ingest with --graph_path and --op_log_path"
        )
    table = with_verdicts(table, [""] * len(table))
    first = table.filter(table.column("file").is_valid()).slice(0, 1).to_pylist()[0]
    nothing = f"{first['code']} takes {first['share']:.1%} of the work"
    return Answer("lines", limited(table, tables.selection.limit), (), nothing)
