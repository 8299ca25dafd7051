"""Whether steps became slower, judged from the times of their ops.

The time of some steps is the sum over ops of the least time of each: other work on the machine only
adds to times. It does not see what only some steps do, so the medians are beside it. How much both
differ by chance is what they differ by when steps that ran in turn change sides: a machine that is
faster for a while is so for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, erfc, sqrt

import numpy as np

from tfprof.definitions.limits import MAX_EXACT_RANKS
from tfprof.profiles.schema import Array, BoolArray

SIGNIFICANT = 0.05
"""The share of identical code that may look slower by chance."""
PERMUTATIONS = 999
_SEED = 20
_MAX_COLUMNS = 2000
"""Ops with less time than this many others are judged together."""
_BATCH_VALUES = 1 << 15
"""How many times are permuted at once."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A time of two sides in nanoseconds, and how sure the difference is.

    `probability` is how often chance alone makes the head so much slower. `resolution` is the share
    of the base by which sides differ by chance in one of twenty cases.
    """

    base: float
    head: float
    probability: float
    resolution: float

    @property
    def change(self) -> float:
        """How much slower the head is, as a share of the base."""
        return self.head / self.base - 1 if self.base else 0.0


def sum_of_least(times: Array) -> Array:
    """The sum over ops of the least time; steps are rows."""
    total: Array = least_times(times).sum(axis=-1)
    return total


def least_times(times: Array) -> Array:
    """The least time of each op: the mean of the least quarter, since one fast step is chance."""
    count = max(times.shape[-2] // 4, 1)
    means: Array = np.partition(times, count - 1, axis=-2)[..., :count, :].mean(axis=-2)
    return means


def sum_of_medians(times: Array) -> Array:
    """The sum over ops of the median time; steps are rows."""
    medians: Array = np.median(times, axis=-2).sum(axis=-1)
    return medians


def compare_least(base: Array, head: Array) -> Comparison:
    """Compare steps (rows) by the sum over ops (columns) of the least time."""
    base, head = _pairs(base, head)
    swapped = [
        sum_of_least(np.where(swap, base, head)) - sum_of_least(np.where(swap, head, base))
        for swap in _batches_of_swaps(base)
    ]
    least = float(sum_of_least(base))
    return _comparison(least, float(sum_of_least(head)) - least, swapped)


def compare_medians(base: Array, head: Array) -> Comparison:
    """Compare steps by the sum over ops of the median difference of steps that ran in turn."""
    base, head = _pairs(base, head)
    slower = head - base
    swapped = [sum_of_medians(np.where(swap, -slower, slower)) for swap in _batches_of_swaps(base)]
    return _comparison(float(sum_of_medians(base)), float(sum_of_medians(slower)), swapped)


def _comparison(base: float, difference: float, swapped: Sequence[Array]) -> Comparison:
    by_chance = np.concatenate(swapped)
    return Comparison(
        base,
        base + difference,
        (1 + int((by_chance >= difference).sum())) / (1 + len(by_chance)),
        float(np.quantile(np.abs(by_chance), 1 - SIGNIFICANT)) / base if base else 0.0,
    )


@lru_cache(maxsize=4)
def _swaps(count: int) -> BoolArray:
    """Which pairs change sides: the same random ones every time, so that a verdict stays."""
    generator = np.random.default_rng(_SEED)
    return np.stack([generator.random((count, 1)) < 0.5 for _ in range(PERMUTATIONS)])


def _batches_of_swaps(times: Array) -> list[BoolArray]:
    """The permutations, of few ops many at once."""
    batch = max(_BATCH_VALUES // max(times.size, 1), 1)
    swaps = _swaps(len(times))
    return [swaps[i : i + batch] for i in range(0, PERMUTATIONS, batch)]


def _pairs(base: Array, head: Array) -> tuple[Array, Array]:
    """The steps that both sides have, the ops of little time as one."""
    count = min(len(base), len(head))
    base, head = base[:count], head[:count]
    if base.shape[1] <= _MAX_COLUMNS:
        return base, head
    order = np.argsort(-np.minimum(base, head).min(axis=0), kind="stable")
    large, small = order[:_MAX_COLUMNS], order[_MAX_COLUMNS:]
    sides = [np.column_stack([side[:, large], side[:, small].sum(axis=1)]) for side in (base, head)]
    return sides[0], sides[1]


def compare_processes(base: Array, head: Array) -> Comparison:
    """Compare the times of processes, one number each, by a Mann-Whitney test."""
    middle, other = float(np.median(base)), float(np.median(head))
    spread = max(np.ptp(side) for side in (base, head)) / 2
    return Comparison(
        middle, other, mann_whitney(base, head), float(spread / middle) if middle else 0.0
    )


def mann_whitney(base: Array, head: Array) -> float:
    """The probability that chance makes the values of the head as much larger as they are.

    Of values that are equal, each may be the larger: half of them count. It is exact unless there
    are very many values.
    """
    ordered = np.sort(base)
    larger = int(np.searchsorted(ordered, head, "left").sum())
    larger_or_equal = int(np.searchsorted(ordered, head, "right").sum())
    least = larger + (larger_or_equal - larger) // 2
    few, many = sorted((len(base), len(head)))
    if few**2 * many > MAX_EXACT_RANKS:
        return _normal_probability(least, few, many)
    return sum(_rank_sums(few, many)[least:]) / comb(few + many, few)


@lru_cache(maxsize=4)
def _rank_sums(few: int, many: int) -> tuple[int, ...]:
    """How many orders of values have 0, 1, 2… pairs in which that of one side is larger.

    These are the coefficients of a Gaussian binomial, which is the product over i from 1 to `few`
    of (1 - q**(many + i)) / (1 - q**i).
    """
    counts = [1] + [0] * (few * many)
    for i in range(1, few + 1):
        for j in range(few * many, many + i - 1, -1):
            counts[j] -= counts[j - many - i]
        for j in range(i, few * many + 1):
            counts[j] += counts[j - i]
    return tuple(counts)


def _normal_probability(least: int, few: int, many: int) -> float:
    """The probability of so many pairs or more, from the normal distribution that they approach."""
    mean, deviation = few * many / 2, sqrt(few * many * (few + many + 1) / 12)
    return erfc((least - 0.5 - mean) / deviation / sqrt(2)) / 2
