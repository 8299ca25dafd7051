"""Which nodes a report counts: the account regexes against the types of every node."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof import regexes
from tfprof.profiles.columns import Ints
from tfprof.profiles.profile import Profile
from tfprof.profiles.runs import runs_of
from tfprof.quirks import Quirks

__all__ = ["node_types", "times_matched", "type_lists"]


def times_matched(profile: Profile, patterns: tuple[str, ...], quirks: Quirks) -> Ints:
    """How many of the regexes match a type of each node; 1 for all when they are just `.*`."""
    runs = runs_of(profile, quirks)
    if regexes.is_everything(patterns):
        return runs.exists.astype(np.int64)
    ops = profile.derived("op codes", lambda: profile.nodes.op.dictionary_encode())
    op_code = ops.indices.to_numpy()
    extra = profile.derived("type codes", lambda: profile.type_name.dictionary_encode())
    extra_code = extra.indices.to_numpy()
    devices = pa.array(profile.devices, pa.string())
    times = np.zeros(len(profile.nodes), np.int64)
    for pattern in patterns:
        found = regexes.matches(pattern, ops.dictionary)[op_code]
        if len(devices):
            placed = regexes.matches(pattern, devices)[runs.placed_device]
            found[runs.placed_node[placed]] = True
        if len(extra_code):
            typed = regexes.matches(pattern, extra.dictionary)[extra_code]
            found[profile.type_node[typed]] = True
        times += found
    return times * runs.exists


def node_types(profile: Profile, quirks: Quirks) -> tuple[Ints, Ints, list[str]]:
    """All types of all nodes: node ids in order, positions among the names, and the names."""
    return profile.derived((node_types, quirks), lambda: _node_types(profile, quirks))


def _node_types(profile: Profile, quirks: Quirks) -> tuple[Ints, Ints, list[str]]:
    runs = runs_of(profile, quirks)
    count = len(profile.nodes)
    node = np.concatenate([np.arange(count), runs.placed_node, profile.type_node])
    devices = pa.array(profile.devices, pa.string()).take(pa.array(runs.placed_device))
    names = pa.concat_arrays([profile.nodes.op, devices, profile.type_name]).dictionary_encode()
    texts = names.dictionary.to_pylist()
    order = sorted(range(len(texts)), key=texts.__getitem__)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    size = max(len(texts), 1)
    keys = np.unique(node * size + rank[names.indices.to_numpy()])
    return keys // size, keys % size, [texts[position] for position in order]


def type_lists(profile: Profile, quirks: Quirks) -> tuple[Ints, Ints, list[str]]:
    """Where each node's types start in a flat list of type positions, that list, and the names."""
    node, position, names = node_types(profile, quirks)
    start = np.searchsorted(node, np.arange(len(profile.nodes) + 1))
    return start, position, names
