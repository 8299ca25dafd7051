"""Messages inside messages, as deep as a tree: from the bytes of its rows to one parsed message.

protobuf parses at most 100 levels at once, so that a deeper tree is parsed in parts.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tfprof.outputs.protobuf.protobuf_writer import (
    Fields,
    key,
    prefixed,
    varint_lengths,
)
from tfprof.profiles.schema import Array
from tfprof.views.tree import Tree

__all__ = ["parsed"]

_LEVELS = 90  # of a part; a few more nest inside a row


def parsed(root: Any, tree: Tree, rows: Fields) -> Any:
    """The root's message, with a message in the `children` of its parent for every other row.

    `rows` are the rows' own fields. A row's bytes are those and then its children's: in the order
    of the tree, bytes of rows just follow each other.
    """
    before = key(root.DESCRIPTOR.fields_by_name["children"].number, nests=True)
    level = (tree.depth - 1) % _LEVELS
    order = np.argsort(level, kind="stable")
    bounds = np.searchsorted(level[order], np.arange(level.max(initial=0) + 2)).tolist()
    levels = [order[first:last] for first, last in itertools.pairwise(bounds)]
    length = rows.lengths.copy()
    for below in reversed(levels[1:]):
        inside = length[below]
        np.add.at(length, tree.parent[below], len(before) + varint_lengths(inside) + inside)
    whole = prefixed(before, length, level > 0) + rows
    if len(levels[0]) == 1:
        root.MergeFromString(whole.joined())
        return root
    return _parsed_in_parts(root, tree, levels, length, whole)


def _parsed_in_parts(
    root: Any, tree: Tree, levels: list[Array], length: Array, rows: Fields
) -> Any:
    """The same for a deep tree: a part for each row of the first level, parsed in its place."""
    part = np.arange(len(tree))
    for below in levels[1:]:
        part[below] = part[tree.parent[below]]
    data = rows.of(np.argsort(part, kind="stable")).joined()
    tops = levels[0].tolist()
    end = np.cumsum(length[levels[0]]).tolist()
    place = _Places(root, tree)
    for row, first, last in zip(tops, [0, *end], end, strict=False):
        message = root if row == 0 else place.of(int(tree.parent[row])).children.add()
        message.MergeFromString(data[first:last])
    return root


class _Places:
    """Finds the message of a row from the root's, which knows it by its place among children."""

    def __init__(self, root: Any, tree: Tree) -> None:
        self.known = {0: root}
        self.parent = tree.parent.tolist()
        by_parent = np.argsort(tree.parent, kind="stable")
        above = tree.parent[by_parent]
        number = np.empty(len(tree), np.int64)
        number[by_parent] = np.arange(len(tree)) - np.searchsorted(above, above)
        self.number = number.tolist()

    def of(self, row: int) -> Any:
        """The message of a row whose part has been parsed."""
        path = []
        while row not in self.known:
            path.append(row)
            row = self.parent[row]
        message = self.known[row]
        for step in reversed(path):
            message = self.known[step] = message.children[self.number[step]]
        return message
