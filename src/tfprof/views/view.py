"""What the four views have in common: a tree, a name for each position, and its nodes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.grouping import invert_permutation
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.views.tree import Tree

ROOT = "_TFProfRoot"
SCOPE_TYPE = "_kTFScopeParent"
GRAPH_ROOT_TYPE = "_TFGraphParent"


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of source in a stack."""

    name: bytes
    file: str
    function: str
    line: int
    function_line: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Frames:
    """The frame of each position of code view: `index` is the one in `distinct`.

    The last of `distinct` is that of the root, which has no line.
    """

    distinct: list[Frame]
    index: Array

    def __getitem__(self, position: int) -> Frame:
        return self.distinct[self.index[position]]


@dataclass(frozen=True, slots=True)
class View:
    """An arrangement of nodes.

    In scope and graph view a position is one node (`node`, -1 for the root and for scopes that
    are no nodes). In op and code view a position has several members: `member_node[i]` is a member
    of position `member_position[i]`, sorted by position and then by name.
    """

    kind: str
    tree: Tree
    name: pa.Array
    node: Array
    member_node: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    member_position: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    frames: Frames | None = None
    warnings: tuple[str, ...] = ()


def name_order(profile: Profile) -> Array:
    """The nodes sorted by name, as bytes."""
    return profile.memoize(
        "name order", lambda: pc.sort_indices(profile.nodes.name).to_numpy().astype(np.int64)
    )


def name_rank(profile: Profile) -> Array:
    """The rank of each node by name."""
    return invert_permutation(name_order(profile))
