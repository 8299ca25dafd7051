"""Charts of each job: step time in quantile bands, and a heat map of workers and steps.

Both share their columns of steps. A column of several steps has the quantiles of all of them; a
cell of several workers and steps has the one that stands out most: most work, least wait.
"""

from __future__ import annotations

from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from tfprof.definitions.units import format_time
from tfprof.fleet.page.cells import Groups, natural_key
from tfprof.fleet.page.traffic import traffic_of_jobs
from tfprof.fleet.tables import FleetTables
from tfprof.profiles.schema import Array

COLUMNS, ROWS = 250, 200
"""Columns of steps and rows of workers at most."""
JOBS = 10
"""Jobs that are drawn at most."""
PERCENTS = (5, 25, 50, 75, 95)
"""The quantiles of a band."""
MEASURES = {
    "work": ("largest", "when at least one op runs that does not only wait"),
    "wall": ("largest", "from the first start to the last end"),
    "wait": ("smallest", "wall time without work; who waits least arrives last"),
}
"""Which value of a cell is shown, and what it is."""
_NOTHING = -1
"""In a cell without a traced step."""
_LEAST_SPAN = 0.1
"""The strongest colour is at least this share away from the median."""
_SPAN_PERCENT = 95


def make_charts(tables: FleetTables) -> list[dict[str, Any]]:
    """The charts of the first jobs."""
    contents = {job: tables.contents[job] for job in sorted(tables.contents)[:JOBS]}
    rows = {
        job: Groups(sorted(workers, key=natural_key), ROWS)
        for job, (workers, _) in contents.items()
    }
    columns = {job: Groups(sorted(steps), COLUMNS) for job, (_, steps) in contents.items()}
    columns_of_steps = _group_indices(tables, columns, "step", "column")
    steps = tables.rollup("steps").join(columns_of_steps, ["job", "step"])
    facts = _by_job(tables.run(_facts(steps)))
    bands = _by_job(tables.run(_bands(steps)))
    cells = steps.join(_group_indices(tables, rows, "worker", "row"), ["job", "worker"])
    grids = _by_job(tables.run(_cells(cells)))
    traffic = traffic_of_jobs(tables)
    return [
        {
            "name": job,
            "about": _describe(facts[job].to_pylist()[0]),
            "columns": columns[job].ends,
            "rows": rows[job].labels(),
            "note": _note(rows[job], columns[job]),
            "measures": [
                _measure(name, bands[job], grids[job], (len(rows[job]), len(columns[job])))
                for name in MEASURES
            ],
            "traffic": traffic.get(job),
        }
        for job in contents
        if job in facts
    ]


def _group_indices(
    tables: FleetTables, groups: dict[str, Groups], item: str, axis: str
) -> ibis.Table:
    """Which column a step is in, or which row a worker is in, of each job."""
    jobs = [job for job, group in groups.items() for _ in group.items]
    items = [name for group in groups.values() for name in group.items]
    index = np.concatenate([group.index for group in groups.values()])
    kind = pa.int32() if item == "step" else pa.string()
    table = {"job": pa.array(jobs, pa.string()), item: pa.array(items, kind)}
    return tables.make_table(pa.table({**table, axis: pa.array(index, pa.int32())}))


def _by_job(table: pa.Table) -> dict[str, pa.Table]:
    jobs = table.column("job").unique().to_pylist()
    return {job: table.filter(pa.compute.equal(table.column("job"), job)) for job in jobs}


def _facts(steps: ibis.Table) -> ibis.Table:
    return steps.group_by("job").aggregate(
        workers=steps.worker.nunique(),
        steps=steps.step.nunique(),
        records=steps.records.sum().cast("int64"),
        wall=steps.wall.cast("float64").median().round().cast("int64"),
        work=steps.work.cast("float64").median().round().cast("int64"),
    )


def _describe(row: dict[str, Any]) -> str:
    counts = ", ".join(f"{row[name]:,} {name}" for name in ("workers", "steps", "records"))
    return (
        f"{counts}; a step takes {format_time(row['wall'])}, of which a worker works "
        f"{format_time(row['work'])} (medians)"
    )


def _bands(steps: ibis.Table) -> ibis.Table:
    """Quantiles of all workers and steps of each column."""
    quantiles = {
        f"{name}_{percent}": steps[name]
        .cast("float64")
        .quantile(percent / 100)
        .round()
        .cast("int64")
        for name in MEASURES
        for percent in PERCENTS
    }
    return steps.group_by(["job", "column"]).aggregate(**quantiles)


def _cells(steps: ibis.Table) -> ibis.Table:
    values = {
        name: steps[name].max() if shown == "largest" else steps[name].min()
        for name, (shown, _) in MEASURES.items()
    }
    return steps.group_by(["job", "row", "column"]).aggregate(**values)


def _note(rows: Groups, columns: Groups) -> str:
    """What a cell stands for, if workers or steps share one."""
    if rows.largest <= 1 and columns.largest <= 1:
        return "a column is a step, a row is a worker"
    shared = (
        f"a column is up to {columns.largest} steps"
        if columns.largest > 1
        else "a column is a step",
        f"a row is up to {rows.largest} workers" if rows.largest > 1 else "a row is a worker",
    )
    return f"{', '.join(shared)}, so that the page stays small"


def _measure(name: str, bands: pa.Table, grid: pa.Table, shape: tuple[int, int]) -> dict[str, Any]:
    """The bands and cells of a measure, and how cells are coloured."""
    cells = np.full(shape, _NOTHING, np.int64)
    cells[grid.column("row").to_numpy(), grid.column("column").to_numpy()] = grid.column(
        name
    ).to_numpy()
    order = np.argsort(bands.column("column").to_numpy())
    known = cells[cells >= 0]
    centre, span = _color_scale(known)
    shown, help_text = MEASURES[name]
    return {
        "name": name,
        "help": help_text,
        "shown": shown,
        "bands": [
            bands.column(f"{name}_{percent}").to_numpy()[order].tolist() for percent in PERCENTS
        ],
        "cells": cells.ravel().tolist(),
        "centre": centre,
        "span": span,
        "legend": [
            f"{format_time(centre - span)} or less" if centre > span else format_time(0),
            f"{format_time(centre)} (median)",
            f"{format_time(centre + span)} or more",
        ],
    }


def _color_scale(values: Array) -> tuple[int, int]:
    """The median, and the distance from it at which the colour is strongest.

    What is further away than almost all cells has the same colour, so that one slow step does not
    make all others look alike.
    """
    centre = round(float(np.median(values)))
    usual = float(np.percentile(np.abs(values - centre), _SPAN_PERCENT))
    return centre, max(round(max(usual, _LEAST_SPAN * centre)), 1)
