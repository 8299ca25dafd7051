"""UnknownFlops: nodes that the count of float operations leaves out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import GRAPH, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import INPUT, TRANSFER, NodeQueries, count, share, time
from tfprof.flops.flop_columns import NodeFlops
from tfprof.flops.node_flops import node_flops
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import BoolArray
from tfprof.profiles.user_code import describe_user_line

_NAME = "UnknownFlops"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Nodes that do arithmetic and have no count, by op type and by the time they take."""
    queries = NodeQueries(profile, settings.quirks)
    flops = node_flops(profile, settings.quirks)
    unknown = _uncounted(queries, flops)
    if not unknown.any():
        return
    arithmetic = unknown | (flops.float_ops != 0)
    micros = int(queries.micros[unknown].sum())
    total_micros = int(queries.micros[queries.executions.exists].sum())
    part = micros / total_micros if total_micros else unknown.sum() / arithmetic.sum()
    if part < settings["share"]:
        return
    of_time = f", which take {part:.1%} of the time" if total_micros else ""
    message = (
        f"FLOPs unavailable for {int(unknown.sum())} of {int(arithmetic.sum())} nodes that do "
        f"arithmetic{of_time}"
    )
    nodes = count(int(unknown.sum()))
    impact = Impact(time(micros), "per step") if total_micros else Impact(nodes, "nodes")
    rows = tuple(_rows(queries, flops, unknown, settings.top, total_micros))
    yield Finding(_NAME, "warning", f"{message}: totals are too low", rows, impact)


def _uncounted(queries: NodeQueries, flops: NodeFlops) -> BoolArray:
    """Which nodes have no count: members of the ledger that ran, if anything did."""
    unknown = np.zeros(len(queries.profile.nodes), bool)
    unknown[list(flops.reasons)] = True
    waits = queries.has_op_type(INPUT) | queries.has_op_type(TRANSFER)
    ran = np.zeros(len(unknown), bool)
    ran[queries.executions.execution_node] = True
    return unknown & ~waits & (ran if ran.any() else True)


def _rows(
    queries: NodeQueries, flops: NodeFlops, unknown: BoolArray, top: int, total_micros: int
) -> Iterator[Evidence]:
    """The op types that matter most, each with the line that created its most expensive node."""
    micros = queries.micros_by_op_type(unknown)
    nodes = np.bincount(queries.op_code[unknown], minlength=len(queries.op_types))
    present = np.flatnonzero(nodes).tolist()
    ranked = sorted(present, key=lambda code: (-micros[code], -nodes[code], queries.op_types[code]))
    for code in ranked[:top]:
        most_expensive = queries.most_expensive(code, unknown)
        numbers = {"nodes": count(int(nodes[code]))}
        if total_micros:
            numbers |= {"time": time(micros[code]), "share": share(micros[code] / total_micros)}
        source = describe_user_line(queries.profile, most_expensive)
        why = flops.reasons[most_expensive]
        yield Evidence(queries.op_types[code], numbers, source=source, note=why)


CHECKER = Checker(
    _NAME,
    "nodes that the count of float operations leaves out",
    check,
    requires=(GRAPH,),
    settings={
        "share": Setting(0.01, "report nothing if a smaller share of time (or nodes) is left out"),
        "top": Setting(5, "op types to show"),
    },
)
