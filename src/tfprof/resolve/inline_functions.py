"""Add the nodes inside functions to a profile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from tfprof.profiles.add_rows import index_in, is_first_occurrence, make_graph_nodes
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import MISSING, Array, BoolArray, Calls, Edges, Nodes
from tfprof.profiles.string_columns import strings
from tfprof.resolve.function_nodes import FunctionNodes, Links, read_function_nodes
from tfprof.resolve.renumber_nodes import renumber_nodes


def inline_functions(profile: Profile) -> Profile:
    """Add the nodes of functions under their runtime names, after all others.

    They replace runtime nodes of the same names. A node of a function without a stack gets that of
    its caller.
    """
    for library in profile.libraries:
        profile = _with_function_nodes(profile, read_function_nodes(library))
    if profile.calls is None:
        return profile
    calls = profile.calls
    for entries in (profile.saved_flops, profile.unmatched):
        profile = profile.with_log_entries(entries)
    return _with_callers_stacks(profile, calls)


def _with_function_nodes(profile: Profile, functions: FunctionNodes) -> Profile:
    warnings = tuple(dict.fromkeys((*profile.warnings, *functions.warnings)))
    if not len(functions.name):
        return profile.replace(warnings=warnings)
    before = profile.nodes
    known = index_in(functions.name, before.name)
    is_runtime = (known >= 0) & ~before.in_graph[known]
    new = is_first_occurrence(functions.name) & ((known < 0) | is_runtime)
    replaced = known[new & is_runtime]
    kept = np.ones(len(before), bool)
    kept[replaced] = False
    number = np.cumsum(kept) - 1
    offset = int(kept.sum())
    new_number = offset + np.cumsum(new) - 1
    number[replaced] = new_number[new & is_runtime]
    nodes = before.filter(kept).concat(_nodes(functions, new, before, known))
    # The node of each row; a name that a node has already is that node.
    node_of = np.concatenate(
        [index_in(functions.graph_name, nodes.name), index_in(functions.name, nodes.name)]
    )
    is_new = np.concatenate([np.zeros(len(functions.graph_name), bool), new])
    profile = renumber_nodes(profile, number, nodes, warnings=warnings)
    edges = _edges(functions.inputs, node_of, is_new, nodes.name)
    return profile.replace(
        edges=profile.edges.concat(edges),
        calls=_calls(profile.calls, functions, node_of, new, kept, number, nodes),
    )


def _nodes(functions: FunctionNodes, new: BoolArray, before: Nodes, known: Array) -> Nodes:
    """The new nodes. One that replaces a runtime node keeps its entries of op logs."""
    distinct, rows = functions.distinct, pa.array(functions.distinct_row[new])
    nodes = make_graph_nodes(
        functions.name.filter(pa.array(new)),
        distinct.op.take(rows),
        distinct.attrs.take(rows),
        distinct.shape.take(rows),
        distinct.output_shapes.take(rows),
    )
    replaced = known[new]
    has_entry = replaced >= 0
    if not has_entry.any():
        return nodes
    return replace(
        nodes,
        float_ops=np.where(has_entry, before.float_ops[replaced], 0),
        stack=np.where(has_entry, before.stack[replaced], -1),
    )


def _edges(links: Links, node_of: Array, mask: BoolArray, names: pa.Array) -> Edges:
    """Links as edges, of the rows in `mask`; an unknown producer is `MISSING`."""
    rows = mask[links.consumer]
    producer = links.producer[rows]
    index = np.where(producer >= 0, node_of[producer], len(names))
    known = pa.concat_arrays([names, strings([MISSING])])
    return Edges(
        node_of[links.consumer[rows]].astype(np.int32),
        links.index[rows].astype(np.int32),
        pa.DictionaryArray.from_arrays(index.astype(np.int32), known),
        links.output[rows].astype(np.int32),
    )


def _calls(
    before: Calls | None,
    functions: FunctionNodes,
    node_of: Array,
    new: BoolArray,
    kept: BoolArray,
    number: Array,
    nodes: Nodes,
) -> Calls:
    sizes = np.diff(np.append(functions.offsets, len(functions.graph_name) + len(functions.name)))[
        1:
    ]
    call_site = np.repeat(np.arange(1, len(functions.offsets)), sizes)[new]
    results = _edges(functions.results, node_of, np.ones(len(node_of), bool), nodes.name)
    caller = np.append(-1, node_of[functions.caller[1:]])
    if before is None:
        sites = np.concatenate([np.zeros(int(kept.sum()), np.int64), call_site])
        return Calls(sites, caller, functions.parent, results)
    count, parent = len(before.caller) - 1, functions.parent[1:]
    old_caller = np.where(before.caller >= 0, number[before.caller], -1)
    return Calls(
        np.concatenate([before.call_site[kept], call_site + count]),
        np.concatenate([old_caller, caller[1:]]),
        np.concatenate([before.parent, np.where(parent > 0, parent + count, 0)]),
        replace(before.edges, consumer=number[before.edges.consumer]).concat(results),
    )


def _with_callers_stacks(profile: Profile, calls: Calls) -> Profile:
    if not profile.stacks:
        return profile
    stack = profile.nodes.stack.copy()
    order = np.argsort(calls.call_site, kind="stable")
    bounds = np.searchsorted(calls.call_site[order], np.arange(len(calls.caller) + 1))
    for site in range(1, len(calls.caller)):  # a caller comes before what it calls
        nodes = order[bounds[site] : bounds[site + 1]]
        stack[nodes] = np.where(stack[nodes] < 0, stack[calls.caller[site]], stack[nodes])
    return profile.replace(nodes=replace(profile.nodes, stack=stack))
