"""A profile whose nodes have other numbers."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, Nodes, ProfileProtoRuns

__all__ = ["renumber_nodes"]

_NODES = frozenset(item.name for item in fields(ProfileProtoRuns) if item.name.endswith("_node"))


def renumber_nodes(profile: Profile, number: Array, nodes: Nodes, **changes: Any) -> Profile:
    """A profile with other nodes; `number` is the new number of every old one.

    Numbers must not fall, except those of nodes that no edge starts from.
    """
    return profile.replace(
        nodes=nodes,
        edges=replace(profile.edges, consumer=number[profile.edges.consumer]),
        type_node=number[profile.type_node],
        records=tuple(
            replace(part, node=number[part.node], label_node=number[part.label_node])
            for part in profile.records
        ),
        saved=tuple(
            replace(part, **{name: number[getattr(part, name)] for name in _NODES})
            for part in profile.saved
        ),
        **changes,
    )
