"""The limits of integers of 32 and 64 bits, as Python's own have none."""

from __future__ import annotations

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1


def wrap_integer(value: int, bits: int) -> int:
    """The signed integer of so many bits that has the lowest bits of a value."""
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half
