"""What a page shows beside the rows of reports: an overview, advice, and memory over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.advisor import Advice, advise
from tfprof.advisor.node_queries import NodeQueries
from tfprof.advisor.step_time import step_times
from tfprof.api.summarize import summarize
from tfprof.flops.flop_columns import describe_unavailable, format_count
from tfprof.flops.node_flops import node_flops
from tfprof.memory.allocations import Pool
from tfprof.memory.estimated_peaks import estimate_changes, node_lifetimes, rows_by_device
from tfprof.memory.live_memory import LiveMemory
from tfprof.memory.peaks import step_memory
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.devices import is_accelerator
from tfprof.profiles.profile import Profile
from tfprof.profiles.record_columns import LATEST
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report

_MAX_UNCOUNTED = 500
"""How many nodes without float operations are listed."""
_Changes = tuple[Array, Array, Array]
"""Node, time and size of what is allocated or, if it is negative, freed."""


def page_panels(report: Report) -> dict[str, Any]:
    """The data of the overview, advice and memory panels; arrays become blocks of the page."""
    profile = report.profile.source or report.profile
    queries = NodeQueries(report.profile, report.quirks)
    advice = advise(profile)
    nodes = _nodes_of_evidence(advice, report.profile)
    return {
        "overview": _overview(profile, queries, advice),
        "advice": [
            {
                "checker": result.checker,
                "findings": [
                    {
                        **finding.to_dict(),
                        "impact": str(finding.impact or ""),
                        "rows": [str(row) for row in finding.evidence],
                        "nodes": [nodes[row.name] for row in finding.evidence],
                    }
                    for finding in result.findings
                ],
                "lines": result.lines() if not result.findings else [],
            }
            for result in advice.results
        ],
        "uncounted": _uncounted(report),
        "memory": list(_memory(queries)) if profile.steps else [],
    }


def _nodes_of_evidence(advice: Advice, profile: Profile) -> dict[str, int]:
    """Name -> the node that rows of evidence of this name are about; -1 for none."""
    names = list(
        dict.fromkeys(
            row.name
            for result in advice.results
            for finding in result.findings
            for row in finding.evidence
        )
    )
    column = pa.array(names, pa.string()).cast(profile.nodes.name.type)
    nodes = index_in(column, profile.nodes.name).tolist()
    return dict(zip(names, nodes, strict=True))


def _overview(profile: Profile, queries: NodeQueries, advice: Advice) -> dict[str, Any]:
    """The summary, and the wall, busy and summed time of each step."""
    summary = summarize(profile, advice)
    executions = queries.executions
    everything = np.ones(len(executions.interval_step), bool)
    times = step_times(executions, queries.profile.steps)
    return {
        **summary.to_dict(),
        "float_ops_text": format_count(summary.float_ops.total, "number"),
        "steps": [
            {
                "step": time.step,
                "wall": time.length,
                "busy": time.intervals(executions, everything).length,
                "summed": int(executions.interval_duration[time.rows].sum()),
            }
            for time in times
        ],
        "accelerators": [name for name in profile.devices if is_accelerator(name)],
    }


def _uncounted(report: Report) -> dict[str, Any]:
    """Nodes without float operations, and why."""
    reasons = node_flops(report.profile, report.quirks).reasons
    return {
        "count": len(reasons),
        "summary": describe_unavailable(Counter(reasons.values())) if reasons else "",
        "nodes": [
            {"node": int(node), "reason": reason}
            for node, reason in list(reasons.items())[:_MAX_UNCOUNTED]
        ],
    }


def _memory(queries: NodeQueries) -> Iterator[dict[str, Any]]:
    """For each step and pool when memory was allocated and freed, by which nodes."""
    profile, executions = queries.profile, queries.executions
    starts = {time.step: time.start for time in step_times(executions, profile.steps)}
    for position, step in enumerate(profile.steps):
        for pool, changes, recorded in _step_changes(queries, position):
            node, micros, change = changes
            # At the same time, frees come before allocations.
            order = np.lexsort((change, micros))
            yield {
                "step": step,
                "device": pool.device,
                "allocator": pool.allocator,
                "recorded": recorded,
                "node": node[order],
                "micros": np.maximum(micros[order] - starts.get(step, 0), 0),
                "change": change[order],
            }


def _step_changes(queries: NodeQueries, step: int) -> Iterator[tuple[Pool, _Changes, bool]]:
    """What was recorded in a step, by its position, and for other devices what is estimated."""
    profile, executions = queries.profile, queries.executions
    known = set()
    for live in step_memory(profile, queries.quirks).pools:
        known.add(live.pool.device)
        if live.step == step:
            yield live.pool, _recorded_changes(live), True
    lifetimes = node_lifetimes(profile, executions, step)
    for device, rows in rows_by_device(executions, step).items():
        if profile.devices[device] not in known:
            changes = estimate_changes(executions, rows, lifetimes)
            yield Pool(profile.devices[device], ""), changes, False


def _recorded_changes(live: LiveMemory) -> _Changes:
    blocks, rows = live.blocks, live.rows
    released = rows[blocks.end[rows] < LATEST]
    return (
        np.concatenate([blocks.node[rows], blocks.node[released]]),
        np.concatenate([blocks.start[rows], blocks.end[released]]),
        np.concatenate([blocks.size[rows], -blocks.size[released]]),
    )
