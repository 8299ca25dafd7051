"""Hashes of what is at and below the rows of a tree: rows with equal ones have the same in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof.diffs.child_lookup import MAX_LEVELS
from tfprof.profiles.grouping import argsort_small
from tfprof.profiles.schema import Array
from tfprof.views.tree import Tree

_FIRST_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_MIX = np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True, slots=True)
class Contents:
    """Hashes of each row and those below it, the row's own name aside.

    `shaped` has names, op types and shapes of variables, `wide` names, op types and last sizes,
    `named` names and op types. `components` and `ops` do not tell where in the subtree things are.
    """

    shaped: Array
    wide: Array
    named: Array
    components: Array
    ops: Array


def hash_contents(tree: Tree, component: Array, op: Array, shape: Array, width: Array) -> Contents:
    """The hashes of all rows of a tree."""
    op_hash = mix(op + 2)
    wide = mix(op_hash ^ mix(width + 2))
    named_op = mix(mix(component + 2) ^ op_hash)
    components = tree.subtree_sums(named_op) - named_op + mix(op_hash)
    return Contents(
        _hash_tree(tree, component, mix(wide ^ mix(shape + 2))),
        _hash_tree(tree, component, wide),
        _hash_tree(tree, component, op_hash),
        components.view(np.int64),
        tree.subtree_sums(op_hash).view(np.int64),
    )


def _hash_tree(tree: Tree, component: Array, own: Array) -> Array:
    """Hashes of what each row is, and of the names and hashes of its children."""
    content = own.copy()
    name = mix(component + 2)
    order = argsort_small(tree.depth)
    levels = np.split(order, np.flatnonzero(np.diff(tree.depth[order])) + 1)[1:MAX_LEVELS]
    for level in reversed(levels):
        np.add.at(content, tree.parent[level], mix(mix(content[level]) ^ name[level]))
    hashed: Array = content.view(np.int64)
    return hashed


def mix(numbers: Array) -> Array:
    """A hash of 64 bits for each number."""
    hashed = numbers.astype(np.uint64)
    hashed = (hashed ^ (hashed >> np.uint64(30))) * _FIRST_MIX
    hashed = (hashed ^ (hashed >> np.uint64(27))) * _SECOND_MIX
    mixed: Array = hashed ^ (hashed >> np.uint64(31))
    return mixed
