"""Columns of numbers as text, each distinct number once and without a Python object each.

A number is rounded to whole hundredths of its unit in integers. Ties and numbers that a double
cannot hold are left to `units`, which divides doubles as the original does.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.columns import Ints
from tfprof.units import FORMATS, SCALES

__all__ = ["own_and_total"]

_FEW = 500
_EXACT = 2**52


def own_and_total(own: Ints, total: Ints, unit: str) -> tuple[pa.Array, Ints, Ints]:
    """Distinct texts such as `1.50k` or `3.20ms`, and which each row of two columns has.

    The two are the same in most rows, those without children, which are looked at once.
    """
    differs = np.flatnonzero(own != total)
    texts, at = _distinct(np.concatenate([total, own[differs]]), unit)
    of_total = at[: len(total)]
    of_own = of_total.copy()
    of_own[differs] = at[len(total) :]
    return texts, of_own, of_total


def _distinct(values: Ints, unit: str) -> tuple[pa.Array, Ints]:
    """The texts of the distinct numbers, and where the text of each number is among them."""
    form = FORMATS[unit]
    if values.dtype == object:
        texts = pa.array([form(value) for value in values.tolist()], pa.string())
        return texts, np.arange(len(values))
    codes = pa.array(values).dictionary_encode()
    if len(codes.dictionary) <= _FEW:
        texts = pa.array([form(value) for value in codes.dictionary.to_pylist()], pa.string())
    else:
        texts = _texts(codes.dictionary.to_numpy(), unit)
    return texts, codes.indices.to_numpy()


def _texts(values: Ints, unit: str) -> pa.Array:
    scales = SCALES[unit]
    level = np.searchsorted([size for _, size in scales[1:]], values, side="right")
    hundredth = np.array([1, *(size // 100 for _, size in scales[1:])])[level]
    half = hundredth // 2
    whole = pa.array((values + half) // hundredth).cast(pa.string())
    dotted = pc.binary_replace_slice(whole.cast(pa.binary()), -2, -2, b".").cast(pa.string())
    units = pa.array([name for name, _ in scales], pa.string()).take(pa.array(level))
    texts = pc.binary_join_element_wise(pc.if_else(pa.array(level > 0), dotted, whole), units, "")
    doubtful = ((level > 0) & (values % hundredth == half)) | (values >= _EXACT)
    if not doubtful.any():
        return texts
    exact = [FORMATS[unit](value) for value in values[doubtful].tolist()]
    return pc.replace_with_mask(texts, pa.array(doubtful), pa.array(exact, pa.string()))
