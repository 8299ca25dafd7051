"""What random nodes are made with."""

from __future__ import annotations

import random
from typing import Any


class OpMaker:
    """Makes placeholders and random numbers in the current graph."""

    def __init__(self, tf: Any, seed: int) -> None:
        self.tf, self.raw, self.rng = tf, tf.raw_ops, random.Random(seed)

    def size(self, low: int = 1, high: int = 5) -> int:
        return self.rng.randint(low, high)

    def sizes(self, rank: int, low: int = 1, high: int = 5) -> list[int]:
        return [self.size(low, high) for _ in range(rank)]

    def flip(self) -> bool:
        return self.rng.random() < 0.5

    def choice(self, *items: Any) -> Any:
        return self.rng.choice(items)

    def x(self, *dims: int, dtype: Any = None) -> Any:
        return self.tf.compat.v1.placeholder(dtype or self.tf.float32, dims)
