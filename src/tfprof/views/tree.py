"""A tree in pre-order, as arrays: sums, ancestors and sorting without recursion.

In pre-order a subtree is a slice, so that the sum over it is the difference of two running sums,
and what holds below a node is a mark at its first and one after its last position.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof.profiles.schema import Array, BoolArray

__all__ = ["Tree", "order_within", "sorted_few"]

_LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class Tree:
    """Position 0 is the root; `depth` counts from 1, `end` is one after the subtree's last."""

    parent: Array
    depth: Array
    end: Array

    def __len__(self) -> int:
        return len(self.parent)

    @classmethod
    def from_depths(cls, depth: Array) -> Tree:
        """The tree of nodes given in pre-order by their depths."""
        return cls.in_order(_parents(depth))

    @classmethod
    def in_order(cls, parent: Array) -> Tree:
        """The tree of nodes in pre-order with these parents, that of the root being -1."""
        last = np.arange(len(parent))
        last[parent[1:]] = last[1:]  # a node's last child, or itself
        while True:
            further = last[last]
            if (further == last).all():
                break
            last = further
        change = np.ones(len(parent) + 1, np.int64)
        np.subtract.at(change, last + 1, 1)
        return cls(parent, np.cumsum(change[:-1]), last + 1)

    @classmethod
    def from_parents(cls, parent: Array) -> tuple[Tree, Array]:
        """The tree of nodes with these parents (-1: the root), siblings in the given order.

        A parent must stand before its children. Also returned: which node stands at each position
        of the tree, after the root.
        """
        count = len(parent)
        up = np.concatenate([np.zeros(1, np.int64), parent.astype(np.int64) + 1])
        depth = _depths(up)
        size = np.ones(count + 1, np.int64)
        for level in _levels_from_below(depth):
            np.add.at(size, up[level], size[level])
        offset = np.ones(count + 1, np.int64)
        order = np.argsort(up[1:], kind="stable") + 1
        offset[order] += _exclusive_sums_within(up[order], size[order])
        at = np.zeros(count + 1, np.int64)
        for level in reversed(_levels_from_below(depth)):
            at[level] = at[up[level]] + offset[level]
        node_at = np.argsort(at, kind="stable")
        new_parent = at[up][node_at]
        new_parent[0] = -1
        tree = cls(new_parent, depth[node_at], at[node_at] + size[node_at])
        return tree, node_at[1:] - 1

    def subtree_sums(self, values: Array) -> Array:
        """For each node the sum of its own value and those of all nodes below it."""
        running = np.zeros(len(self) + 1, values.dtype)
        np.cumsum(values, out=running[1:])
        sums: Array = running[self.end]
        sums -= running[:-1]
        return sums

    def path_sums(self, values: Array) -> Array:
        """For each node the sum of its own value and those of all nodes above it."""
        change = np.zeros(len(self) + 1, np.int64)
        change[:-1] += values
        np.subtract.at(change, self.end, values)
        return np.cumsum(change[:-1])

    def descendants_of(self, marked: BoolArray) -> BoolArray:
        """Which nodes have a marked node above them."""
        inside = self.path_sums(marked.astype(np.int64)) - marked
        return inside > 0

    def filter(self, wanted: BoolArray) -> tuple[Tree, Array]:
        """The tree of some nodes, each under its nearest wanted ancestor, and where they stood.

        The root must be wanted.
        """
        rows = np.flatnonzero(wanted)
        if len(rows) == len(self):
            return self, rows
        depth = self.path_sums(wanted.astype(np.int64))[rows]
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(wanted)])
        return Tree(_parents(depth), depth, before[self.end[rows]]), rows

    def sorted_by(self, key: Array) -> tuple[Tree, Array]:
        """The tree with siblings sorted by a key (stable), and where each node stood."""
        count = len(self)
        size = self.end - np.arange(count)
        order = order_within(self.parent[1:], key[1:]) + 1
        offset = np.zeros(count, np.int64)
        offset[order] = 1 + _exclusive_sums_within(self.parent[order], size[order])
        at = self.path_sums(offset)
        stood = np.empty(count, np.int64)
        stood[at] = np.arange(count)
        parent = np.where(self.parent < 0, -1, at[self.parent])[stood]
        return Tree(parent, self.depth[stood], np.arange(count) + size[stood]), stood


def order_within(groups: Array, key: Array) -> Array:
    """The order by group and, in each, by key; equal rows stay in their order.

    Much is in order already, which a stable sort makes use of.
    """
    if not len(key):
        return np.zeros(0, np.int64)
    least, most = int(key.min()), int(key.max())
    if (most - least + 1) * (int(groups.max()) + 1) >= _LARGEST:
        return np.lexsort((key, groups))
    found: Array = np.argsort(groups * (most - least + 1) + (key - least), kind="stable")
    return found


def _parents(depth: Array) -> Array:
    """The parent of each node in pre-order.

    That of a first child stands right before it; the next nodes of the same depth are its siblings
    until another first child comes.
    """
    order = sorted_few(depth)
    first = np.diff(depth, prepend=0)[order] > 0
    owner = order[np.maximum.accumulate(np.where(first, np.arange(len(depth)), 0))] - 1
    parent = np.empty(len(depth), np.int64)
    parent[order] = owner
    return parent


def sorted_few(numbers: Array) -> Array:
    """The order of numbers, none below 0, equal ones as they are; those of 16 bits are fastest."""
    narrow = numbers.astype(np.uint16) if numbers.max(initial=0) < 2**16 else numbers
    order: Array = np.argsort(narrow, kind="stable")
    return order


def _depths(up: Array) -> Array:
    """The depth of every node, the root's being 1, by doubling the step towards the root."""
    hops = np.ones(len(up), np.int64)
    hops[0] = 0
    while up.any():
        hops = hops + hops[up]
        up = up[up]
    return hops + 1


def _levels_from_below(depth: Array) -> list[Array]:
    """The positions of each depth, deepest first, without the root."""
    order = sorted_few(depth)
    bounds = np.flatnonzero(np.diff(depth[order])) + 1
    return np.split(order, bounds)[:0:-1]


def _exclusive_sums_within(groups: Array, values: Array) -> Array:
    """Running sums that start anew with each group of equal neighbours and leave out the last."""
    if not len(values):
        return values
    running = np.cumsum(values) - values
    first = np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]]))
    lengths = np.diff(np.append(first, len(values)))
    return running - np.repeat(running[first], lengths)
