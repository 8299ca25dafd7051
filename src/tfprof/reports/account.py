"""Which nodes a report counts, by their types, and the own numbers of every position of a view."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.definitions.options import Options
from tfprof.definitions.quirks import Quirks
from tfprof.profiles.executions import executions_of
from tfprof.profiles.grouping import distinct, group_offsets
from tfprof.profiles.lazy_columns import LazyColumns
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.reports import regexes
from tfprof.views.tree import Tree
from tfprof.views.view import SCOPE_TYPE, View

__all__ = [
    "accounted_tree",
    "count_matches",
    "member_numbers",
    "node_types",
    "type_lists",
]

_DEFINITIONS = "definition_count"
_RUNS = "run_count"


def count_matches(profile: Profile, patterns: tuple[str, ...], quirks: Quirks) -> Array:
    """How many of the regexes match a type of each node; 1 for all when they are just `.*`."""
    runs = executions_of(profile, quirks)
    if regexes.is_everything(patterns):
        return runs.exists.astype(np.int64)
    ops = profile.memoize("op codes", lambda: profile.nodes.op.dictionary_encode())
    op_code = ops.indices.to_numpy()
    extra = profile.memoize("type codes", lambda: profile.type_name.dictionary_encode())
    extra_code = extra.indices.to_numpy()
    devices = pa.array(profile.devices, pa.string())
    times = np.zeros(len(profile.nodes), np.int64)
    for pattern in patterns:
        found = regexes.matches(pattern, ops.dictionary)[op_code]
        if len(devices):
            placed = regexes.matches(pattern, devices)[runs.placement_device]
            found[runs.placement_node[placed]] = True
        if len(extra_code):
            typed = regexes.matches(pattern, extra.dictionary)[extra_code]
            found[profile.type_node[typed]] = True
        times += found
    return times * runs.exists


def node_types(profile: Profile, quirks: Quirks) -> tuple[Array, Array, list[str]]:
    """All types of all nodes: node ids in order, positions among the names, and the names."""
    return profile.memoize((node_types, quirks), lambda: _node_types(profile, quirks))


def _node_types(profile: Profile, quirks: Quirks) -> tuple[Array, Array, list[str]]:
    runs = executions_of(profile, quirks)
    count = len(profile.nodes)
    node = np.concatenate([np.arange(count), runs.placement_node, profile.type_node])
    devices = pa.array(profile.devices, pa.string()).take(pa.array(runs.placement_device))
    names = pa.concat_arrays([profile.nodes.op, devices, profile.type_name]).dictionary_encode()
    texts = names.dictionary.to_pylist()
    order = sorted(range(len(texts)), key=texts.__getitem__)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    size = max(len(texts), 1)
    keys = distinct(node * size + rank[names.indices.to_numpy()], count * size)
    return keys // size, keys % size, [texts[position] for position in order]


def type_lists(profile: Profile, quirks: Quirks) -> tuple[Array, Array, list[str]]:
    """Where each node's types start in a flat list of type positions, that list, and the names."""
    node, position, names = node_types(profile, quirks)
    start = group_offsets(node, len(profile.nodes))
    return start, position, names


def _grouped(values: Array, bounds: Array) -> Array:
    """The sums of values between bounds."""
    running = np.zeros(len(values) + 1, values.dtype)
    np.cumsum(values, out=running[1:])
    sums: Array = np.diff(running[bounds])
    return sums


def member_numbers(
    view: View, times: Array, numbers: LazyColumns, quirks: Quirks
) -> tuple[LazyColumns, Array]:
    """Own numbers of positions that stand for several nodes, and how many nodes count there."""
    often = times[view.member_node]
    counted = (often > 0).astype(np.int64)
    bounds = group_offsets(view.member_position, len(view.tree))
    members = _grouped(counted, bounds)

    def own(measure: str) -> Array:
        if measure == _DEFINITIONS:
            return members
        weight = often if quirks.count_per_regex and measure != _RUNS else counted
        return _grouped(_weighted(numbers[view.member_node, measure], weight), bounds)

    return LazyColumns(len(view.tree), own, kept=False), members


def _weighted(values: Array, weight: Array) -> Array:
    """Numbers times a weight for each, which is mostly 1 for all."""
    if (weight == 1).all():
        return values
    product: Array = values * weight
    return product


def accounted_tree(
    view: View, options: Options, quirks: Quirks, times: Array, numbers: LazyColumns
) -> tuple[Tree, Array, LazyColumns, BoolArray, BoolArray]:
    """The accounted tree, its positions in the view, own numbers, who matches and who adds up."""
    tree, at = view.tree, np.arange(len(view.tree))
    everything = regexes.is_everything(options.account_type_regexes)
    if view.kind == "code":
        own, members = member_numbers(view, times, numbers, quirks)
        matched = members > 0
        if everything:
            # A frame without any nodes of its own matches only then.
            matched |= np.bincount(view.member_position, minlength=len(tree)) == 0
        matched[0] = False
        return tree, at, own, matched, matched
    real = view.node >= 0
    matched = real & (times[view.node] > 0) if len(times) else np.zeros(len(tree), bool)
    if view.kind == "scope":
        scope_type = pa.array([SCOPE_TYPE])
        matched |= ~real & (
            everything or bool(regexes.matches_any(options.account_type_regexes, scope_type)[0])
        )
    matched[0] = False
    if view.kind == "graph":
        wanted = matched.copy()
        wanted[0] = True
        tree, at = tree.filter(wanted)
        matched = matched[at]
    own = _of_nodes(numbers, view.node[at], scopes_too=quirks.scopes_are_definitions)
    adds = matched
    if quirks.unmatched_own_counts and view.kind == "scope":
        adds = tree.subtree_sums(matched.astype(np.int64)) > 0
        adds[0] = False
    return tree, at, own, matched, adds


def _of_nodes(numbers: LazyColumns, node: Array, *, scopes_too: bool) -> LazyColumns:
    """The numbers of nodes, zeros for -1; with `scopes_too` all but the root are definitions."""
    none = np.flatnonzero(node < 0)
    there = np.where(node < 0, 0, node)

    def own(measure: str) -> Array:
        if scopes_too and measure == _DEFINITIONS:
            return (np.arange(len(node)) > 0).astype(np.int64)
        if not len(numbers):
            return np.zeros(len(node), np.int64)
        found: Array = numbers[there, measure]
        found[none] = 0
        return found

    return LazyColumns(len(node), own, kept=False)
