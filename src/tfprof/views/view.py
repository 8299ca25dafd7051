"""What the four views have in common: a tree, a name at each position, and the nodes there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.views.tree import Tree

__all__ = ["ROOT", "SCOPE_TYPE", "Frame", "Frames", "View", "name_order", "name_rank", "ranks"]

T = TypeVar("T")

ROOT = "_TFProfRoot"
SCOPE_TYPE = "_kTFScopeParent"
GRAPH_ROOT_TYPE = "_TFGraphParent"


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of source that a stack has."""

    name: bytes
    file: str
    function: str
    line: int
    function_line: int


@dataclass(frozen=True)
class Frames:
    """The source line at each position of code view: `at` tells which of the distinct ones.

    Position 0, the root, has none, which is the last of `distinct`.
    """

    distinct: list[Frame]
    at: Array

    @cached_property
    def file(self) -> list[str]:
        """The file of each position."""
        return self._each([frame.file for frame in self.distinct])

    @cached_property
    def function(self) -> list[str]:
        """The function of each position."""
        return self._each([frame.function for frame in self.distinct])

    @cached_property
    def line(self) -> list[int]:
        """The line number of each position."""
        return self._each([frame.line for frame in self.distinct])

    @cached_property
    def function_line(self) -> list[int]:
        """The line where the function of each position begins."""
        return self._each([frame.function_line for frame in self.distinct])

    def _each(self, values: list[T]) -> list[T]:
        return [values[number] for number in self.at.tolist()]


@dataclass(frozen=True, slots=True)
class View:
    """An arrangement of nodes.

    In scope and graph view a position is a node (`node`, -1 for the root and for scopes that are
    no nodes). In op and code view a position stands for several: `member_node[i]` belongs to
    position `member_position[i]`, by name within each.
    """

    kind: str
    tree: Tree
    name: pa.Array
    node: Array
    member_node: Array
    member_position: Array
    frames: Frames | None = None
    warnings: tuple[str, ...] = ()


def name_order(profile: Profile) -> Array:
    """Node ids by name, in the order of bytes."""
    return profile.memoize(
        "name order", lambda: pc.sort_indices(profile.nodes.name).to_numpy().astype(np.int64)
    )


def name_rank(profile: Profile) -> Array:
    """Where each node stands by name."""
    order = name_order(profile)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank


def ranks(names: pa.Array) -> Array:
    """A number per name that sorts like it; equal names have equal numbers."""
    distinct = names.dictionary_encode()
    order = pc.sort_indices(distinct.dictionary).to_numpy()
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    found: Array = rank[distinct.indices.to_numpy()]
    return found
