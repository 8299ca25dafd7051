"""Nodes that only a run knows, joined to the nodes of the graph that they belong to."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from tfprof.functions.calls import is_call
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray, Calls, Records
from tfprof.profiles.string_columns import strings
from tfprof.protos.graph_pb2 import NodeDef
from tfprof.resolve.renumber_nodes import renumber_nodes
from tfprof.resolve.runtime_names import MatchKind, find_origin
from tfprof.resolve.take_nodes import take_nodes

__all__ = ["NodeMatches", "match_runtime_nodes", "merge_matched_nodes"]


@dataclass(frozen=True, slots=True)
class NodeMatches:
    """The node that each node's records belong to, mostly itself, and how they do (a Bond)."""

    node: Array
    bond: Array

    @classmethod
    def none(cls, profile: Profile) -> NodeMatches:
        """Every node stays what it is."""
        count = len(profile.nodes)
        return cls(np.arange(count), np.zeros(count, np.int64))


def match_runtime_nodes(profile: Profile) -> NodeMatches:
    """Where the names that only runs know come from, by the rules of `names`."""
    joins = NodeMatches.none(profile)
    nodes = profile.nodes
    strays = np.flatnonzero(~nodes.in_graph)
    if not len(strays) or not nodes.in_graph.any():
        return joins
    names = nodes.name.take(pa.array(strays)).to_pylist()
    asked: dict[str, None] = {}

    def ask(word: str) -> bool:
        return asked.setdefault(word) is not None

    for name in names:
        # Nothing is a node, so that the rules ask for all that might be one.
        find_origin(name, ask, ask)
    found = index_in(strings(asked), nodes.name)
    number = {
        word: at
        for word, at in zip(asked, found.tolist(), strict=True)
        if at >= 0 and nodes.in_graph[at]
    }
    callers = _callers(profile)
    for stray, name in zip(strays.tolist(), names, strict=True):
        origin = find_origin(name, number.__contains__, lambda word: number.get(word) in callers)
        if origin is not None:
            joins.node[stray], joins.bond[stray] = number[origin[0]], origin[1]
    return joins


def _callers(profile: Profile) -> set[int]:
    """The nodes that call functions."""
    ops = profile.nodes.op.dictionary_encode()
    calling = [is_call(NodeDef(op=op), {}) for op in ops.dictionary.to_pylist()]
    known = np.array(calling, bool)[ops.indices.to_numpy()] & profile.nodes.in_graph
    entered = profile.calls.caller[1:].tolist() if profile.calls else []
    return {*np.flatnonzero(known).tolist(), *entered}


def merge_matched_nodes(profile: Profile, joins: NodeMatches) -> Profile:
    """A profile in which records belong to the nodes that they were joined to."""
    kept = joins.node == np.arange(len(profile.nodes))
    if kept.all():
        return profile
    number = (np.cumsum(kept) - 1)[joins.node]
    secondary_records = tuple(
        _find_secondary_records(records, joins) for records in profile.records
    )
    calls = profile.calls
    if calls is not None:
        caller = np.where(calls.caller >= 0, number[calls.caller], -1)
        edges = replace(calls.edges, consumer=number[calls.edges.consumer])
        calls = Calls(calls.call_site[kept], caller, calls.parent, edges)
    nodes = take_nodes(profile.nodes, kept)
    return renumber_nodes(profile, number, nodes, secondary_records=secondary_records, calls=calls)


def _find_secondary_records(records: Records, joins: NodeMatches) -> BoolArray:
    """Which records do not say how often a node ran: of several names, one does.

    That is the node's own name, or else the rewrite that ran most or the helper that ran least.
    """
    bond, node = joins.bond[records.node], joins.node[records.node]
    told = np.zeros(len(joins.node), bool)
    told[node[bond == MatchKind.SAME]] = True
    aside = (bond != MatchKind.SAME) & told[node]
    left = np.flatnonzero((bond != MatchKind.SAME) & ~told[node])
    if not len(left):
        return aside
    names, count = np.unique(records.node[left], return_counts=True)
    often = np.where(joins.bond[names] == MatchKind.HELPER, count, -count)
    order = np.lexsort((often, joins.bond[names], joins.node[names]))
    first = order[np.unique(joins.node[names[order]], return_index=True)[1]]
    speaks = np.zeros(len(joins.node), bool)
    speaks[names[first]] = True
    aside[left] = ~speaks[records.node[left]]
    return aside
