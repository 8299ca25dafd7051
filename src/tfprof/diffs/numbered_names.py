"""Siblings whose names differ by counters only, such as `conv2d_1` and `conv2d_2`: which is which.

If each has the same in it as its namesake, names decide. Otherwise the two sequences, in the order
of their counters, are aligned so that what is in them agrees most, with namesakes first among
equals. Where no shape tells one from the other, as in gradients, they are aligned as their stem was
elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from tfprof.definitions.limits import MAX_NAME_CANDIDATES
from tfprof.diffs.child_lookup import ChildLookup
from tfprof.diffs.component_names import ScopeNames, strip_counters
from tfprof.profiles.grouping import distinct_rows
from tfprof.profiles.schema import Array, BoolArray

_SHAPED, _WIDE, _NAMED, _NAMESAKE, _ANY = 16, 12, 4, 2, 1
"""How much it counts that two have the same names, op types and shapes in them, or last sizes, or
only names and op types; the same name themselves; the same op type."""
_MAX_CELLS = 250_000
_MAX_ALL_CELLS = 4_000_000
"""Larger sequences are not aligned: names decide."""
_COUNTER = re.compile(r"[0-9]+")

_Pairs: TypeAlias = list[tuple[int, int]]


class NumberedNames:
    """Matches children of matched rows by names without counters."""

    def __init__(self, before: ScopeNames, after: ScopeNames) -> None:
        self._before, self._after = before, after
        self._lookup = ChildLookup(after.tree.parent, after.component)
        self._cells = _MAX_ALL_CELLS
        self._aligned: dict[tuple[str, int, int], _Pairs] = {}

    def match(self, rows: Array, group: Array, others: Array) -> tuple[Array, Array]:
        """Pairs of rows; `group` is the row after that stands for the parent of each row before."""
        before, after = self._before, self._after
        namesake = self._lookup.find(group, before.component[rows])
        groups = np.concatenate([group, after.tree.parent[others]])
        stems = np.concatenate([before.stem[rows], after.stem[others]])
        key, _ = distinct_rows([groups, stems])
        count = int(key.max(initial=-1)) + 1
        keys = key[: len(rows)], key[len(rows) :]
        sizes = [np.bincount(side, minlength=count) for side in keys]
        is_same = namesake >= 0
        is_same &= before.contents.shaped[rows] == after.contents.shaped[namesake]
        same = np.bincount(keys[0][is_same], minlength=count)
        settled = (same == sizes[0]) & (same == sizes[1])
        mask = settled[keys[0]]
        pairs = [(rows[mask], namesake[mask])]
        single = ~settled & (sizes[0] == 1) & (sizes[1] == 1)
        pairs.append(self._match_singles(rows, others, keys, single))
        many = ~settled & ~single & (sizes[0] > 0) & (sizes[1] > 0)
        for first, second in zip(
            _families(before, rows, keys[0], many),
            _families(after, others, keys[1], many),
            strict=True,
        ):
            chosen = self._align(first, second)
            pairs.append((first[[i for i, _ in chosen]], second[[j for _, j in chosen]]))
        return np.concatenate([a for a, _ in pairs]), np.concatenate([b for _, b in pairs])

    def _match_singles(
        self, rows: Array, others: Array, keys: tuple[Array, Array], single: BoolArray
    ) -> tuple[Array, Array]:
        """Pairs of the only ones of their stem, if they have the same name or op type."""
        row, other = np.zeros(len(single), np.int64), np.zeros(len(single), np.int64)
        row[keys[0]], other[keys[1]] = rows, others
        row, other = row[single], other[single]
        alike = self._before.component[row] == self._after.component[other]
        alike |= self._before.op[row] == self._after.op[other]
        return row[alike], other[alike]

    def _align(self, rows: Array, others: Array) -> _Pairs:
        """Pairs of indices of siblings with one stem, sorted by their counters."""
        before, after = self._before, self._after
        cells = len(rows) * len(others)
        if cells > min(_MAX_CELLS, self._cells):
            return _pair_equal(before.component[rows], after.component[others])
        self._cells -= cells
        namesakes = before.component[rows][:, None] == after.component[others]
        stem = strip_counters([before.component_text(int(rows[0]))])[0]
        has_shapes = bool(before.shapes[rows].any() and after.shapes[others].any())
        known = None if has_shapes else self._known(stem, len(rows), len(others))
        if known is not None:
            return [(i, j) for i, j in known if before.op[rows[i]] == after.op[others[j]]]
        alike = before.op[rows][:, None] == after.op[others]
        score = (alike | namesakes) * _ANY + namesakes * _NAMESAKE
        for worth, hashes in (
            (_NAMED - _ANY, (before.contents.named, after.contents.named)),
            (_WIDE - _NAMED, (before.contents.wide, after.contents.wide)),
            (_SHAPED - _WIDE, (before.contents.shaped, after.contents.shaped)),
        ):
            score += worth * (hashes[0][rows][:, None] == hashes[1][others])
        pairs = _best_alignment(score)
        if has_shapes:
            self._aligned.setdefault((stem, len(rows), len(others)), pairs)
        return pairs

    def _known(self, stem: str, count: int, other_count: int) -> _Pairs | None:
        """How as many siblings of a stem, or of the end of a stem, were aligned elsewhere."""
        for _ in range(MAX_NAME_CANDIDATES):
            pairs = self._aligned.get((stem, count, other_count))
            if pairs is not None or not stem:
                return pairs
            stem = stem.partition("_")[2]
        return None


def _sort_by_counters(names: ScopeNames, rows: Array) -> Array:
    """Siblings of one stem by their counters, which may be of any size."""
    keys = []
    texts = [names.component_text(row) for row in rows.tolist()]
    for text, stem in zip(texts, strip_counters(texts), strict=True):
        digits = [digit.lstrip("0") for digit in _COUNTER.findall(text, len(stem))]
        keys.append([(len(digit), digit) for digit in digits])
    return rows[sorted(range(len(rows)), key=keys.__getitem__)]


def _families(names: ScopeNames, rows: Array, key: Array, chosen: BoolArray) -> Iterator[Array]:
    """The rows of each chosen key, sorted by their counters."""
    rows, key = rows[chosen[key]], key[chosen[key]]
    order = np.argsort(key, kind="stable")
    for family in np.split(rows[order], np.flatnonzero(np.diff(key[order])) + 1):
        if len(family):
            yield _sort_by_counters(names, family)


def _pair_equal(first: Array, second: Array) -> _Pairs:
    """The indices of elements that both have; each has an element once."""
    _, i, j = np.intersect1d(first, second, return_indices=True)
    order = np.argsort(i)
    return list(zip(i[order].tolist(), j[order].tolist(), strict=True))


def _best_alignment(score: Array) -> _Pairs:
    """Pairs of indices in the order of both sides with the largest sum of scores."""
    rows, columns = score.shape
    best = np.zeros((rows + 1, columns + 1), np.int64)
    for i in range(rows):
        extended = np.maximum(best[i, 1:], best[i, :-1] + score[i])
        best[i + 1, 1:] = np.maximum.accumulate(extended)
    pairs = []
    i, j = rows, columns
    while i and j:
        if score[i - 1, j - 1] and best[i, j] == best[i - 1, j - 1] + score[i - 1, j - 1]:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif best[i, j] == best[i - 1, j]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]
