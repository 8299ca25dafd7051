"""UnknownFlops: what the count of float operations leaves out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Saving
from tfprof.advisor.node_queries import INPUT, TRANSFER, Facts, count, share, time
from tfprof.advisor.requirement import GRAPH
from tfprof.advisor.source_line import source_line
from tfprof.flops.node_flops import NodeFlops, node_flops
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import BoolArray

__all__ = ["CHECKER"]

_NAME = "UnknownFlops"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Nodes that do arithmetic and have no count, by op type and by the time they take."""
    facts = Facts(profile, settings.quirks)
    flops = node_flops(profile, settings.quirks)
    unknown = _uncounted(facts, flops)
    if not unknown.any():
        return
    arithmetic = unknown | (flops.float_ops > 0)
    micros = int(facts.micros[unknown].sum())
    whole = int(facts.micros[facts.runs.exists].sum())
    part = micros / whole if whole else unknown.sum() / arithmetic.sum()
    if part < settings["share"]:
        return
    of_time = f", which take {part:.1%} of the time" if whole else ""
    message = (
        f"{int(unknown.sum())} of {int(arithmetic.sum())} nodes that do arithmetic have no float "
        f"operations{of_time}"
    )
    nodes = count(int(unknown.sum()))
    saving = Saving(time(micros), "per step") if whole else Saving(nodes, "nodes")
    rows = tuple(_rows(facts, flops, unknown, settings.top, whole))
    yield Finding(_NAME, "warning", f"{message}: totals are too low", rows, saving)


def _uncounted(facts: Facts, flops: NodeFlops) -> BoolArray:
    """Which nodes have no count: those of the ledger that ran, if anything did."""
    unknown = np.zeros(len(facts.profile.nodes), bool)
    unknown[list(flops.reasons)] = True
    waits = facts.of_type(INPUT) | facts.of_type(TRANSFER)
    ran = np.zeros(len(unknown), bool)
    ran[facts.runs.execution_node] = True
    return unknown & ~waits & (ran if ran.any() else True)


def _rows(
    facts: Facts, flops: NodeFlops, unknown: BoolArray, top: int, whole: int
) -> Iterator[Evidence]:
    """The op types that matter most, each with the line that made its most expensive node."""
    codes = facts.op_code[unknown]
    micros = np.bincount(codes, facts.micros[unknown].astype(float), len(facts.op_types))
    nodes = np.bincount(codes, minlength=len(facts.op_types))
    present = np.flatnonzero(nodes).tolist()
    ranked = sorted(present, key=lambda code: (-micros[code], -nodes[code], facts.op_types[code]))
    for code in ranked[:top]:
        those = np.flatnonzero(unknown & (facts.op_code == code))
        most_expensive = int(those[np.argmax(facts.micros[those])])
        numbers = {"nodes": count(int(nodes[code]))}
        if whole:
            numbers |= {"time": time(micros[code]), "share": share(micros[code] / whole)}
        source = source_line(facts.profile, most_expensive)
        why = flops.reasons[most_expensive]
        yield Evidence(facts.op_types[code], numbers, source=source, note=why)


CHECKER = Checker(
    _NAME,
    "what the count of float operations leaves out",
    check,
    needs=(GRAPH,),
    settings={
        "share": Setting(0.01, "silent if less than this share of time (or nodes) is left out"),
        "top": Setting(5, "op types to show"),
    },
)
