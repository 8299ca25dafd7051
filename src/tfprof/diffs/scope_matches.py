"""Which position of one scope view is which of another: by name, then by renamed scopes.

Scopes are compared level by level, below scopes that are matched. What is left is looked up with
the renames applied to any component: names of gradients, of optimizers and of the runtime have the
scope somewhere inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from tfprof.definitions.quirks import Quirks
from tfprof.diffs.child_lookup import by_depth
from tfprof.diffs.component_names import ScopeNames, scope_names
from tfprof.diffs.numbered_names import NumberedNames
from tfprof.diffs.scope_renames import find_renames
from tfprof.diffs.word_replacer import WordReplacer
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray

_Replacer: TypeAlias = Callable[[str], str | None]
"""A name with something replaced; None if nothing is."""
_MAX_WORDS = 500
_COUNTER = re.compile(r"(?<=.)_[0-9]+$")


@dataclass(frozen=True, slots=True)
class ScopeMatches:
    """The position after of each position before, -1 for none; which of them are guesses.

    `renames` are pairs of scopes or nodes, before and after, whose last component differs.
    """

    before: ScopeNames
    after: ScopeNames
    partner: Array
    guessed: BoolArray
    renames: tuple[tuple[str, str], ...] = ()

    def partner_nodes(self) -> tuple[Array, BoolArray]:
        """The node after of each node before, -1 for none; and which are guesses."""
        count = int(self.before.node.max(initial=-1)) + 1
        node, guessed = np.full(count, -1, np.int64), np.zeros(count, bool)
        rows = np.flatnonzero((self.before.node >= 0) & (self.partner >= 0))
        node[self.before.node[rows]] = self.after.node[self.partner[rows]]
        guessed[self.before.node[rows]] = self.guessed[rows]
        return node, guessed


def match_scopes(
    before: Profile, after: Profile, quirks: Quirks, *, strict: bool = False
) -> ScopeMatches:
    """Match the positions of the scope views of two resolved profiles; `strict` by name only."""
    matcher = _Matcher(*scope_names(before, after, quirks))
    if strict:
        matcher.match_names()
    else:
        matcher.match_levels()
        matcher.match_components()
    partner = matcher.partner
    same = index_in(matcher.before.name, matcher.after.name)
    return ScopeMatches(
        matcher.before,
        matcher.after,
        partner,
        (partner >= 0) & (partner != same),
        tuple(matcher.renames),
    )


@dataclass(slots=True)
class _Matcher:
    before: ScopeNames
    after: ScopeNames
    partner: Array = field(init=False)
    is_matched: BoolArray = field(init=False)
    renames: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.partner = np.full(len(self.before), -1, np.int64)
        self.is_matched = np.zeros(len(self.after), bool)
        self._add(np.zeros(1, np.int64), np.zeros(1, np.int64))

    def match_names(self) -> None:
        """Match what has the same name."""
        self.partner = index_in(self.before.name, self.after.name)

    def match_levels(self) -> None:
        """Match level by level the children of matched rows, and then what was moved."""
        parent = self.before.tree.parent
        numbered = NumberedNames(self.before, self.after)
        others_of = dict(by_depth(self.after.tree.depth, np.arange(1, len(self.after))))
        for depth, level in by_depth(self.before.tree.depth, np.arange(1, len(self.before))):
            rows = level[self.partner[parent[level]] >= 0]
            others = others_of.get(depth, rows[:0])
            others = others[self.is_matched[self.after.tree.parent[others]]]
            if not (len(rows) and len(others)):
                break
            self._add_renamed(*numbered.match(rows, self.partner[parent[rows]], others))
            rows, others = rows[self.partner[rows] < 0], others[~self.is_matched[others]]
            if len(rows) and len(others):
                groups = self.partner[parent[rows]], self.after.tree.parent[others]
                self._add_renamed(*find_renames((self.before, self.after), (rows, others), groups))

    def _add(self, rows: Array, partner: Array) -> None:
        """Match rows to partners that are still free; -1 is none."""
        free = np.flatnonzero((partner >= 0) & ~self.is_matched[partner])
        self.partner[rows[free]] = partner[free]
        self.is_matched[partner[free]] = True

    def _add_renamed(self, rows: Array, partner: Array) -> None:
        """Match rows to partners, and note those whose last component differs."""
        self._add(rows, partner)
        differs = self.before.component[rows] != self.after.component[partner]
        names = self.before.name.take(pa.array(rows[differs])).to_pylist()
        others = self.after.name.take(pa.array(partner[differs])).to_pylist()
        self.renames += zip(names, others, strict=True)

    def match_components(self) -> None:
        """Match names with the renamed components replaced, wherever they are.

        A component has to be replaced by the same one in all renames that it is in. Names that are
        on both sides are replaced where that gives a node of the right shape instead of another.
        """
        renamed = _renamed_components(self.renames)
        if not renamed:
            return
        replacers = _component_replacer(renamed), _word_replacer(_path_words(self.renames, renamed))
        self._exchange(replacers[1])
        rows = np.flatnonzero(self.partner < 0)
        free = np.flatnonzero(~self.is_matched)
        if not (len(rows) and len(free)):
            return
        names = self.before.name.take(pa.array(rows)).to_pylist()
        known = self.after.name.take(pa.array(free))
        for replace in replacers:
            replaced = pa.array(map(replace, names), pa.string())
            index = index_in(replaced, known)
            self._add_once(rows, np.where(index >= 0, free[index], -1))

    def _exchange(self, replace: _Replacer) -> None:
        """Give nodes with another shape than their partner one that has theirs, and a new name."""
        before, after = self.before, self.after
        rows = np.flatnonzero((self.partner >= 0) & (before.size == 1) & (before.shapes > 0))
        shape, shapes = before.contents.shaped, after.contents.shaped
        rows = rows[shape[rows] != shapes[self.partner[rows]]]
        names = before.name.take(pa.array(rows)).to_pylist()
        partner = index_in(pa.array(map(replace, names), pa.string()), after.name)
        is_better = (partner >= 0) & (shape[rows] == shapes[partner])
        rows, partner = rows[is_better], partner[is_better]
        unique = np.bincount(partner, minlength=1)[partner] == 1
        rows, partner = rows[unique], partner[unique]
        owner = np.full(len(after), -1, np.int64)
        matched = np.flatnonzero(self.partner >= 0)
        owner[self.partner[matched]] = matched
        self.is_matched[self.partner[rows]] = False
        losers = owner[partner]
        self.partner[losers[losers >= 0]] = -1
        self.partner[rows] = partner
        self.is_matched[partner] = True

    def _add_once(self, rows: Array, partner: Array) -> None:
        """Match rows whose partner no other of them has, if neither is matched yet."""
        rows, partner = rows[partner >= 0], partner[partner >= 0]
        is_left = (self.partner[rows] < 0) & ~self.is_matched[partner]
        rows, partner = rows[is_left], partner[is_left]
        unique = np.bincount(partner, minlength=1)[partner] == 1
        self._add(rows[unique], partner[unique])


def _path_words(renames: list[tuple[str, str]], renamed: Mapping[str, str]) -> dict[str, str]:
    """Renamed components, and renamed paths as names of slots have them: joined by `_`."""
    paths = {old.replace("/", "_"): new.replace("/", "_") for old, new in renames if "/" in old}
    return {**renamed, **paths}


def _renamed_components(renames: list[tuple[str, str]]) -> dict[str, str]:
    """The components that were replaced, each by the same one everywhere."""
    new_names: dict[str, set[str]] = {}
    for pair in renames:
        old, new = (name.rpartition("/")[2] for name in pair)
        new_names.setdefault(old, set()).add(new)
        # TensorFlow numbers scopes that are opened again, such as `conv_1`.
        counter = _COUNTER.search(old)
        if counter and new.endswith(counter[0]):
            new_names.setdefault(old.removesuffix(counter[0]), set()).add(
                new.removesuffix(counter[0])
            )
    return {old: new.pop() for old, new in new_names.items() if len(new) == 1}


def _component_replacer(renamed: Mapping[str, str]) -> _Replacer:
    """A function that replaces whole components of names."""

    def replace(name: str) -> str | None:
        parts = name.split("/")
        replaced = [renamed.get(part, part) for part in parts]
        return None if replaced == parts else "/".join(replaced)

    return replace


def _word_replacer(renamed: Mapping[str, str]) -> _Replacer:
    """A function that also replaces components that something is joined to by `_` or the like."""
    if len(renamed) > _MAX_WORDS:
        return lambda _name: None
    return WordReplacer(renamed).replace
