"""The memory of a step by node, predicted from the graph alone, variables included."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tfprof.flops.polynomial import symbols
from tfprof.memory.prediction import variable_bytes
from tfprof.memory.static_step import static_step
from tfprof.memory.symbolic_tensors import require_sizes, symbolic_tensors
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array


def static_memory(profile: Profile, given: Mapping[str, int]) -> Array:
    """The bytes of each node of a resolved profile at the predicted peak of its step.

    Symbols without a given size have that of the traced steps. An OptionError asks for others.
    """
    tensors = symbolic_tensors(profile)
    step = static_step(profile, tensors)
    values = tensors.sizes(given)
    known = {name for name, value in values.items() if isinstance(value, int)}
    missing = set().union(*(symbols(count) - known for count in step.counts()))
    require_sizes(sorted(missing), tensors.meanings)
    node_bytes = [0] * len(profile.nodes)
    for holder in step.peak(values).holders:
        node_bytes[holder.node] += holder.bytes
    for node, size in variable_bytes(profile).items():
        node_bytes[node] += size
    # Their sum has to fit, too.
    return np.array(node_bytes, np.int64 if sum(node_bytes) < 2**63 else object)
