"""Numbers as people read them: `1.50k`, `3.20ms`, `12.00MB`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

SCALES: dict[str, tuple[tuple[str, int], ...]] = {
    "number": (("", 1), ("k", 10**3), ("m", 10**6), ("b", 10**9)),
    "time": (("us", 1), ("ms", 10**3), ("sec", 10**6)),
    "memory": (("B", 1), ("KB", 10**3), ("MB", 10**6)),
}
"""What each kind of number is counted in, and from which size on."""

_LARGEST = 2**63 - 1


def _format(unit: str, value: int) -> str:
    (smallest, _), *larger = SCALES[unit]
    for name, size in reversed(larger):
        if value >= size:
            # The original divides doubles; what it cannot have may be too large to be one.
            return f"{(value if value > _LARGEST else float(value)) / size:.2f}{name}"
    return f"{value}{smallest}"


FORMATS: dict[str, Callable[[int], str]] = {unit: partial(_format, unit) for unit in SCALES}

format_number = FORMATS["number"]
"""A count: `999`, `1.00k`, `1.00m`, `1.00b`."""

format_time = FORMATS["time"]
"""A duration in microseconds: `999us`, `1.00ms`, `1.00sec`."""
