"""Whether steps became slower, judged from the times of their ops.

The time of some steps is the sum over ops of the least time of each: other work on the machine only
adds to times. It does not see what only some steps do, so the medians are beside it. How much both
differ by chance is what they differ by when steps change sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np

from tfprof.profiles.schema import Array

SIGNIFICANT = 0.05
"""The share of identical code that may look slower by chance."""
PERMUTATIONS = 999
_SEED = 20
_MAX_COLUMNS = 2000
"""Ops with less time than this many others are judged together."""


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
    """The sum over ops of the least time; steps are the second axis from the end."""
    least: Array = times.min(axis=-2).sum(axis=-1)
    return least


def sum_of_medians(times: Array) -> Array:
    """The sum over ops of the median time; steps are the second axis from the end."""
    medians: Array = np.median(times, axis=-2).sum(axis=-1)
    return medians


def compare_least(base: Array, head: Array) -> Comparison:
    """Compare steps (rows) by the sum over ops (columns) of the least time.

    By chance they differ as they do when steps change sides, whichever they are.
    """
    base, head = _without_small_ops(base, head)
    steps = np.concatenate([base, head])
    differences = np.array(
        [
            sum_of_least(steps[order[len(base) :]]) - sum_of_least(steps[order[: len(base)]])
            for order in _permutations(len(steps))
        ]
    )
    least = float(sum_of_least(base))
    return _comparison(least, float(sum_of_least(head)) - least, differences)


def compare_medians(base: Array, head: Array) -> Comparison:
    """Compare steps by the sum over ops of the median difference of steps that ran in turn.

    By chance they differ as they do when some of these pairs change sides.
    """
    base, head = _without_small_ops(base, head)
    count = min(len(base), len(head))
    pairs = head[:count] - base[:count]
    differences = np.array([sum_of_medians(signs[:, None] * pairs) for signs in _signs(count)])
    return _comparison(float(sum_of_medians(base)), float(sum_of_medians(pairs)), differences)


def _comparison(base: float, difference: float, by_chance: Array) -> Comparison:
    return Comparison(
        base,
        base + difference,
        (1 + int((by_chance >= difference).sum())) / (1 + len(by_chance)),
        float(np.quantile(np.abs(by_chance), 1 - SIGNIFICANT)) / base if base else 0.0,
    )


@lru_cache(maxsize=4)
def _signs(count: int) -> Array:
    """Which pairs change sides: the same random ones every time."""
    return np.random.default_rng(_SEED).choice([-1, 1], (PERMUTATIONS, count))


@lru_cache(maxsize=4)
def _permutations(count: int) -> Array:
    """The same random orders every time, so that a verdict does not depend on chance."""
    generator = np.random.default_rng(_SEED)
    return generator.permuted(np.tile(np.arange(count), (PERMUTATIONS, 1)), axis=1)


def _without_small_ops(base: Array, head: Array) -> tuple[Array, Array]:
    if base.shape[1] <= _MAX_COLUMNS:
        return base, head
    order = np.argsort(-(base.sum(axis=0) + head.sum(axis=0)), kind="stable")
    large, small = order[:_MAX_COLUMNS], order[_MAX_COLUMNS:]
    sides = [np.column_stack([side[:, large], side[:, small].sum(axis=1)]) for side in (base, head)]
    return sides[0], sides[1]


def compare_processes(base: Array, head: Array) -> Comparison:
    """Compare the times of processes, one number each, by an exact Mann-Whitney test."""
    middle, other = float(np.median(base)), float(np.median(head))
    spread = max(np.ptp(side) for side in (base, head)) / 2
    return Comparison(
        middle, other, mann_whitney(base, head), float(spread / middle) if middle else 0.0
    )


def mann_whitney(base: Array, head: Array) -> float:
    """The probability that chance makes the values of the head as much larger as they are.

    Of values that are equal, each may be the larger: half of them count.
    """
    larger = int((head[:, None] > base[None, :]).sum())
    equal = int((head[:, None] == base[None, :]).sum())
    least = larger + equal // 2
    counts = _rank_sums(len(base), len(head))
    return sum(counts[least:]) / comb(len(base) + len(head), len(base))


@lru_cache(maxsize=64)
def _rank_sums(base: int, head: int) -> tuple[int, ...]:
    """How many orders of values have 0, 1, 2… pairs in which that of the head is larger."""
    # rows[b] has the counts for b values of the base and those of the head so far.
    rows = [[1] + [0] * (base * head) for _ in range(base + 1)]
    for _ in range(head):
        for b in range(1, base + 1):
            shifted = [0] * b + rows[b]
            rows[b] = [a + c for a, c in zip(shifted, rows[b - 1], strict=False)][: base * head + 1]
    return tuple(rows[base])
