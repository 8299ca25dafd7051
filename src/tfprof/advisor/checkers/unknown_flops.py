"""UnknownFlops: nodes that the count of float operations leaves out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.advisor.checker import Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import (
    INPUT,
    TRANSFER,
    NodeQueries,
    count,
    share,
    time,
)
from tfprof.advisor.requirement import GRAPH
from tfprof.flops.rules import RULES
from tfprof.flops.rules.zero_cost import FREE
from tfprof.flops.tf_formulas import REPAIRED_RULES
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import BoolArray, list_offsets
from tfprof.profiles.user_code import describe_user_line
from tfprof.protos import graph_pb2

__all__ = ["CHECKER"]

_NAME = "UnknownFlops"
_FLOATS = frozenset({1, 2, 8, 14, 18, 19})
_TYPES = ("T", "dtype")


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Nodes that do arithmetic and were not counted, by op type and time."""
    queries = NodeQueries(profile, settings.quirks)
    unknown = _uncounted(queries)
    if not unknown.any():
        return
    arithmetic = unknown | (profile.nodes.float_ops > 0)
    micros = int(queries.micros[unknown].sum())
    whole = int(queries.micros[queries.executions.exists].sum())
    part = micros / whole if whole else unknown.sum() / arithmetic.sum()
    if part < settings["share"]:
        return
    of_time = f", which take {part:.1%} of the time" if whole else ""
    message = (
        f"FLOPs unavailable for {int(unknown.sum())} of {int(arithmetic.sum())} nodes that do "
        f"arithmetic{of_time}"
    )
    nodes = count(int(unknown.sum()))
    impact = Impact(time(micros), "per step") if whole else Impact(nodes, "nodes")
    rows = tuple(_rows(queries, unknown, settings.top, whole))
    yield Finding(_NAME, "warning", f"{message}: totals are too low", rows, impact)


def _uncounted(queries: NodeQueries) -> BoolArray:
    """Which nodes of the graph ought to have float operations and have none."""
    profile = queries.profile
    works = np.array(
        [
            op not in FREE and not INPUT.fullmatch(op) and not TRANSFER.fullmatch(op)
            for op in queries.op_types
        ],
        bool,
    )[queries.op_code]
    candidates = works & profile.nodes.in_graph & (profile.nodes.float_ops == 0)
    ran = np.zeros(len(profile.nodes), bool)
    ran[queries.executions.span_node] = True
    if ran.any():
        candidates &= ran
    return candidates & _may_be_float(queries)


def _may_be_float(queries: NodeQueries) -> BoolArray:
    """Which nodes have floats as elements.

    Ops without a type and without a formula handle files, queues, tables and the like.
    """
    nodes = queries.profile.nodes
    mask: BoolArray = np.array([op in RULES for op in queries.op_types], bool)[queries.op_code]
    entries, begin = nodes.attrs.flatten(), list_offsets(nodes.attrs)
    keys = entries.field("key").dictionary_encode()
    for name in reversed(_TYPES):
        number = pc.index(keys.dictionary, name).as_py()
        rows = np.flatnonzero(keys.indices.to_numpy() == number)
        values = entries.field("value").take(pa.array(rows)).dictionary_encode()
        floats = [_is_float(value) for value in values.dictionary.to_pylist()]
        owner = np.searchsorted(begin, rows, side="right") - 1
        mask[owner] = np.array(floats, bool)[values.indices.to_numpy()]
    return mask


def _is_float(attr: bytes) -> bool:
    return graph_pb2.AttrValue.FromString(attr).type in _FLOATS


def _rows(queries: NodeQueries, unknown: BoolArray, top: int, whole: int) -> Iterator[Evidence]:
    """The op types that take the most time, each with the line of its most expensive node."""
    codes = queries.op_code[unknown]
    micros = np.bincount(codes, queries.micros[unknown].astype(float), len(queries.op_types))
    nodes = np.bincount(codes, minlength=len(queries.op_types))
    present = np.flatnonzero(nodes).tolist()
    ranked = sorted(present, key=lambda i: (-micros[i], -nodes[i], queries.op_types[i]))
    for i in ranked[:top]:
        op = queries.op_types[i]
        members = np.flatnonzero(unknown & (queries.op_code == i))
        most_expensive = int(members[np.argmax(queries.micros[members])])
        numbers = {"nodes": count(int(nodes[i]))}
        if whole:
            numbers |= {"time": time(micros[i]), "share": share(micros[i] / whole)}
        source = describe_user_line(queries.profile, most_expensive)
        yield Evidence(op, numbers, source=source, note=_reason(op))


def _reason(op: str) -> str:
    if op in REPAIRED_RULES:
        return "a shape is unknown, or there is no op log"
    return "TensorFlow has no formula, tfprof has one" if op in RULES else "no formula"


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
