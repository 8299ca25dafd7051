"""Nodes without records of their own work: which of them other nodes did the work of.

An optimizer fuses nodes into one kernel, which has the name of the last. A node that is not needed
by anything that ran was not run at all.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.add_rows import index_in
from tfprof.profiles.grouping import group_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import CONTROL, Array, BoolArray

_LABEL = r" = (?P<op>[^(]+)\("
_IDLE = pa.array(["Const", "_Arg", "NoOp"])
"""Ops that run in place of a node whose value is known: a folded constant, or what is fed."""
_MERGES = pa.array(["Merge", "RefMerge"])


def executed_nodes(profile: Profile, ran: BoolArray) -> BoolArray:
    """Which nodes had their work done, by themselves or others; `ran` are those with records."""
    idle = _idle_nodes(profile)
    mask: BoolArray = np.where(ran, ~idle, _replaced_nodes(profile, ran, ran & ~idle))
    return mask


def _idle_nodes(profile: Profile) -> BoolArray:
    """Which nodes ran only as ops that compute nothing."""
    idle, busy = np.zeros(len(profile.nodes), bool), np.zeros(len(profile.nodes), bool)
    if profile.records:
        texts = pa.concat_arrays([records.label_text for records in profile.records])
        node = np.concatenate([records.label_node for records in profile.records])
        is_idle = pc.is_in(pc.struct_field(pc.extract_regex(texts, _LABEL), "op"), value_set=_IDLE)
        mask = is_idle.to_numpy(zero_copy_only=False)
        idle[node[mask]] = True
        busy[node[~mask]] = True
    return idle & ~busy


def _replaced_nodes(profile: Profile, ran: BoolArray, works: BoolArray) -> BoolArray:
    """Which nodes without records had their work done: those that nodes which worked need."""
    consumer, producer = _data_edges(profile)
    open_edge = ~ran[producer] & ~_dead_inputs(profile, consumer, producer, ran)
    consumer, producer = consumer[open_edge], producer[open_edge]
    order = np.argsort(consumer, kind="stable")
    inputs = producer[order].tolist()
    offsets = group_offsets(consumer, len(ran)).tolist()
    replaced = np.zeros(len(ran), bool)
    pending = np.unique(producer[works[consumer]]).tolist()
    while pending:
        node = pending.pop()
        if not replaced[node]:
            replaced[node] = True
            pending += inputs[offsets[node] : offsets[node + 1]]
    return replaced


def _data_edges(profile: Profile) -> tuple[Array, Array]:
    """Consumer and producer of each data edge, callers being consumers of their results."""
    tables = [profile.edges, *([profile.calls.edges] if profile.calls else ())]
    pairs = []
    for edges in tables:
        producer = index_in(edges.producer, profile.nodes.name)
        known = (producer >= 0) & (edges.output != CONTROL)
        pairs.append((edges.consumer[known], producer[known]))
    consumer, producer = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return consumer, producer


def _dead_inputs(profile: Profile, consumer: Array, producer: Array, ran: BoolArray) -> BoolArray:
    """Which edges lead from the branch that was not taken: where another input of a Merge ran."""
    is_merge = pc.is_in(profile.nodes.op, value_set=_MERGES).to_numpy(zero_copy_only=False)
    merged = np.zeros(len(ran), bool)
    merged[consumer[ran[producer] & is_merge[consumer]]] = True
    dead: BoolArray = merged[consumer] & ~ran[producer]
    return dead
