"""Which nodes match the account regexes, and the own numbers of every position of a view."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.executions import executions_of
from tfprof.profiles.grouping import distinct, group_offsets, rank_strings
from tfprof.profiles.lazy_columns import LazyColumns
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.reports import regexes
from tfprof.reports.measures import round_last
from tfprof.views.tree import Tree
from tfprof.views.view import SCOPE_TYPE

if TYPE_CHECKING:
    from tfprof.reports.report import Report

DEFINITIONS = "definition_count"
_RUNS = "run_count"


def count_matches(profile: Profile, patterns: tuple[str, ...], quirks: Quirks) -> Array:
    """How many of the regexes match a type of each node; 1 for all if they are just `.*`."""
    executions = executions_of(profile, quirks)
    if regexes.is_everything(patterns):
        return executions.exists.astype(np.int64)
    ops = profile.memoize("op codes", lambda: profile.nodes.op.dictionary_encode())
    op_code = ops.indices.to_numpy()
    extra = profile.memoize("type codes", lambda: profile.type_name.dictionary_encode())
    extra_code = extra.indices.to_numpy()
    devices = pa.array(profile.devices, pa.string())
    match_count = np.zeros(len(profile.nodes), np.int64)
    for pattern in patterns:
        mask = regexes.matches(pattern, ops.dictionary)[op_code]
        if len(devices):
            by_device = regexes.matches(pattern, devices)[executions.placement_device]
            mask[executions.placement_node[by_device]] = True
        if len(extra_code):
            by_type = regexes.matches(pattern, extra.dictionary)[extra_code]
            mask[profile.type_node[by_type]] = True
        match_count += mask
    return np.where(executions.exists, match_count, 0)


def type_lists(profile: Profile, quirks: Quirks) -> tuple[Array, Array, list[str]]:
    """The offsets of each node's types in a list of indices, that list, and the sorted names."""
    return profile.memoize((type_lists, quirks), lambda: _type_lists(profile, quirks))


def _type_lists(profile: Profile, quirks: Quirks) -> tuple[Array, Array, list[str]]:
    executions = executions_of(profile, quirks)
    count = len(profile.nodes)
    node = np.concatenate([np.arange(count), executions.placement_node, profile.type_node])
    # A name may be long, and many nodes have it.
    ops, extra = profile.nodes.op.dictionary_encode(), profile.type_name.dictionary_encode()
    devices = pa.array(profile.devices, pa.string())
    names = pa.concat_arrays([ops.dictionary, devices, extra.dictionary])
    first_device, first_extra = len(ops.dictionary), len(ops.dictionary) + len(devices)
    device, type_ = executions.placement_device, extra.indices.to_numpy()
    code = np.concatenate([ops.indices.to_numpy(), first_device + device, first_extra + type_])
    size = len(names)
    keys = distinct(node * size + rank_strings(names)[code], count * size)
    return group_offsets(keys // size, count), keys % size, sorted(names.unique().to_pylist())


def _group_sums(values: Array, offsets: Array) -> Array:
    """The sum of the values of each group."""
    prefix = np.zeros(len(values) + 1, values.dtype)
    np.cumsum(values, out=prefix[1:])
    sums: Array = np.diff(prefix[offsets])
    return sums


def member_numbers(report: Report) -> tuple[LazyColumns, Array]:
    """The own numbers of positions with several members, and how many members match."""
    view, quirks = report.view, report.quirks
    count = report.match_count[view.member_node]
    matched = (count > 0).astype(np.int64)
    offsets = group_offsets(view.member_position, len(view.tree))
    members = _group_sums(matched, offsets)

    def own(measure: str) -> Array:
        if measure == DEFINITIONS:
            return members
        weight = count if quirks.count_per_regex and measure != _RUNS else matched
        values = report.numbers.column(measure)[view.member_node]
        return _group_sums(_apply_weights(values, weight), offsets)

    make = round_last(report.profile, quirks, own)
    return LazyColumns(len(view.tree), make, kept=False), members


def _apply_weights(values: Array, weight: Array) -> Array:
    """Each number times its weight, which mostly is 1 for all."""
    if (weight == 1).all():
        return values
    product: Array = values * weight
    return product


class AccountedTree(NamedTuple):
    """A tree that account regexes made of a view, and the own numbers of its positions.

    `view_positions` are those of the view. `matched` says which match the regexes, `adds` whose
    own numbers are in the totals.
    """

    tree: Tree
    view_positions: Array
    own: LazyColumns
    matched: BoolArray
    adds: BoolArray


def account_tree(report: Report) -> AccountedTree:
    """Apply the account regexes to the tree of a view."""
    view, options, quirks = report.view, report.options, report.quirks
    tree, positions = view.tree, np.arange(len(view.tree))
    everything = regexes.is_everything(options.account_type_regexes)
    if view.kind == "code":
        own, members = member_numbers(report)
        matched = members > 0
        if everything:
            # A frame without members matches only then.
            matched = np.ones(len(tree), bool)
        if report.window:
            matched &= tree.subtree_sums(members) > 0
        matched[0] = False
        return AccountedTree(tree, positions, own, matched, matched)
    is_node = view.node >= 0
    # The last is that of positions without a node (-1).
    has_match = np.append(report.match_count, 0) > 0
    matched = has_match[view.node]
    if view.kind == "scope":
        scope_type = pa.array([SCOPE_TYPE])
        matched |= ~is_node & (
            everything or bool(regexes.matches_any(options.account_type_regexes, scope_type)[0])
        )
        if report.window:
            matched &= tree.subtree_sums(has_match[view.node].astype(np.int64)) > 0
    matched[0] = False
    if view.kind == "graph":
        mask = matched.copy()
        mask[0] = True
        tree, positions = tree.filter(mask)
        matched = matched[positions]
    own = _own_numbers(
        report.numbers, view.node[positions], scopes_too=quirks.scopes_are_definitions
    )
    adds = matched
    if quirks.unmatched_own_counts and view.kind == "scope":
        adds = tree.subtree_sums(matched.astype(np.int64)) > 0
    return AccountedTree(tree, positions, own, matched, adds)


def _own_numbers(numbers: LazyColumns, node: Array, *, scopes_too: bool) -> LazyColumns:
    """The numbers of nodes, zeros for -1; with `scopes_too` all but the root are definitions."""
    without_node = np.flatnonzero(node < 0)

    def own(measure: str) -> Array:
        if scopes_too and measure == DEFINITIONS:
            return (np.arange(len(node)) > 0).astype(np.int64)
        if not len(numbers):
            return np.zeros(len(node), np.int64)
        values: Array = numbers.column(measure)[node]
        values[without_node] = 0
        return values

    return LazyColumns(len(node), own, kept=False)
