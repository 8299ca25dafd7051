"""Rows in groups: where each group starts, which keys are distinct, orders and ranks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.schema import Array

_LARGEST = 2**62


def list_offsets(lists: pa.Array) -> Array:
    """Where each list starts, and where the last one ends, in the flattened elements."""
    offsets = lists.offsets.to_numpy().astype(np.int64)
    return offsets - offsets[0]


def group_offsets(group: Array, count: int) -> Array:
    """Where the rows of each of `count` groups start if sorted, and where the last one's end."""
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(group, minlength=count), out=offsets[1:])
    return offsets


def distinct(keys: Array, size: int) -> Array:
    """`np.unique(keys)` for keys from 0 to `size`, all below it.

    A mask of all possible keys takes 0.2 ms where sorting 120,000 keys takes 11 ms. Sorting is
    used where the mask would be mostly empty.
    """
    return np.unique(keys) if _is_sparse(keys, size) else np.flatnonzero(_mask(keys, size))


def distinct_index(keys: Array, size: int) -> tuple[Array, Array]:
    """`np.unique(keys, return_inverse=True)`, in the same way as `distinct`."""
    if _is_sparse(keys, size):
        values, index = np.unique(keys, return_inverse=True)
        return values, index
    mask = _mask(keys, size)
    return np.flatnonzero(mask), (np.cumsum(mask) - 1)[keys]


def distinct_rows(columns: list[Array]) -> tuple[Array, Array]:
    """The index of each row of several columns among the distinct ones, and the first of each."""
    key = np.zeros(len(columns[0]), np.int64)
    size = 1
    for column in columns:
        column, bound = _shift_to_zero(column)
        if size * bound >= _LARGEST:
            key, size = _shift_to_zero(pa.array(key).dictionary_encode().indices.to_numpy())
        key = key * bound + column
        size *= bound
    encoded = pa.array(key).dictionary_encode()
    index = encoded.indices.to_numpy().astype(np.int64)
    return index, first_rows(index, len(encoded.dictionary))


def _shift_to_zero(column: Array) -> tuple[Array, int]:
    """A column with the same distinct rows whose numbers start at 0, and their upper bound."""
    if not len(column):
        return column.astype(np.int64), 1
    smallest, largest = int(column.min()), int(column.max())
    if largest - smallest >= 2**31:
        column = pa.array(column).dictionary_encode().indices.to_numpy()
        smallest, largest = 0, int(column.max())
    return column.astype(np.int64) - smallest, largest - smallest + 1


def first_rows(index: Array, count: int) -> Array:
    """The first row of each index below `count`, all of which must occur."""
    first = np.empty(count, np.int64)
    first[index[::-1]] = np.arange(len(index) - 1, -1, -1)
    return first


def _is_sparse(keys: Array, size: int) -> bool:
    return size > 16 * len(keys) + 1_000_000


def _mask(keys: Array, size: int) -> Array:
    mask = np.zeros(size, bool)
    mask[keys] = True
    return mask


def argsort_small(numbers: Array) -> Array:
    """`np.argsort` of numbers that are not negative, stable; NumPy has a radix sort for 16 bits.

    That is 10 times as fast as its merge sort for 64 bits.
    """
    narrow = numbers.astype(np.uint16) if numbers.max(initial=0) < 2**16 else numbers
    order: Array = np.argsort(narrow, kind="stable")
    return order


def argsort_within(group: Array, key: Array) -> Array:
    """`np.lexsort((key, group))`, by one stable sort of both in one number where that fits.

    Most rows are in order already, which makes a stable sort fast.
    """
    if not len(key):
        return np.zeros(0, np.int64)
    first, last = int(key.min()), int(key.max())
    if (last - first + 1) * (int(group.max()) + 1) >= _LARGEST:
        return np.lexsort((key, group))
    order: Array = np.argsort(group * (last - first + 1) + (key - first), kind="stable")
    return order


def invert_permutation(order: Array) -> Array:
    """The rank of each row, given the rows in order."""
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank


def rank_strings(names: pa.Array) -> Array:
    """A number for each string that sorts like it; equal strings have equal numbers."""
    distinct_names = names.dictionary_encode()
    rank = invert_permutation(pc.sort_indices(distinct_names.dictionary).to_numpy())
    ranks: Array = rank[distinct_names.indices.to_numpy()]
    return ranks
