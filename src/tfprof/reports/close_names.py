"""The name that is most like a text, of any number of names at little cost.

Comparing 20,000 names character by character takes about a second. So names that are too long or
too short to be similar are left out, and only those are compared that contain parts of the text or
are about as long, and of these only those that share the most characters with it.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.schema import Array

_LONGEST = 100
_TOO_LONG = 999
_PARTS = 3
_MAX_CANDIDATES = 20_000
_MAX_COMPARED = 100


def close_name(text: str, names: pa.Array, cutoff: float = 0.6) -> str:
    """The name that is most like a text; empty if none is similar enough."""
    typed = text[:_LONGEST].encode(errors="replace").decode()
    names = names.filter(_may_be_similar(typed, names, cutoff))
    near = names.take(pa.array(_with_parts(typed, names)[:_MAX_CANDIDATES]))
    distinct = pc.unique(near).cast(pa.binary()).to_pylist()
    shares = _shared_characters(typed.encode(), distinct)
    best = np.argsort(-shares, kind="stable")[:_MAX_COMPARED]
    compared = [distinct[i].decode(errors="replace") for i in best.tolist()]
    return next(iter(difflib.get_close_matches(typed, compared, 1, cutoff)), "")


def _may_be_similar(typed: str, names: pa.Array, cutoff: float) -> pa.Array:
    """Which names are neither too long nor too short.

    A ratio is at most twice the shorter length divided by the sum of both lengths. The characters
    of a name that is no UTF-8 are at most its bytes and at least those that are counted.
    """
    factor = 2 / cutoff - 1
    long_enough = pc.greater_equal(pc.binary_length(names), math.floor(len(typed) / factor))
    short_enough = pc.less_equal(pc.utf8_length(names), math.ceil(len(typed) * factor))
    return pc.and_(long_enough, short_enough)


def _with_parts(typed: str, names: pa.Array) -> Array:
    """The positions of all names: first those with most thirds of a text, then by length.

    A typo leaves two thirds as they are.
    """
    size = -(-len(typed) // _PARTS) or 1
    matched_parts = np.zeros(len(names), np.int64)
    for start in range(0, len(typed), size):
        part = pc.match_substring(names, typed[start : start + size])
        matched_parts += part.to_numpy(zero_copy_only=False)
    lengths = pc.binary_length(names).to_numpy(zero_copy_only=False).astype(np.int64)
    too_long = np.minimum(np.abs(lengths - len(typed.encode())), _TOO_LONG)
    # Numbers of 16 bits are sorted in linear time.
    key = ((_PARTS - matched_parts) * (_TOO_LONG + 1) + too_long).astype(np.uint16)
    order: Array = np.argsort(key, kind="stable")
    return order


def _shared_characters(typed: bytes, names: Sequence[bytes]) -> Array:
    """The share of characters that each name has in common with a text, wherever they are."""
    characters, typed_counts = np.unique(np.frombuffer(typed, np.uint8), return_counts=True)
    column = np.full(256, -1)
    column[characters] = np.arange(len(characters))
    starts = [name[: 2 * _LONGEST] for name in names]
    column_of = column[np.frombuffer(b"".join(starts), np.uint8)]
    name_of = np.repeat(np.arange(len(names)), [len(start) for start in starts])
    cell = (name_of * len(characters) + column_of)[column_of >= 0]
    counts = np.bincount(cell, minlength=len(names) * len(characters))
    common = np.minimum(counts.reshape(len(names), len(characters)), typed_counts).sum(axis=1)
    lengths = np.array([len(name) for name in names], np.int64)
    share: Array = 2 * common / np.maximum(lengths + len(typed), 1)
    return share
