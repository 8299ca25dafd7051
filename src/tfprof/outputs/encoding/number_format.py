"""Columns of numbers as text, each distinct number once and without a Python object each.

A number is rounded to whole hundredths of its unit in integers. Negative numbers and those that a
double cannot hold are left to `units`, which divides doubles as the original does.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.units import FORMATS, SCALES
from tfprof.profiles.schema import Array, BoolArray
from tfprof.profiles.string_columns import value_offsets

__all__ = ["own_and_total"]

_FEW = 500
_EXACT = 2**52
_MOST = 9999


def own_and_total(own: Array, total: Array, unit: str) -> tuple[pa.Array, Array, Array]:
    """Distinct texts such as `1.50k` or `3.20ms`, and which each row of two columns has.

    The two are the same in most rows, those without children, which are looked at once.
    """
    differs = np.flatnonzero(own != total)
    texts, at = _distinct(np.concatenate([total, own[differs]]), unit)
    of_total = at[: len(total)]
    of_own = of_total.copy()
    of_own[differs] = at[len(total) :]
    return texts, of_own, of_total


def _distinct(values: Array, unit: str) -> tuple[pa.Array, Array]:
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


def _texts(values: Array, unit: str) -> pa.Array:
    """The texts of numbers, each put together from what stands before and after its point."""
    scales = SCALES[unit]
    sizes = np.array([1, *(size // 100 for _, size in scales[1:])])
    level = np.searchsorted([size for _, size in scales[1:]], values, side="right")
    hundredth = sizes[level]
    parts, rest = np.divmod(values, hundredth)
    parts += 2 * rest > hundredth
    tie = np.flatnonzero((2 * rest == hundredth) & (level > 0))
    parts[tie] += _rounded_up(values[tie], 100 * hundredth[tie], parts[tie])
    before = np.where(level > 0, parts // 100, parts)
    after = np.where(level > 0, 1 + (level - 1) * 100 + parts % 100, 0)
    odd = (values < 0) | (before > _MOST) | (values >= _EXACT)
    before[odd] = 0
    codes = np.stack([before, after + _MOST + 1], axis=1).astype(np.int32)
    found = _pairs(_table(unit).take(pa.array(codes.reshape(-1))))
    if not odd.any():
        return found
    exact = [FORMATS[unit](value) for value in values[odd].tolist()]
    return pc.replace_with_mask(found, pa.array(odd), pa.array(exact, pa.string()))


@cache
def _table(unit: str) -> pa.Array:
    """What numbers are made of: whole numbers, then hundredths with the units' names."""
    (least, _), *larger = SCALES[unit]
    whole = pa.array(np.arange(_MOST + 1)).cast(pa.string())
    ends = [f".{number:02}{name}" for name, _ in larger for number in range(100)]
    return pa.concat_arrays([whole, pa.array([least, *ends], pa.string())])


def _pairs(texts: pa.Array) -> pa.Array:
    """Each text joined with the one after it, without moving them."""
    bounds = pa.py_buffer(np.ascontiguousarray(value_offsets(texts)[::2]))
    return pa.Array.from_buffers(texts.type, len(texts) // 2, [None, bounds, texts.buffers()[2]])


def _rounded_up(values: Array, size: Array, below: Array) -> BoolArray:
    """Whether numbers that end in half a hundredth are printed as the hundredth above.

    What is printed is the double nearest to the quotient, which lies above or below the half, or
    on it: then the even neighbour is taken. The error of multiplying back is found exactly, by
    Dekker's method.
    """
    quotient = values / size
    product = quotient * size
    high, low = _halves(quotient)
    size_high, size_low = _halves(size.astype(np.float64))
    error = ((high * size_high - product) + high * size_low + low * size_high) + low * size_low
    above = (product - values) + error
    return (above > 0) | ((above == 0) & (below % 2 == 1))


def _halves(numbers: npt.NDArray[np.float64]) -> tuple[Any, Any]:
    """The upper and lower half of the digits of doubles."""
    scaled = numbers * (2.0**27 + 1)
    high = scaled - (scaled - numbers)
    return high, numbers - high
