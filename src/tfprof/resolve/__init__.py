"""A profile as views see it: functions entered, run-time names joined, what ran told by its label.

A loaded profile has the nodes of the graph and, for names that only a run knows, nodes of the run.
`seen` makes another profile of it, once, in which nodes inside functions are nodes like any other
and records belong to the nodes they are of. With all of its quirks it is the profile itself.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tfprof.definitions.quirks import REPAIRED, Quirks
from tfprof.profiles.profile import Profile
from tfprof.resolve.match_runtime_nodes import NodeMatches, match_runtime_nodes, merge_matched_nodes
from tfprof.resolve.op_types import with_runtime_ops

__all__ = ["attributed_share", "graph_ops", "resolve"]


def resolve(profile: Profile, quirks: Quirks) -> Profile:
    """The profile that views, measures and outputs work on."""
    key = _key(quirks)
    found = profile.derived(key, lambda: _other(profile, key, quirks))
    return profile if found is None else found


def graph_ops(quirks: Quirks) -> Quirks:
    """The same quirks, but op types are those of the graph, which formulas are for."""
    return replace(quirks, graph_op_types_only=True)


def attributed_share(profile: Profile) -> float:
    """The share of recorded time that belongs to nodes of the graph or of its functions."""
    return profile.derived(attributed_share, lambda: _joined_share(resolve(profile, REPAIRED)))


def _key(quirks: Quirks) -> tuple[object, ...]:
    return (
        resolve,
        quirks.functions_not_inlined,
        quirks.runtime_names_not_mapped,
        quirks.graph_op_types_only,
    )


def _other(profile: Profile, key: tuple[object, ...], quirks: Quirks) -> Profile | None:
    """The profile to see instead; nothing if it is the same, as none should hold itself."""
    found = _seen(profile, quirks)
    found.derived(key, lambda: None)
    return None if found is profile else found


def _seen(profile: Profile, quirks: Quirks) -> Profile:
    has_functions = bool(profile.libraries) or profile.calls is not None
    if has_functions and not quirks.functions_not_inlined:
        from tfprof.resolve.inline_functions import inline_functions

        profile = inline_functions(profile)
    joins = (
        NodeMatches.none(profile)
        if quirks.runtime_names_not_mapped
        else match_runtime_nodes(profile)
    )
    if not quirks.graph_op_types_only:
        profile = with_runtime_ops(profile, joins)
    return merge_matched_nodes(profile, joins)


def _joined_share(profile: Profile) -> float:
    total = known = 0
    for records in profile.records:
        time = np.maximum(records.duration, 1)
        total += int(time.sum())
        known += int(time[profile.nodes.in_graph[records.node]].sum())
    return known / total if total else 1.0
