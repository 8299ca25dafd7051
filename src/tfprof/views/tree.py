"""A tree in pre-order, as arrays: sums, ancestors and sorting without recursion.

In pre-order a subtree is a slice: the sum over it is the difference of two prefix sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof.profiles.grouping import argsort_small, argsort_within, invert_permutation
from tfprof.profiles.schema import Array, BoolArray


@dataclass(frozen=True, slots=True)
class Tree:
    """Position 0 is the root. `depth` counts from 1; the subtree of `i` is the slice `i:end[i]`."""

    parent: Array
    depth: Array
    end: Array

    def __len__(self) -> int:
        return len(self.parent)

    @classmethod
    def flat(cls, count: int) -> Tree:
        """The tree of `count` nodes in which all others are children of the root."""
        return cls.from_preorder(np.minimum(np.arange(count), 1) - 1)

    @classmethod
    def from_depths(cls, depth: Array) -> Tree:
        """The tree of nodes given in pre-order by their depths."""
        return cls.from_preorder(_parents(depth))

    @classmethod
    def from_preorder(cls, parent: Array) -> Tree:
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
        """The tree of nodes with these parents (-1: the root), and the node of each position.

        A parent must come before its children. Siblings keep their order. The root is not among
        the nodes.
        """
        count = len(parent)
        up = np.concatenate([np.zeros(1, np.int64), parent.astype(np.int64) + 1])
        size = _subtree_sizes(up)
        order = np.argsort(up[1:], kind="stable") + 1
        offset = np.zeros(count + 1, np.int64)
        offset[order] = 1 + _exclusive_sums_within(up[order], size[order])
        position = _sums_to_root(up, offset)
        depth = 1 + _sums_to_root(up, np.minimum(np.arange(count + 1), 1))
        node = invert_permutation(position)
        new_parent = position[up][node]
        new_parent[0] = -1
        tree = cls(new_parent, depth[node], np.arange(count + 1) + size[node])
        return tree, node[1:] - 1

    def subtree_sums(self, values: Array) -> Array:
        """The sum of each node's value and those of its descendants."""
        prefix = np.zeros(len(self) + 1, values.dtype)
        np.cumsum(values, out=prefix[1:])
        sums: Array = prefix[self.end]
        sums -= prefix[:-1]
        return sums

    def path_sums(self, values: Array) -> Array:
        """The sum of each node's value and those of its ancestors."""
        change = np.zeros(len(self) + 1, np.int64)
        change[:-1] += values
        np.subtract.at(change, self.end, values)
        return np.cumsum(change[:-1])

    def descendants_of(self, mask: BoolArray) -> BoolArray:
        """Which nodes have an ancestor in `mask`."""
        return self.path_sums(mask.astype(np.int64)) > mask

    def filter(self, mask: BoolArray) -> tuple[Tree, Array]:
        """The tree of the nodes in `mask`, and the old position of each.

        A node goes under its nearest ancestor in `mask`, which must have the root.
        """
        old_position = np.flatnonzero(mask)
        if len(old_position) == len(self):
            return self, old_position
        depth = self.path_sums(mask.astype(np.int64))[old_position]
        new_position = np.concatenate([np.zeros(1, np.int64), np.cumsum(mask)])
        tree = Tree(_parents(depth), depth, new_position[self.end[old_position]])
        return tree, old_position

    def sort_by(self, key: Array) -> tuple[Tree, Array]:
        """The tree with siblings sorted by a key (stable), and the old position of each node."""
        count = len(self)
        size = self.end - np.arange(count)
        order = argsort_within(self.parent[1:], key[1:]) + 1
        offset = np.zeros(count, np.int64)
        offset[order] = 1 + _exclusive_sums_within(self.parent[order], size[order])
        new_position = self.path_sums(offset)
        old_position = invert_permutation(new_position)
        parent = np.where(self.parent < 0, -1, new_position[self.parent])[old_position]
        end = np.arange(count) + size[old_position]
        return Tree(parent, self.depth[old_position], end), old_position


def _parents(depth: Array) -> Array:
    """The parent of each node in pre-order.

    The parent of a first child comes right before it; the next nodes of the same depth are its
    siblings, until another first child comes.
    """
    order = argsort_small(depth)
    is_first = np.diff(depth, prepend=depth[0])[order] > 0
    parent = np.empty(len(depth), np.int64)
    parent[order] = order[np.maximum.accumulate(np.where(is_first, np.arange(len(depth)), 0))] - 1
    return parent


def _sums_to_root(up: Array, values: Array) -> Array:
    """The sum of the values from each node to the root, by doubling the steps towards it.

    `up` is the parent of each node, the root's being itself. The root's value must be 0.
    """
    while up.any():
        values = values + values[up]
        up = up[up]
    return values


def _subtree_sizes(up: Array) -> Array:
    """How many nodes each subtree has, by doubling how far down they are counted."""
    end = len(up)
    size = np.ones(end, np.int64)
    ancestor = np.append(up, end)
    ancestor[0] = end  # above the root
    while (ancestor[:end] < end).any():
        size += np.bincount(ancestor[:end], size)[:end].astype(np.int64)
        ancestor = ancestor[ancestor]
    return size


def _exclusive_sums_within(groups: Array, values: Array) -> Array:
    """The sum of the values before each one in its group; groups are runs of equal numbers."""
    if not len(values):
        return values
    before = np.cumsum(values) - values
    first = np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]]))
    lengths = np.diff(np.append(first, len(values)))
    return before - np.repeat(before[first], lengths)
