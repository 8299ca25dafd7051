"""Map the nodes that only a run has to nodes of the graph."""

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


@dataclass(frozen=True, slots=True)
class NodeMatches:
    """The node that each node's records belong to, mostly itself, and in which way (MatchKind)."""

    node: Array
    kind: Array

    @classmethod
    def none(cls, profile: Profile) -> NodeMatches:
        """Every node matches itself."""
        count = len(profile.nodes)
        return cls(np.arange(count), np.zeros(count, np.int64))


def match_runtime_nodes(profile: Profile) -> NodeMatches:
    """The node of the graph for each runtime node, by the rules of `runtime_names`."""
    matches = NodeMatches.none(profile)
    nodes = profile.nodes
    runtime_nodes = np.flatnonzero(~nodes.in_graph)
    if not len(runtime_nodes) or not nodes.in_graph.any():
        return matches
    names = nodes.name.take(pa.array(runtime_nodes)).to_pylist()
    candidates: dict[str, None] = {}

    def add_candidate(name: str) -> bool:
        return candidates.setdefault(name) is not None

    for name in names:
        # No candidate is a node yet, so that the rules try all of them.
        find_origin(name, add_candidate, add_candidate)
    index = index_in(strings(candidates), nodes.name)
    node_of = {
        name: node
        for name, node in zip(candidates, index.tolist(), strict=True)
        if node >= 0 and nodes.in_graph[node]
    }
    callers = _callers(profile)
    for node, name in zip(runtime_nodes.tolist(), names, strict=True):
        origin = find_origin(name, node_of.__contains__, lambda name: node_of.get(name) in callers)
        if origin is not None:
            matches.node[node], matches.kind[node] = node_of[origin[0]], origin[1]
    return matches


def _callers(profile: Profile) -> set[int]:
    """The nodes that call functions."""
    ops = profile.nodes.op.dictionary_encode()
    calling = [is_call(NodeDef(op=op), {}) for op in ops.dictionary.to_pylist()]
    is_caller = np.array(calling, bool)[ops.indices.to_numpy()] & profile.nodes.in_graph
    inlined = profile.calls.caller[1:].tolist() if profile.calls else []
    return {*np.flatnonzero(is_caller).tolist(), *inlined}


def merge_matched_nodes(profile: Profile, matches: NodeMatches) -> Profile:
    """A profile in which records belong to the nodes that they are matched to."""
    kept = matches.node == np.arange(len(profile.nodes))
    if kept.all():
        return profile
    number = (np.cumsum(kept) - 1)[matches.node]
    secondary_records = tuple(
        _find_secondary_records(records, matches) for records in profile.records
    )
    calls = profile.calls
    if calls is not None:
        caller = np.where(calls.caller >= 0, number[calls.caller], -1)
        edges = replace(calls.edges, consumer=number[calls.edges.consumer])
        calls = Calls(calls.call_site[kept], caller, calls.parent, edges)
    nodes = profile.nodes.filter(kept)
    return renumber_nodes(profile, number, nodes, secondary_records=secondary_records, calls=calls)


def _find_secondary_records(records: Records, matches: NodeMatches) -> BoolArray:
    """Which records are not runs of their node: of several runtime names, one counts.

    That is the node's own name, or else the rewrite that ran most or the helper that ran least.
    """
    kind, node = matches.kind[records.node], matches.node[records.node]
    has_own_name = np.zeros(len(matches.node), bool)
    has_own_name[node[kind == MatchKind.SAME]] = True
    secondary = (kind != MatchKind.SAME) & has_own_name[node]
    rows = np.flatnonzero((kind != MatchKind.SAME) & ~has_own_name[node])
    if not len(rows):
        return secondary
    names, count = np.unique(records.node[rows], return_counts=True)
    priority = np.where(matches.kind[names] == MatchKind.HELPER, count, -count)
    order = np.lexsort((priority, matches.kind[names], matches.node[names]))
    first = order[np.unique(matches.node[names[order]], return_index=True)[1]]
    is_primary = np.zeros(len(matches.node), bool)
    is_primary[names[first]] = True
    secondary[rows] = ~is_primary[records.node[rows]]
    return secondary
