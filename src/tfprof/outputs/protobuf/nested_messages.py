"""A tree of messages, parsed from the bytes of its rows.

protobuf parses at most 100 levels at once, so that a deeper tree is parsed in parts.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tfprof.outputs.protobuf.protobuf_writer import (
    Fields,
    field_numbers,
    field_tag,
    length_prefixes,
    varint_lengths,
)
from tfprof.profiles.schema import Array
from tfprof.views.tree import Tree

_LEVELS = 90  # of a part; a few more nest inside a row


def parse_tree(root: Any, tree: Tree, rows: Fields) -> Any:
    """Merge all rows into the root's message: each row's is among the `children` of its parent's.

    `rows` are the other fields. The bytes of a row are those and then its children's, so that in
    pre-order rows just follow each other.
    """
    tag = field_tag(field_numbers(root)["children"], length_delimited=True)
    level = (tree.depth - 1) % _LEVELS
    order = np.argsort(level, kind="stable")
    bounds = np.searchsorted(level[order], np.arange(level.max(initial=0) + 2)).tolist()
    levels = [order[first:last] for first, last in itertools.pairwise(bounds)]
    length = rows.lengths.copy()
    for below in reversed(levels[1:]):
        inside = length[below]
        np.add.at(length, tree.parent[below], len(tag) + varint_lengths(inside) + inside)
    whole = length_prefixes(tag, length, level > 0) + rows
    if len(levels[0]) == 1:
        root.MergeFromString(whole.to_bytes())
        return root
    return _parse_in_parts(root, tree, levels, length, whole)


def _parse_in_parts(root: Any, tree: Tree, levels: list[Array], length: Array, rows: Fields) -> Any:
    """The same for a deep tree: each row of the first level begins a part."""
    part = np.arange(len(tree))
    for below in levels[1:]:
        part[below] = part[tree.parent[below]]
    data = rows.take(np.argsort(part, kind="stable")).to_bytes()
    tops = levels[0].tolist()
    end = np.cumsum(length[levels[0]]).tolist()
    messages = _MessageIndex(root, tree)
    for row, first, last in zip(tops, [0, *end], end, strict=False):
        message = root if row == 0 else messages.find(int(tree.parent[row])).children.add()
        message.MergeFromString(data[first:last])
    return root


class _MessageIndex:
    """Finds the message of a row, by the indices of it and its ancestors among their siblings."""

    def __init__(self, root: Any, tree: Tree) -> None:
        self.known = {0: root}
        self.parent = tree.parent.tolist()
        by_parent = np.argsort(tree.parent, kind="stable")
        parent = tree.parent[by_parent]
        sibling = np.empty(len(tree), np.int64)
        sibling[by_parent] = np.arange(len(tree)) - np.searchsorted(parent, parent)
        self.sibling = sibling.tolist()

    def find(self, row: int) -> Any:
        """The message of a row whose part has been parsed."""
        path = []
        while row not in self.known:
            path.append(row)
            row = self.parent[row]
        message = self.known[row]
        for step in reversed(path):
            message = self.known[step] = message.children[self.sibling[step]]
        return message
