"""Code traces of a SavedModel, given to the nodes of its graph and of the functions it calls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from tfprof.functions.expand import expand
from tfprof.loaders.saved_model.debug_info import DebugInfo
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, LogEntries
from tfprof.profiles.string_columns import strings
from tfprof.protos.graph_pb2 import GraphDef

__all__ = ["with_debug_info"]


def with_debug_info(profile: Profile, info: DebugInfo) -> Profile:
    """A profile whose nodes have the stacks that created them, unless an op log has told others."""
    before = sum(len(stacks) for stacks in profile.stacks)
    nodes = profile.nodes
    own = _numbers(nodes.name.to_pylist(), "", info)
    stack = np.where((nodes.stack < 0) & (own >= 0), own + before, nodes.stack)
    unmatched = profile.unmatched
    for library in profile.libraries:
        unmatched = unmatched.followed_by(_entries(library, info, before))
    return profile.replace(
        nodes=replace(nodes, stack=stack),
        unmatched=unmatched,
        stacks=(*profile.stacks, info.stacks),
        strings={**info.stacks.strings, **profile.strings},
        has_trace=profile.has_trace or bool((own >= 0).any()),
    )


def _numbers(names: list[str], function: str, info: DebugInfo) -> Array:
    return np.array([info.stack_index.get(f"{name}@{function}", -1) for name in names], np.int64)


def _entries(library: bytes, info: DebugInfo, before: int) -> LogEntries:
    """The traced nodes of all functions under their run-time names."""
    known: dict[str, tuple[pa.Array, Array]] = {}
    names, found = [strings()], [np.zeros(0, np.int64)]
    for frame in expand(GraphDef.FromString(library)).frames[1:]:
        function = frame.body.name
        if function not in known:
            words = [node.name for node in frame.body.nodes]
            number = _numbers(words, function, info)
            known[function] = strings(words).filter(pa.array(number >= 0)), number[number >= 0]
        traced, number = known[function]
        names.append(strings([frame.prefix + name for name in traced.to_pylist()]))
        found.append(number + before)
    name, none = pa.concat_arrays(names), np.zeros(0, np.int64)
    return LogEntries(
        name, np.zeros(len(name), np.int64), np.concatenate(found), none.copy(), strings()
    )
