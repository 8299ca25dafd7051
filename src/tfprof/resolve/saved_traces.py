"""Add the code traces of a SavedModel to the nodes of its graph and functions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from tfprof.functions.expand import expand
from tfprof.functions.library import parse_library
from tfprof.loaders.debug_info import DebugInfo
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, LogEntries
from tfprof.profiles.string_columns import strings
from tfprof.protos.graph_pb2 import GraphDef


def with_debug_info(profile: Profile, info: DebugInfo) -> Profile:
    """A profile whose nodes have the stacks that created them; those of an op log win."""
    before = sum(len(stacks) for stacks in profile.stacks)
    nodes = profile.nodes
    stack_of = _stack_indices(nodes.name.to_pylist(), "", info)
    stack = np.where((nodes.stack < 0) & (stack_of >= 0), stack_of + before, nodes.stack)
    unmatched = profile.unmatched
    for library in profile.libraries:
        unmatched = unmatched.concat(_entries(library, info, before))
    return profile.replace(
        nodes=replace(nodes, stack=stack),
        unmatched=unmatched,
        stacks=(*profile.stacks, info.stacks),
        strings={**info.stacks.strings, **profile.strings},
        has_trace=profile.has_trace or bool((stack_of >= 0).any()),
    )


def _stack_indices(names: list[str], function: str, info: DebugInfo) -> Array:
    return np.array([info.stack_index.get(f"{name}@{function}", -1) for name in names], np.int64)


def _entries(library: bytes, info: DebugInfo, before: int) -> LogEntries:
    """The nodes of all functions that have a stack, under their runtime names."""
    known: dict[str, tuple[pa.Array, Array]] = {}
    names, stacks = [strings()], [np.zeros(0, np.int64)]
    # The views say it if functions cannot be read.
    for inlined in expand(parse_library(library) or GraphDef()).bodies[1:]:
        function = inlined.body.name
        if function not in known:
            node_names = [node.name for node in inlined.body.nodes]
            number = _stack_indices(node_names, function, info)
            known[function] = strings(node_names).filter(pa.array(number >= 0)), number[number >= 0]
        traced, number = known[function]
        names.append(strings([inlined.prefix + name for name in traced.to_pylist()]))
        stacks.append(number + before)
    name = pa.concat_arrays(names)
    return LogEntries(name, np.zeros(len(name), np.int64), np.concatenate(stacks))
