"""What the four views have in common: a tree, a name at each position, and the nodes there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.columns import Ints
from tfprof.profiles.profile import Profile
from tfprof.views.tree import Tree

__all__ = ["ROOT", "SCOPE_TYPE", "Frames", "View", "name_order", "ranks"]

ROOT = "_TFProfRoot"
SCOPE_TYPE = "_kTFScopeParent"
GRAPH_ROOT_TYPE = "_TFGraphParent"


@dataclass(frozen=True, slots=True)
class Frames:
    """The source line at each position of code view; position 0, the root, has none."""

    file: list[str]
    function: list[str]
    line: list[int]
    function_line: list[int]


@dataclass(frozen=True, slots=True)
class View:
    """An arrangement of nodes.

    In scope and graph view a position is a node (`node`, -1 for the root and for scopes that are
    no nodes). In op and code view a position stands for several: `member_node[i]` belongs to
    position `member_at[i]`, by name within each.
    """

    kind: str
    tree: Tree
    name: pa.Array
    node: Ints
    member_node: Ints
    member_at: Ints
    frames: Frames | None = None
    warnings: tuple[str, ...] = ()


def name_order(profile: Profile) -> Ints:
    """Node ids by name, in the order of bytes."""
    return profile.derived(
        "name order", lambda: pc.sort_indices(profile.nodes.name).to_numpy().astype(np.int64)
    )


def ranks(names: pa.Array) -> Ints:
    """A number per name that sorts like it; equal names have equal numbers."""
    distinct = names.dictionary_encode()
    order = pc.sort_indices(distinct.dictionary).to_numpy()
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    found: Ints = rank[distinct.indices.to_numpy()]
    return found
