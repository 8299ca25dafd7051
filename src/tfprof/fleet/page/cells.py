"""Rows and columns of a chart: however many names there are, neighbours share one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfprof.profiles.schema import Array


@dataclass(frozen=True, slots=True)
class Groups:
    """Ordered items in at most `limit` groups of neighbours."""

    items: Sequence[Any]
    limit: int

    def __len__(self) -> int:
        return min(len(self.items), self.limit)

    @property
    def index(self) -> Array:
        """The group of each item."""
        groups: Array = np.arange(len(self.items)) * len(self) // max(len(self.items), 1)
        return groups

    @property
    def ends(self) -> list[tuple[Any, Any]]:
        """The first and the last item of each group."""
        first = np.flatnonzero(np.diff(self.index, prepend=-1))
        last = [*(first[1:] - 1).tolist(), len(self.items) - 1]
        return [(self.items[i], self.items[j]) for i, j in zip(first.tolist(), last, strict=True)]

    @property
    def largest(self) -> int:
        """How many items the largest group has."""
        return int(np.bincount(self.index).max()) if self.items else 0

    def labels(self) -> list[str]:
        """`worker_3`, or `worker_0 to worker_4` of a group."""
        return [str(a) if a == b else f"{a} to {b}" for a, b in self.ends]


def natural_key(name: str) -> list[tuple[int, int | str]]:
    """A key that sorts `worker_2` before `worker_10`."""
    parts = re.split(r"(\d{1,18})", name, flags=re.ASCII)
    return [(1, int(part)) if i % 2 else (0, part) for i, part in enumerate(parts)]
