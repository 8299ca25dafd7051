"""A seeded source of choices that knows how nasty the case may be."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["Dice"]

T = TypeVar("T")


class Dice(random.Random):
    """Random choices.

    `clean` rolls out everything on which the repaired answer differs from the original's;
    `crashing` lets in what kills the original.
    """

    def __init__(self, seed: int | str, *, crashing: bool, clean: bool) -> None:
        """Equal arguments give equal choices."""
        super().__init__(seed)
        self.crashing = crashing
        self.clean = clean
        self._seed = seed
        self._sources: dict[str, Dice] = {}

    def source(self, topic: str) -> Dice:
        """A source of its own for a topic: those of the others stay what they were."""
        if topic not in self._sources:
            self._sources[topic] = Dice(
                f"{self._seed} {topic}", crashing=self.crashing, clean=self.clean
            )
        return self._sources[topic]

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random() < probability

    def odd(self, probability: float) -> bool:
        """True with this probability, never in a clean case."""
        return not self.clean and self.random() < probability

    def fatal(self, probability: float) -> bool:
        """True with this probability, only in a crashing case."""
        return self.crashing and self.random() < probability

    def several(self, values: Sequence[T], most: int) -> list[T]:
        """Up to `most` of the values, possibly repeated."""
        return self.choices(values, k=self.randint(0, most)) if values else []
