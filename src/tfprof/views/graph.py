"""Graph view: the children of a node are its inputs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.executions import executions_of
from tfprof.profiles.grouping import group_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.views.tree import Tree
from tfprof.views.view import ROOT, View


def producers(profile: Profile) -> Array:
    """The node that produces each edge, -1 if the graph does not have it."""
    return profile.memoize(
        "producers", lambda: index_in(profile.edges.producer, profile.nodes.name)
    )


def build(profile: Profile, quirks: Quirks) -> View:
    """A depth-first walk from the nodes without consumers; each node where it is visited first."""
    count = len(profile.nodes)
    consumer, producer = _links(profile)
    exists = executions_of(profile, quirks).exists
    known = np.append(exists, False)[producer]
    consumer, producer = consumer[known], producer[known]
    by_consumer = np.argsort(consumer, kind="stable")
    start = group_offsets(consumer, count)
    inputs = producer[by_consumer]
    consumed = np.zeros(count, bool)
    consumed[producer] = True
    walk = _Walk(start, inputs)
    walk.follow(_by_name(profile, ~consumed & exists))
    if not quirks.cycles_omitted:
        unreached = _by_name(profile, exists & ~np.array(walk.is_visited, bool))
        if unreached:
            walk.follow(_cycle_heads(unreached, start, inputs))
    visits = np.array(walk.visits, np.int64)
    return View(
        "graph",
        _tree(visits, consumer, producer, count),
        pa.concat_arrays([pa.array([ROOT]), profile.nodes.name.take(pa.array(visits))]),
        np.concatenate([[-1], visits]),
    )


def _by_name(profile: Profile, mask: BoolArray) -> list[int]:
    """Some nodes, sorted by name."""
    nodes = np.flatnonzero(mask)
    order = pc.sort_indices(profile.nodes.name.take(pa.array(nodes)))
    ids: list[int] = nodes[order.to_numpy()].tolist()
    return ids


def _links(profile: Profile) -> tuple[Array, Array]:
    """Consumer and producer of each edge; a call consumes the results of its function first."""
    consumer, producer = profile.edges.consumer, producers(profile)
    if profile.calls is None:
        return consumer, producer
    results = profile.calls.edges
    result = index_in(results.producer, profile.nodes.name)
    return np.concatenate([results.consumer, consumer]), np.concatenate([result, producer])


class _Walk:
    """A depth-first walk that visits every node once."""

    def __init__(self, start: Array, inputs: Array) -> None:
        # From the last input to the first, as a stack takes them.
        self._inputs = inputs[::-1].tolist()
        self._end: list[int] = (len(inputs) - start).tolist()
        self._begin = self._end[1:]
        self.is_visited = [False] * len(self._begin)
        self.visits: list[int] = []

    def follow(self, roots: list[int]) -> None:
        """Visit the roots in order, each with all nodes that it depends on before the next."""
        begin, end, inputs = self._begin, self._end, self._inputs
        is_visited, visit = self.is_visited, self.visits.append
        stack = roots[::-1]
        while stack:
            node = stack.pop()
            if not is_visited[node]:
                is_visited[node] = True
                visit(node)
                stack += inputs[begin[node] : end[node]]


def _tree(visits: Array, consumer: Array, producer: Array, count: int) -> Tree:
    """The tree of the visited nodes under a root; positions are in the order of visits.

    The parent of a node is the last consumer visited before it, which put it on top of the stack.
    """
    position = np.zeros(count, np.int64)  # 0 for nodes that are not visited
    position[visits] = np.arange(1, len(visits) + 1)
    above, below = position[consumer], position[producer]
    is_before = above < below
    parent = np.zeros(len(visits) + 1, np.int64)
    np.maximum.at(parent, below[is_before], above[is_before])
    parent[0] = -1
    return Tree.from_preorder(parent)


def _cycle_heads(unreached: list[int], start: Array, inputs: Array) -> list[int]:
    """The first node, by name, of each cycle that no other cycle consumes.

    `unreached` are the nodes in or below cycles, sorted by name. No earlier node depends on the
    first one of such a cycle. Of the nodes for which this holds, no later one does either.
    """
    candidates = _not_reached_before(unreached, start, inputs)
    return _not_reached_before(candidates[::-1], start, inputs)[::-1]


def _not_reached_before(nodes: list[int], start: Array, inputs: Array) -> list[int]:
    """The nodes that are no direct or indirect input of one before them."""
    walk = _Walk(start, inputs)
    roots = []
    for node in nodes:
        if not walk.is_visited[node]:
            roots.append(node)
            walk.follow([node])
    return roots
