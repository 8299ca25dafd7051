"""Graph view: nodes under the nodes that consume them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.executions import executions_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray, group_offsets
from tfprof.views.tree import Tree
from tfprof.views.view import ROOT, View

__all__ = ["build", "producers"]


def producers(profile: Profile) -> Array:
    """The node id of each edge's producer, -1 where the graph does not have it."""
    return profile.derived(
        "producers", lambda: index_in(profile.edges.producer, profile.nodes.name)
    )


def build(profile: Profile, quirks: Quirks) -> View:
    """A depth-first walk from the nodes that nobody consumes; each node where it is met first."""
    count = len(profile.nodes)
    consumer, producer = _links(profile)
    exists = executions_of(profile, quirks).exists
    wanted = (producer >= 0) & exists[np.maximum(producer, 0)] if count else producer >= 0
    consumer, producer = consumer[wanted], producer[wanted]
    by_consumer = np.argsort(consumer, kind="stable")
    start = group_offsets(consumer, count)
    inputs = producer[by_consumer]
    consumed = np.zeros(count, bool)
    consumed[producer] = True
    walk = _Walk(start, inputs)
    walk.follow(_by_name(profile, ~consumed & exists))
    if not quirks.cycles_omitted:
        left = _by_name(profile, exists & ~np.array(walk.seen, bool))
        if left:
            walk.follow(_cycle_heads(left, start.tolist(), inputs.tolist()))
    visited = np.array(walk.visited, np.int64)
    none = np.zeros(0, np.int64)
    return View(
        "graph",
        _tree(visited, consumer, producer, count),
        pa.concat_arrays([pa.array([ROOT]), profile.nodes.name.take(pa.array(visited))]),
        np.concatenate([[-1], visited]),
        none,
        none,
    )


def _by_name(profile: Profile, wanted: BoolArray) -> list[int]:
    """Some nodes, by name."""
    nodes = np.flatnonzero(wanted)
    order = pc.sort_indices(profile.nodes.name.take(pa.array(nodes)))
    found: list[int] = nodes[order.to_numpy()].tolist()
    return found


def _links(profile: Profile) -> tuple[Array, Array]:
    """Consumer and producer of each edge; a call consumes the results of its function first."""
    consumer, producer = profile.edges.consumer, producers(profile)
    if profile.calls is None:
        return consumer, producer
    results = profile.calls.edges
    given = index_in(results.producer, profile.nodes.name)
    return np.concatenate([results.consumer, consumer]), np.concatenate([given, producer])


class _Walk:
    """A depth-first walk that visits every node once."""

    def __init__(self, start: Array, inputs: Array) -> None:
        # From the last input to the first, as a stack takes them.
        self._inputs = inputs[::-1].tolist()
        self._end: list[int] = (len(inputs) - start).tolist()
        self._begin = self._end[1:]
        self.seen = [False] * len(self._begin)
        self.visited: list[int] = []

    def follow(self, roots: list[int]) -> None:
        """Visit the roots in order, each with all that it needs before the next."""
        begin, end, inputs = self._begin, self._end, self._inputs
        seen, visit = self.seen, self.visited.append
        waiting = roots[::-1]
        while waiting:
            node = waiting.pop()
            if not seen[node]:
                seen[node] = True
                visit(node)
                waiting += inputs[begin[node] : end[node]]


def _tree(visited: Array, consumer: Array, producer: Array, count: int) -> Tree:
    """The tree of the visited nodes under a root; positions are in the order of visits.

    A node stands below the consumer that was visited last before it: that one put it on top of
    what is waiting.
    """
    position = np.full(count, -1, np.int64)
    position[visited] = np.arange(1, len(visited) + 1)
    above, below = position[consumer], position[producer]
    before = (above >= 0) & (above < below)
    parent = np.zeros(len(visited) + 1, np.int64)
    np.maximum.at(parent, below[before], above[before])
    parent[0] = -1
    return Tree.in_order(parent)


def _cycle_heads(left: list[int], start: list[int], inputs: list[int]) -> list[int]:
    """Of nodes that are only in or below cycles, the first of each cycle that feeds no other.

    A node belongs to such a cycle if everything that can reach it can be reached from it. Walking
    from each node in turn, a later walk that meets an earlier head takes its place.
    """
    inside = set(left)
    consumers: dict[int, list[int]] = {node: [] for node in left}
    for node in left:
        for producer in inputs[start[node] : start[node + 1]]:
            if producer in inside:
                consumers[producer].append(node)
    group = _strong_groups(left, start, inputs, inside)
    fed = {group[node] for node in left for user in consumers[node] if group[user] != group[node]}
    heads: dict[int, int] = {}
    for node in left:
        if group[node] not in fed:
            heads.setdefault(group[node], node)
    return list(heads.values())


def _strong_groups(
    nodes: list[int], start: list[int], inputs: list[int], inside: set[int]
) -> dict[int, int]:
    """The strongly connected group of each node (Tarjan's algorithm, with a stack of its own)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    group: dict[int, int] = {}
    path: list[int] = []
    for first in nodes:
        if first in index:
            continue
        work = [(first, start[first])]
        while work:
            node, at = work.pop()
            if at == start[node]:
                index[node] = low[node] = len(index)
                path.append(node)
            descended = False
            while at < start[node + 1]:
                producer = inputs[at]
                at += 1
                if producer not in inside or producer in group:
                    continue
                if producer not in index:
                    work += [(node, at), (producer, start[producer])]
                    descended = True
                    break
                low[node] = min(low[node], index[producer])
            if descended:
                continue
            if low[node] == index[node]:
                while True:
                    member = path.pop()
                    group[member] = node
                    if member == node:
                        break
            if work:
                parent = work[-1][0]
                low[parent] = min(low[parent], low[node])
    return group
