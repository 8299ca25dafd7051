"""Replace the nodes of a profile, and renumber them in all tables."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, Nodes, ProfileProtoRuns

_NODE_COLUMNS = frozenset(
    item.name for item in fields(ProfileProtoRuns) if item.name.endswith("_node")
)


def renumber_nodes(profile: Profile, number: Array, nodes: Nodes, **changes: Any) -> Profile:
    """A profile with other nodes; `number` is the new number of every old one.

    The numbers of nodes that consume an edge must ascend.
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
            replace(part, **{name: number[getattr(part, name)] for name in _NODE_COLUMNS})
            for part in profile.saved
        ),
        **changes,
    )
