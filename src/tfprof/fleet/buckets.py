"""Buckets of durations: one for each microsecond below 100, above 2 % wide each.

A quantile that is read from them is exact below 100 us, and at most 1 % off above.
"""

from __future__ import annotations

import math

import numpy as np

from tfprof.profiles.schema import Array

EXACT = 100
"""The first duration that shares its bucket with others."""
GAMMA = 1.02
"""The last duration of a bucket divided by its first."""


def bucket_of(micros: Array) -> Array:
    """The bucket of each duration."""
    above = np.floor(np.log(np.maximum(micros, EXACT) / EXACT) / math.log(GAMMA))
    return np.where(micros < EXACT, micros, EXACT + above).astype(np.int16)
