"""The names of two scope views as numbers: components, parents, subtrees and hashes of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.diffs.contents import Contents, hash_contents, mix
from tfprof.diffs.node_shapes import NO_SHAPE, graph_ops, node_shapes, share_codes
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.views import view_of
from tfprof.views.tree import Tree

_DEPTHS = 1 << 20
_COUNTERS = r"^(.*?[^_.])(?:[_.][0-9]+)+$"
"""A component that ends with counters, and what is before them."""


@dataclass(frozen=True, slots=True)
class ScopeNames:
    """The positions of a scope view.

    `component` is the last component of each name, `stem` the same without counters such as `_1`,
    and `op` the op type, -1 for a scope: numbers that two sides share. `size` is the number of
    positions at and below each, `shapes` how many of them have a shape, and `first_node` the
    smallest node id. `path` is a hash of the components from the root on: those of two rows differ
    by a hash of what is between them.
    """

    tree: Tree
    name: pa.Array
    node: Array
    component: Array
    stem: Array
    op: Array
    path: Array
    size: Array
    shapes: Array
    first_node: Array
    contents: Contents

    def __len__(self) -> int:
        return len(self.tree)

    def component_text(self, row: int) -> str:
        """The last component of the name of a row."""
        return str(self.name[row]).rpartition("/")[2]


def scope_names(before: Profile, after: Profile, quirks: Quirks) -> tuple[ScopeNames, ScopeNames]:
    """The names of two resolved profiles; equal components and op types have equal numbers."""
    views = [view_of(profile, "scope", quirks) for profile in (before, after)]
    texts = [_last_components(view.name) for view in views]
    components, stems = share_codes(texts), share_codes([_stems(text) for text in texts])
    ops = share_codes([graph_ops(profile) for profile in (before, after)])
    shapes = node_shapes(before, after)
    sides = []
    for i, view in enumerate(views):
        node = np.where(view.node < 0, np.iinfo(np.int64).max, view.node)
        op = np.append(ops[i], -1)[view.node]
        shape, width = (np.append(column, NO_SHAPE)[view.node] for column in shapes[i])
        sides.append(
            ScopeNames(
                view.tree,
                view.name,
                view.node,
                components[i],
                stems[i],
                op,
                _path_hashes(view.tree, components[i]),
                view.tree.end - np.arange(len(view.tree)),
                view.tree.subtree_sums((width != NO_SHAPE).astype(np.int64)),
                _subtree_minima(view.tree, node),
                hash_contents(view.tree, components[i], op, shape, width),
            )
        )
    return sides[0], sides[1]


def _last_components(names: pa.Array) -> pa.Array:
    parts = pc.split_pattern(names, "/", max_splits=1, reverse=True)
    return parts.flatten().take(pa.array(list_offsets(parts)[1:] - 1))


def _stems(components: pa.Array) -> pa.Array:
    """Components without the counters at their end that make names unique."""
    encoded = components.dictionary_encode()
    stems = pc.replace_substring_regex(encoded.dictionary, _COUNTERS, r"\1")
    return stems.take(encoded.indices)


def strip_counters(components: Sequence[str]) -> list[str]:
    """Components without the counters at their end."""
    stems: list[str] = _stems(pa.array(components, pa.string())).to_pylist()
    return stems


def _path_hashes(tree: Tree, component: Array) -> Array:
    """The sum of a hash of each component and its depth, from the root on."""
    return tree.path_sums(mix(component * _DEPTHS + tree.depth).view(np.int64))


def _subtree_minima(tree: Tree, values: Array) -> Array:
    """The smallest value of each subtree."""
    bounds = np.empty(2 * len(tree), np.int64)
    bounds[::2], bounds[1::2] = np.arange(len(tree)), tree.end
    # `reduceat` takes no bound behind the last value.
    minima: Array = np.minimum.reduceat(np.append(values, np.iinfo(np.int64).max), bounds)[::2]
    return minima
