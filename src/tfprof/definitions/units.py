"""Numbers as people read them: `1.50k`, `3.20ms`, `12.00MB`."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial

from tfprof.definitions.integers import INT64_MAX

SCALES: dict[str, tuple[tuple[str, int], ...]] = {
    "number": (("", 1), ("k", 10**3), ("m", 10**6), ("b", 10**9)),
    "time": (("us", 1), ("ms", 10**3), ("sec", 10**6)),
    "memory": (("B", 1), ("KB", 10**3), ("MB", 10**6)),
}
"""What each kind of number is counted in, and from which size on."""


def _format(unit: str, value: int) -> str:
    (smallest, _), *larger = SCALES[unit]
    for name, size in reversed(larger):
        if value >= size:
            # The original divides doubles; what it cannot have may be too large to be one.
            return f"{(value if value > INT64_MAX else float(value)) / size:.2f}{name}"
    return f"{value}{smallest}"


FORMATS: dict[str, Callable[[int], str]] = {unit: partial(_format, unit) for unit in SCALES}

format_time = FORMATS["time"]
"""A duration in microseconds: `999us`, `1.00ms`, `1.00sec`."""

_TIME = re.compile(r"(-?[0-9]{1,18}(?:\.[0-9]{1,18})?)\s*(us|µs|ms|s|sec)?")
_MEMORY = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*([KMGT]?i?B?)", re.IGNORECASE)
_SECONDS = {"": 1, "us": 1, "µs": 1, "ms": 10**3, "s": 10**6, "sec": 10**6}
_PREFIXES = "kmgt"


def parse_time(text: str) -> int | None:
    """The microseconds of `641ms`, `1.5s`, `300us` or `300`; None if it is no such text."""
    match = _TIME.fullmatch(text.strip())
    return int(Decimal(match[1]) * _SECONDS[match[2] or ""]) if match else None


def parse_memory(text: str) -> int | None:
    """The bytes of `16GB`, `16GiB`, `800m` or `1000`; None if it is no such text.

    `GB` is 10^9 bytes and `GiB` 2^30, as everywhere in this package.
    """
    match = _MEMORY.fullmatch(text.strip())
    if not match:
        return None
    unit = match[2].lower()
    power = _PREFIXES.find(unit[0]) + 1 if unit.rstrip("b") else 0
    return int(Decimal(match[1]) * (1024 if "i" in unit else 1000) ** power)


def format_share(share: float) -> str:
    """A share: `45.2%`; never `100%` of what is not all."""
    percent = min(round(100 * share, 1), 99.9) if share < 1 else 100
    return f"{percent:g}%"
