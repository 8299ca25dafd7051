"""A profile whose nodes include those inside the functions of its graphs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from tfprof.profiles.add_rows import index_in, is_first_occurrence
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import (
    ATTRS,
    MISSING,
    NO_DEVICE,
    Array,
    BoolArray,
    Calls,
    Edges,
    LogEntries,
    Nodes,
)
from tfprof.profiles.string_columns import strings
from tfprof.resolve.function_nodes import FunctionNodes, Links, read_function_nodes
from tfprof.resolve.renumber_nodes import renumber_nodes
from tfprof.resolve.take_nodes import take_nodes

__all__ = ["inline_functions"]


def inline_functions(profile: Profile) -> Profile:
    """The nodes of functions under their run-time names, after all others.

    A node that a run knows by such a name is that node. Nodes of functions that have no stack of
    their own stand where they are called.
    """
    for library in profile.libraries:
        profile = _with_bodies(profile, read_function_nodes(library))
    if profile.calls is None:
        return profile
    calls = profile.calls
    for entries in (profile.saved_flops, profile.unmatched):
        profile = _with_entries(profile, entries)
    return _with_callers_stacks(profile, calls)


def _with_bodies(profile: Profile, bodies: FunctionNodes) -> Profile:
    warnings = tuple(dict.fromkeys((*profile.warnings, *bodies.warnings)))
    if not len(bodies.name):
        return profile.replace(warnings=warnings)
    before = profile.nodes
    known = index_in(bodies.name, before.name)
    run_time = (known >= 0) & ~before.in_graph[known]
    new = is_first_occurrence(bodies.name) & ((known < 0) | run_time)
    replaced = known[new & run_time]
    kept = np.ones(len(before), bool)
    kept[replaced] = False
    number = np.cumsum(kept) - 1
    offset = int(kept.sum())
    new_number = offset + np.cumsum(new) - 1
    number[replaced] = new_number[new & run_time]
    nodes = take_nodes(before, kept).followed_by(_nodes(bodies, new, before, known))
    # Where each row of the bodies is among the nodes; a name that is taken is the node of it.
    place = np.concatenate([index_in(bodies.graph, nodes.name), index_in(bodies.name, nodes.name)])
    owned = np.concatenate([np.zeros(len(bodies.graph), bool), new])
    profile = renumber_nodes(profile, number, nodes, warnings=warnings)
    edges = _edges(bodies.inputs, place, owned, nodes.name)
    return profile.replace(
        edges=profile.edges.followed_by(edges),
        calls=_calls(profile.calls, bodies, place, new, kept, number, nodes),
    )


def _nodes(bodies: FunctionNodes, new: BoolArray, before: Nodes, known: Array) -> Nodes:
    """The new nodes; what an op log said of one that a run knew already is kept."""
    columns, rows = bodies.columns, pa.array(bodies.row[new])
    count = int(new.sum())
    was = known[new]
    told = was >= 0
    return Nodes(
        bodies.name.filter(pa.array(new)),
        columns.op.take(rows),
        np.ones(count, bool),
        columns.attrs.take(rows).cast(ATTRS),
        columns.shape.take(rows),
        columns.output_shapes.take(rows),
        np.where(told, before.float_ops[was], 0) if told.any() else np.zeros(count, np.int64),
        np.where(told, before.stack[was], -1) if told.any() else np.full(count, -1, np.int64),
        np.full(count, NO_DEVICE, np.int32),
    )


def _edges(links: Links, place: Array, owned: BoolArray, names: pa.Array) -> Edges:
    """Links as edges of the nodes that are owned; what is linked to nowhere is missing."""
    wanted = owned[links.consumer]
    producer = links.producer[wanted]
    at = np.where(producer >= 0, place[producer], len(names))
    known = pa.concat_arrays([names, strings([MISSING])])
    return Edges(
        place[links.consumer[wanted]].astype(np.int32),
        links.index[wanted].astype(np.int32),
        known.take(pa.array(at)),
        links.output[wanted].astype(np.int32),
    )


def _calls(
    before: Calls | None,
    bodies: FunctionNodes,
    place: Array,
    new: BoolArray,
    kept: BoolArray,
    number: Array,
    nodes: Nodes,
) -> Calls:
    sizes = np.diff(np.append(bodies.first, len(bodies.graph) + len(bodies.name)))[1:]
    own = np.repeat(np.arange(1, len(bodies.first)), sizes)[new]
    results = _edges(bodies.results, place, np.ones(len(place), bool), nodes.name)
    caller = np.append(-1, place[bodies.caller[1:]])
    if before is None:
        frame = np.concatenate([np.zeros(int(kept.sum()), np.int64), own])
        return Calls(frame, caller, bodies.parent, results)
    count, parent = len(before.caller) - 1, bodies.parent[1:]
    moved = np.where(before.caller >= 0, number[before.caller], -1)
    return Calls(
        np.concatenate([before.call_site[kept], own + count]),
        np.concatenate([moved, caller[1:]]),
        np.concatenate([before.parent, np.where(parent > 0, parent + count, 0)]),
        replace(before.edges, consumer=number[before.edges.consumer]).followed_by(results),
    )


def _with_entries(profile: Profile, entries: LogEntries) -> Profile:
    """What op logs say of the nodes; the last float operations and the first stack count."""
    ids = index_in(entries.name, profile.nodes.name)
    known = ids >= 0
    if not known.any():
        return profile
    float_ops, stack = profile.nodes.float_ops.copy(), profile.nodes.stack.copy()
    counted = known & (entries.float_ops != 0)
    float_ops[ids[counted]] = entries.float_ops[counted]
    traced = np.flatnonzero(known & (entries.stack >= 0))[::-1]
    traced = traced[stack[ids[traced]] < 0]
    stack[ids[traced]] = entries.stack[traced]
    owner = ids[entries.type_entry]
    return profile.replace(
        nodes=replace(profile.nodes, float_ops=float_ops, stack=stack),
        type_node=np.concatenate([profile.type_node, owner[owner >= 0].astype(np.int32)]),
        type_name=pa.concat_arrays([profile.type_name, entries.type.filter(pa.array(owner >= 0))]),
        has_trace=profile.has_trace or bool(len(traced)),
    )


def _with_callers_stacks(profile: Profile, calls: Calls) -> Profile:
    if not profile.stacks:
        return profile
    stack = profile.nodes.stack.copy()
    order = np.argsort(calls.call_site, kind="stable")
    bounds = np.searchsorted(calls.call_site[order], np.arange(len(calls.caller) + 1))
    for at in range(1, len(calls.caller)):  # a caller comes before what it calls
        own = order[bounds[at] : bounds[at + 1]]
        stack[own] = np.where(stack[own] < 0, stack[calls.caller[at]], stack[own])
    return profile.replace(nodes=replace(profile.nodes, stack=stack))
