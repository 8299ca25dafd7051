"""Graph view: nodes under the nodes that consume them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.profiles.columns import Ints
from tfprof.profiles.profile import Profile, ids_of
from tfprof.profiles.runs import runs_of
from tfprof.quirks import Quirks
from tfprof.views.tree import Tree
from tfprof.views.view import ROOT, View, name_order

__all__ = ["build", "producers"]


def producers(profile: Profile) -> Ints:
    """The node id of each edge's producer, -1 where the graph does not have it."""
    return profile.derived("producers", lambda: ids_of(profile.edges.producer, profile.nodes.name))


def build(profile: Profile, quirks: Quirks) -> View:
    """A depth-first walk from the nodes that nobody consumes; each node where it is met first."""
    count = len(profile.nodes)
    consumer, producer = _links(profile)
    exists = runs_of(profile, quirks).exists
    wanted = (producer >= 0) & exists[np.maximum(producer, 0)] if count else producer >= 0
    consumer, producer = consumer[wanted], producer[wanted]
    by_consumer = np.argsort(consumer, kind="stable")
    start = np.searchsorted(consumer[by_consumer], np.arange(count + 1)).tolist()
    inputs = producer[by_consumer].tolist()
    consumed = np.zeros(count, bool)
    consumed[producer] = True
    order = name_order(profile)
    roots = order[(~consumed & exists)[order]].tolist()
    walk = _Walk(count, start, inputs)
    walk.follow(roots)
    if not quirks.lost_cycles:
        left = order[(exists & ~np.array(walk.seen, bool))[order]].tolist()
        if left:
            walk.follow(_cycle_heads(left, start, inputs))
    node = np.array(walk.node, np.int64)
    none = np.zeros(0, np.int64)
    return View(
        "graph",
        walk.tree(),
        pa.concat_arrays([pa.array([ROOT]), profile.nodes.name.take(pa.array(node[1:]))]),
        node,
        none,
        none,
    )


def _links(profile: Profile) -> tuple[Ints, Ints]:
    """Consumer and producer of each edge; a call consumes the results of its function first."""
    consumer, producer = profile.edges.consumer, producers(profile)
    if profile.calls is None:
        return consumer, producer
    results = profile.calls.edges
    given = ids_of(results.producer, profile.nodes.name)
    return np.concatenate([results.consumer, consumer]), np.concatenate([given, producer])


class _Walk:
    """The state of a depth-first walk that visits every node once; position 0 is the root."""

    def __init__(self, count: int, start: list[int], inputs: list[int]) -> None:
        self.start = start
        self.inputs = inputs
        self.seen = bytearray(count)
        self.node = [-1]
        self.parent = [-1]
        self.depth = [1]
        self.end = [1]

    def follow(self, roots: list[int]) -> None:
        """Visit the roots in order, each with all that it needs before the next."""
        start, inputs, seen, visited, end = self.start, self.inputs, self.seen, self.node, self.end
        parents, depths = self.parent, self.depth
        # What is left to visit below each position from the root to here.
        waiting, path = [iter(roots)], [0]
        while waiting:
            for node in waiting[-1]:
                if seen[node]:
                    continue
                seen[node] = 1
                parents.append(path[-1])
                depths.append(len(path) + 1)
                first, last = start[node], start[node + 1]
                if first < last:
                    waiting.append(iter(inputs[first:last]))
                    path.append(len(visited))
                visited.append(node)
                end.append(len(visited))
                if first < last:
                    break
            else:
                waiting.pop()
                end[path.pop()] = len(visited)

    def tree(self) -> Tree:
        """The tree of the visited nodes; positions are in the order of visits."""
        columns = (self.parent, self.depth, self.end)
        return Tree(*(np.array(column, np.int64) for column in columns))


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
