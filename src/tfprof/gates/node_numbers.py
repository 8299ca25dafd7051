"""The static numbers of a profile by node, which a budget adds up for a scope or for all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.options import VARIABLE_OP_TYPES
from tfprof.definitions.quirks import REPAIRED
from tfprof.flops.flop_columns import to_comparable
from tfprof.memory.static_memory import static_memory
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.reports.measures import measures

_VARIABLES = (*VARIABLE_OP_TYPES, "parameter")
"""Also the arguments of compiled programs that hold parameters."""
_MEASURES = {"params": "parameters", "float_ops": "float_ops", "macs": "macs"}


def node_numbers(profile: Profile, key: str, bind: Mapping[str, int]) -> Array:
    """A number of each node of a resolved profile; sizes that are not known count as 1."""
    if key == "static_memory":
        return static_memory(profile, bind)
    numbers = to_comparable(measures(profile, REPAIRED).column(_MEASURES[key]))
    if key != "params":
        return numbers
    is_variable = pc.is_in(profile.nodes.op, value_set=pa.array(_VARIABLES)).to_numpy(
        zero_copy_only=False
    )
    return np.where(is_variable, numbers, 0)


def nodes_below(profile: Profile, scope: str) -> BoolArray:
    """Which nodes are in a name scope, or are called like it."""
    names = profile.nodes.name
    inside = pc.or_(pc.starts_with(names, f"{scope}/"), pc.equal(names, scope))
    mask: BoolArray = inside.to_numpy(zero_copy_only=False)
    return mask


def scopes_of(profile: Profile) -> list[str]:
    """All name scopes and nodes of a profile, the outermost scopes first."""
    known: dict[str, None] = {}
    for name in profile.nodes.name.to_pylist():
        parts = name.split("/")
        for depth in range(1, len(parts) + 1):
            known["/".join(parts[:depth])] = None
    return sorted(known, key=lambda name: (name.count("/"), name))
