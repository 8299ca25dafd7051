"""Children of rows by a key: below a row, no two have the same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.profiles.schema import Array

MAX_LEVELS = 1000
"""Deeper rows are not compared; no real stack or name is this deep."""


class ChildLookup:
    """Children of rows by their parent and a key, a number from 0 on."""

    def __init__(self, parent: Array, key: Array) -> None:
        self._size = int(key.max(initial=0)) + 1
        keys = (parent + 1) * self._size + key
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def find(self, parent: Array, key: Array) -> Array:
        """The children of some parents with these keys, -1 for none; no parent has the key -1."""
        is_known = (key >= 0) & (key < self._size)
        keys = np.where(is_known, (parent + 1) * self._size + key, -1)
        index = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        child: Array = np.where(self._keys[index] == keys, self._order[index], -1)
        return child


def by_depth(depth: Array, rows: Array) -> Iterator[tuple[int, Array]]:
    """Rows in groups of one depth, those next to the root first."""
    order = rows[np.argsort(depth[rows], kind="stable")]
    for group in np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)[:MAX_LEVELS]:
        if len(group):
            yield int(depth[group[0]]), group
