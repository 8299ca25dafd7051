"""Numbers as people read them: `1.50k`, `3.20ms`, `12.00MB`."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["FORMATS", "format_memory", "format_number", "format_time"]


def format_number(value: int) -> str:
    """A count: `999`, `1.00k`, `1.00m`, `1.00b`."""
    if value < 1_000:
        return str(value)
    if value < 1_000_000:
        return f"{value / 1e3:.2f}k"
    if value < 1_000_000_000:
        return f"{value / 1e6:.2f}m"
    return f"{value / 1e9:.2f}b"


def format_time(micros: int) -> str:
    """A duration: `999us`, `1.00ms`, `1.00sec`."""
    if micros < 1_000:
        return f"{micros}us"
    if micros < 1_000_000:
        return f"{micros / 1e3:.2f}ms"
    return f"{micros / 1e6:.2f}sec"


def format_memory(size: int) -> str:
    """A size: `999B`, `1.00KB`, `1.00MB`."""
    if size < 1_000:
        return f"{size}B"
    if size < 1_000_000:
        return f"{size / 1e3:.2f}KB"
    return f"{size / 1e6:.2f}MB"


FORMATS: dict[str, Callable[[int], str]] = {
    "number": format_number,
    "time": format_time,
    "memory": format_memory,
}
