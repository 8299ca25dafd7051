"""Scopes and nodes that have another name: found by what is in them.

Candidates have the same scope above them. First come those with the same names, op types and shapes
below, then with less and less of it; several of a kind are matched in the order of the graph. Then
come the most similar ones, and those that have all of another in them, such as a call of the same
function. A node has nothing below it: it has to be the only one of its kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from tfprof.diffs.component_names import ScopeNames
from tfprof.diffs.contents import mix
from tfprof.profiles.grouping import distinct_rows
from tfprof.profiles.schema import Array, BoolArray

_LEAST_SIMILAR = 0.5
_WEIGHTS = (0.5, 0.3, 0.2)
"""How much the same paths and op types, the same last components and op types, and the same op
types count."""
_CONTAINED = 0.8
"""How much it counts that all of one is in the other, which may have more."""
_LEAST_CONTAINED = 5
_MAX_SIZE_RATIO = 4
_MAX_ROWS = 4_000_000
"""How many rows are compared in search of similar scopes."""
_MAX_PAIRS = 2_000_000
"""How many pairs of scopes are looked at, whatever their size."""
_MAX_NAME = 100
"""How much of two names is compared."""
_SMALLEST = 3
"""Scopes with fewer nodes are not matched by op types alone."""


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Rows of one side that have no partner, and the scope above them."""

    names: ScopeNames
    row: Array
    group: Array

    def take(self, rows: Array | BoolArray) -> _Candidates:
        """Some of them."""
        return _Candidates(self.names, self.row[rows], self.group[rows])

    @property
    def size(self) -> Array:
        """How many rows there are at and below each."""
        return self.names.size[self.row]


def find_renames(
    names: tuple[ScopeNames, ScopeNames],
    rows: tuple[Array, Array],
    groups: tuple[Array, Array],
) -> tuple[Array, Array]:
    """Pairs of rows, before and after, that are probably the same under another name.

    Only rows of one group can be: those below the same scope.
    """
    before, after = (_Candidates(*side) for side in zip(names, rows, groups, strict=True))
    before = before.take(np.isin(before.group, after.group))
    after = after.take(np.isin(after.group, before.group))
    pairs = []
    for kind in ("shaped", "wide", "named", "components", "ops"):
        first, second = _pair_alike(before, after, kind)
        pairs.append((before.row[first], after.row[second]))
        before, after = before.take(_without(before, first)), after.take(_without(after, second))
    first, second = _pair_similar(before, after)
    pairs.append((before.row[first], after.row[second]))
    return np.concatenate([a for a, _ in pairs]), np.concatenate([b for _, b in pairs])


def _without(candidates: _Candidates, indices: Array) -> BoolArray:
    mask = np.ones(len(candidates.row), bool)
    mask[indices] = False
    return mask


def _pair_alike(before: _Candidates, after: _Candidates, kind: str) -> tuple[Array, Array]:
    """Pairs of candidates with the same contents, in the order of the graph."""
    none = np.zeros(0, np.int64)
    if not (len(before.row) and len(after.row)):
        return none, none
    sides = before, after
    contents = [getattr(side.names.contents, kind)[side.row] for side in sides]
    columns = [[side.group for side in sides], [side.size for side in sides], contents]
    key, _ = distinct_rows([np.concatenate(column) for column in columns])
    count = int(key.max()) + 1
    keys = key[: len(before.row)], key[len(before.row) :]
    counts = [np.bincount(side, minlength=count) for side in keys]
    is_same = (counts[0] == counts[1]) & (counts[0] > 0)
    for side, candidates in zip(keys, sides, strict=True):
        is_same[side[~_may_be(candidates, kind)]] = False
    chosen = []
    for side, candidates in zip(keys, sides, strict=True):
        is_known = is_same[side] & (_is_scope(candidates, kind) | (counts[0][side] == 1))
        indices = np.flatnonzero(is_known)
        order = candidates.names.first_node[candidates.row[indices]]
        chosen.append(indices[np.lexsort((order, side[indices]))])
    return chosen[0], chosen[1]


def _is_scope(candidates: _Candidates, kind: str) -> BoolArray:
    """Which candidates have enough below them to be told from others."""
    mask: BoolArray = candidates.size >= (_SMALLEST if kind == "ops" else 2)
    return mask


def _may_be(candidates: _Candidates, kind: str) -> BoolArray:
    """Which candidates may be matched by this kind of contents: a variable needs its shape."""
    is_scope = _is_scope(candidates, kind)
    if kind in ("components", "ops"):
        return is_scope
    has_no_shape = candidates.names.shapes[candidates.row] == 0
    mask: BoolArray = is_scope | has_no_shape | (kind in ("shaped", "wide"))
    return mask


def _pair_similar(before: _Candidates, after: _Candidates) -> tuple[Array, Array]:
    """Pairs of scopes with much in common, the most similar first."""
    known: dict[tuple[int, int], _Features] = {}

    def features(side: int, candidates: _Candidates, index: int) -> _Features:
        if (side, index) not in known:
            known[side, index] = _Features(candidates.names, int(candidates.row[index]))
        return known[side, index]

    scored = []
    for first, second in _similar_candidates(before, after):
        both = features(0, before, first), features(1, after, second)
        score = _similarity(*both)
        if score >= _LEAST_SIMILAR:
            name = before.names.component_text(int(before.row[first]))
            other = after.names.component_text(int(after.row[second]))
            alike = SequenceMatcher(None, name[:_MAX_NAME], other[:_MAX_NAME]).ratio()
            scored.append((-score, -alike, first, second))
    chosen: dict[int, int] = {}
    used: set[int] = set()
    for _, _, first, second in sorted(scored):
        if first not in chosen and second not in used:
            chosen[first] = second
            used.add(second)
    return np.array(list(chosen), np.int64), np.array(list(chosen.values()), np.int64)


def _similar_candidates(before: _Candidates, after: _Candidates) -> Iterator[tuple[int, int]]:
    """Pairs of scopes to compare, those of like size first, as far as there is time."""
    scopes = [np.flatnonzero(side.size > 1) for side in (before, after)]
    others: dict[int, list[int]] = {}
    for index in scopes[1].tolist():
        others.setdefault(int(after.group[index]), []).append(index)
    sizes = before.size.tolist(), after.size.tolist()
    rows = pairs = 0
    for is_like in (True, False):
        for first in scopes[0].tolist():
            for second in others.get(int(before.group[first]), ()):
                pairs += 1
                if pairs > _MAX_PAIRS:
                    return
                small, large = sorted((sizes[0][first], sizes[1][second]))
                if (large <= _MAX_SIZE_RATIO * small) != is_like:
                    continue
                rows += small + large + 100
                if rows > _MAX_ROWS:
                    return
                yield first, second


class _Features:
    """What is at and below a row, as multisets of hashes.

    They are path and op type, component and op type, op type, and the first of those further below.
    Paths begin below the row, so that its own name does not count.
    """

    def __init__(self, names: ScopeNames, row: int) -> None:
        below = slice(row, int(names.tree.end[row]))
        op = mix(names.op[below] + 2)
        component = names.component[below] + 2
        component[0] = 1
        path = mix((names.path[below] - names.path[row]).view(np.uint64) ^ op)
        inner = path[names.tree.depth[below] > names.tree.depth[row] + 1]
        self.size = len(op)
        self.inner_size = len(inner)
        self.counts = [
            np.unique(each, return_counts=True) for each in (path, mix(mix(component) ^ op), op)
        ]
        self.inner = np.unique(inner, return_counts=True)


def _similarity(first: _Features, second: _Features) -> float:
    """How much two scopes have in common, from 0 to 1."""
    score = sum(
        weight * 2 * _shared(*both) / (first.size + second.size)
        for weight, *both in zip(_WEIGHTS, first.counts, second.counts, strict=True)
    )
    smaller = min(first.inner_size, second.inner_size)
    if smaller < _LEAST_CONTAINED:
        return score
    return max(score, _CONTAINED * _shared(first.inner, second.inner) / smaller)


def _shared(first: tuple[Array, Array], second: tuple[Array, Array]) -> int:
    """How many elements two multisets share."""
    _, i, j = np.intersect1d(first[0], second[0], assume_unique=True, return_indices=True)
    return int(np.minimum(first[1][i], second[1][j]).sum())
