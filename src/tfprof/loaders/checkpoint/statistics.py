"""Statistics of a tensor: its range, its moments, its zeros and NaNs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tfprof.loaders.checkpoint.dtypes import Array

_CHUNK = 1 << 20
_SQUARE_OVERFLOWS = 1e150


@dataclass(frozen=True, slots=True)
class Statistics:
    """Numbers about the elements of a tensor.

    The first four are of the finite elements, None if there is none; of complex numbers they
    are those of the magnitudes, and strings have only a count.
    """

    min: float | None
    max: float | None
    mean: float | None
    std: float | None
    zeros: int
    nan: int
    inf: int
    count: int


def statistics_of(values: Array) -> Statistics:
    """The statistics of an array, one chunk at a time so that a large one is never copied whole."""
    if values.dtype == object:
        return Statistics(None, None, None, None, 0, 0, 0, values.size)
    nan = inf = zeros = 0
    lows, highs = [], []
    for chunk in _chunks(values):
        zeros += chunk.size - int(np.count_nonzero(chunk))
        if chunk.dtype.kind in "fc":
            nan += int(np.count_nonzero(np.isnan(chunk)))
            inf += int(np.count_nonzero(np.isinf(chunk)))
        finite = _finite(chunk)
        if finite.size:
            lows.append(finite.min().item())
            highs.append(finite.max().item())
    if not lows:
        return Statistics(None, None, None, None, zeros, nan, inf, values.size)
    low, high = min(lows), max(highs)
    mean, deviation = _moments(values, float(max(abs(low), abs(high))))
    return Statistics(low, high, mean, deviation, zeros, nan, inf, values.size)


def _moments(values: Array, largest: float) -> tuple[float, float]:
    """Mean and standard deviation by Chan's algorithm, which loses no digits."""
    scale = largest if largest > _SQUARE_OVERFLOWS else 1.0
    mean = squares = 0.0
    count = 0
    for chunk in _chunks(values):
        wide = _finite(chunk).astype("f8") / scale
        if not wide.size:
            continue
        center = float(wide.mean())
        shift = center - mean
        total = count + wide.size
        squares += float(np.square(wide - center).sum()) + shift * shift * count * wide.size / total
        mean += shift * wide.size / total
        count = total
    return mean * scale, math.sqrt(squares / count) * scale


def _chunks(values: Array) -> Iterator[Array]:
    flat = values.reshape(-1)
    for start in range(0, flat.size, _CHUNK):
        yield flat[start : start + _CHUNK]


def _finite(chunk: Array) -> Array:
    """The finite elements as real numbers."""
    if chunk.dtype.kind == "b":
        return chunk.view("u1")
    if chunk.dtype.kind == "c":
        with np.errstate(over="ignore"):
            chunk = np.abs(chunk)
    return chunk[np.isfinite(chunk)] if chunk.dtype.kind == "f" else chunk
