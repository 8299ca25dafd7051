"""The memory of what a step is fed: the values of its placeholders."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow.compute as pc

from tfprof.flops.polynomial import Count
from tfprof.memory.symbolic_tensors import SymbolicTensors, tensor_bytes
from tfprof.profiles.profile import Profile
from tfprof.views.graph import producers

_FED = "^Placeholder(V2)?$"


def fed_bytes(profile: Profile, tensors: SymbolicTensors, ran: Collection[int]) -> list[Count]:
    """The bytes of each placeholder that a node which `ran` reads, as far as its shape is known.

    A session copies what it is fed, and keeps it until the step ends.
    """
    nodes = profile.nodes
    fed = pc.match_substring_regex(nodes.op, _FED).to_numpy(zero_copy_only=False)
    fed = np.append(fed & nodes.in_graph, False)
    source = producers(profile)
    has_run = np.zeros(len(nodes), bool)
    has_run[list(ran)] = True
    edges = fed[source] & has_run[profile.edges.consumer]
    sizes = []
    for node in np.unique(source[edges]).tolist():
        known = tensors.nodes.get(nodes.name[node].as_py())
        sizes += [size for size in map(tensor_bytes, known.outputs) if size] if known else []
    return sizes
