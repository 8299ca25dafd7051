"""Graph and run resolved into one set of nodes.

A loaded profile has the nodes of the graph, and runtime nodes for names that only a run has.
`resolve` makes another profile of it, once: nodes of functions are nodes like any other, records
belong to the graph node that they are runs of, and op types are those that ran.

    inline_functions      add the nodes of functions
    function_nodes        the nodes of the functions of one graph
    match_runtime_nodes   map runtime nodes to nodes of the graph
    runtime_names         the rules for that; `functions.calls` names the nodes of functions
    op_types              op types of the runtime, fused ones too
    replaced_nodes        nodes whose work other nodes did in a run
    runtime_shapes        complete shapes by those of a run
    saved_traces          code traces of a SavedModel
    renumber_nodes        replace the nodes in all tables
    time_totals           time of steps: elapsed, busy, summed, attributed

`flops` and everything above may import it.
"""

from __future__ import annotations

import numpy as np

from tfprof.definitions.quirks import REPAIRED, Quirks
from tfprof.definitions.units import format_share
from tfprof.profiles.profile import Profile
from tfprof.resolve.match_runtime_nodes import NodeMatches, match_runtime_nodes, merge_matched_nodes
from tfprof.resolve.op_types import with_runtime_ops

_LOW_SHARE = 0.5


def resolve(profile: Profile, quirks: Quirks) -> Profile:
    """The profile that views, measures and outputs work on."""
    key = _key(quirks)
    resolved = profile.memoize(key, lambda: _resolve_other(profile, key, quirks))
    return profile if resolved is None else resolved


def attributed_share(profile: Profile) -> float:
    """The share of traced time that is attributed to nodes of the graph or of its functions."""
    return profile.memoize(attributed_share, lambda: _attributed_share(resolve(profile, REPAIRED)))


def executed_share(profile: Profile) -> float:
    """The share of the nodes of the graph and of its functions that ran."""
    return profile.memoize(executed_share, lambda: _executed_share(resolve(profile, REPAIRED)))


def unattributed_time(profile: Profile) -> tuple[str, ...]:
    """A warning if the graph is probably not that of the traced program."""
    if profile.trace is None or not profile.nodes.in_graph.any():
        return ()
    share = attributed_share(profile)
    if share >= _LOW_SHARE:
        return ()
    text = f"only {format_share(share)} of traced time attributed to graph nodes"
    return (f"{text}: the graph is not that of the traced program; capture both together",)


def _key(quirks: Quirks) -> tuple[object, ...]:
    return (
        resolve,
        quirks.functions_not_inlined,
        quirks.runtime_names_not_mapped,
        quirks.graph_op_types_only,
    )


def _resolve_other(profile: Profile, key: tuple[object, ...], quirks: Quirks) -> Profile | None:
    """The resolved profile; nothing if it is the same one, which must not hold itself."""
    resolved = _resolve(profile, quirks)
    if resolved is profile:
        return None
    # A copy, as profiles that hold each other would stay until the garbage is collected.
    resolved = resolved.replace(source=profile.replace())
    resolved.memoize(key, lambda: None)
    return resolved


def _resolve(profile: Profile, quirks: Quirks) -> Profile:
    has_functions = bool(profile.libraries) or profile.calls is not None
    if has_functions and not quirks.functions_not_inlined:
        from tfprof.resolve.inline_functions import inline_functions

        profile = inline_functions(profile)
    matches = (
        NodeMatches.none(profile)
        if quirks.runtime_names_not_mapped
        else match_runtime_nodes(profile)
    )
    if not quirks.graph_op_types_only:
        profile = with_runtime_ops(profile, matches)
    return merge_matched_nodes(profile, matches)


def _attributed_share(profile: Profile) -> float:
    total = attributed = 0
    for records in profile.records:
        is_exact = len(records.nanos_self) > 0
        time = records.nanos_self if is_exact else 1000 * np.maximum(records.duration, 1)
        total += int(time.sum())
        attributed += int(time[profile.nodes.in_graph[records.node]].sum())
    return attributed / total if total else 1.0


def _executed_share(profile: Profile) -> float:
    ran = np.zeros(len(profile.nodes), bool)
    for records in profile.records:
        ran[records.node] = True
    for saved in profile.saved:
        ran[saved.execution_node] = True
    count = int(profile.nodes.in_graph.sum())
    return int((ran & profile.nodes.in_graph).sum()) / count if count else 0.0
