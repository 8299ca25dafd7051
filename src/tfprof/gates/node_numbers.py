"""The static numbers of a profile by node, which a budget adds up for a scope or for all."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
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
_MAX_SUGGESTED = 1 << 25
"""The most characters of scopes among which one like another is searched."""
_MEASURES = {"params": "parameters", "float_ops": "float_ops", "macs": "macs"}


def node_numbers(profile: Profile, key: str, bind: Mapping[str, int]) -> Array:
    """A number of each node of a resolved profile; sizes that are not known count as 1."""
    cache_key = (node_numbers, key, frozenset(bind.items()))
    return profile.memoize(cache_key, lambda: _compute_numbers(profile, key, bind))


def _compute_numbers(profile: Profile, key: str, bind: Mapping[str, int]) -> Array:
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
    order, names = profile.memoize(_sort_names, lambda: _sort_names(profile))
    mask = np.zeros(len(names), bool)
    mask[order[bisect_left(names, scope) : bisect_right(names, scope)]] = True
    # In this order names that begin alike are next to each other; "0" comes after "/".
    mask[order[bisect_left(names, f"{scope}/") : bisect_left(names, f"{scope}0")]] = True
    return mask


def _sort_names(profile: Profile) -> tuple[Array, list[str]]:
    """The nodes in the order of their names, and the names."""
    order = pc.sort_indices(profile.nodes.name)
    return order.to_numpy(), profile.nodes.name.take(order).to_pylist()


def scopes_of(profile: Profile) -> list[str]:
    """The name scopes and nodes of a profile, the outermost scopes first; not all if too many."""
    known: dict[str, None] = {}
    size = 0
    for name in profile.nodes.name.to_pylist():
        parts = name.split("/")
        for depth in range(1, len(parts) + 1):
            scope = "/".join(parts[:depth])
            size += len(scope)
            if size > _MAX_SUGGESTED:
                break
            known[scope] = None
    return sorted(known, key=lambda name: (name.count("/"), name))
