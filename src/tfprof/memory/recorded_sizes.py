"""The sizes of symbols in a run whose shapes were not kept, from the bytes of its outputs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

import numpy as np

from tfprof.flops.polynomial import Count, bind, symbols
from tfprof.memory.symbolic_tensors import NodeTensors, tensor_bytes
from tfprof.profiles.executions import Executions
from tfprof.profiles.profile import Profile

_AGREEMENT = 0.9
"""The share of outputs that must give the same size: some are padded, or of another step."""


def sizes_from_outputs(
    profile: Profile, executions: Executions, nodes: Mapping[str, NodeTensors]
) -> dict[str, int]:
    """Symbol -> its size, where outputs that grow with it alone agree on one."""
    owner = executions.memory_node[executions.output_memory]
    columns = np.stack([owner, executions.output_slot, executions.output_size], axis=1)
    votes: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for node, slot, size in np.unique(columns, axis=0).tolist():
        known = nodes.get(profile.nodes.name[node].as_py())
        if known is None or not 0 <= slot < len(known.outputs):
            continue
        solution = _solve(tensor_bytes(known.outputs[slot]), size)
        if solution is not None:
            symbol, value = solution
            votes[symbol][value] += 1
    sizes = {}
    for symbol, counts in votes.items():
        value, count = counts.most_common(1)[0]
        if count >= _AGREEMENT * counts.total():
            sizes[symbol] = value
    return sizes


def _solve(count: Count | None, size: int) -> tuple[str, int] | None:
    """The symbol in a number of bytes that is proportional to it, and its value for `size`."""
    names = symbols(count or 0)
    if count is None or len(names) != 1:
        return None
    (name,) = names
    unit, double = (bind(count, {name: value}) for value in (1, 2))
    if not (isinstance(unit, int) and unit > 0 and double == 2 * unit):
        return None
    return (name, size // unit) if size >= unit and size % unit == 0 else None
