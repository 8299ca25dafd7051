"""Bounds that no honest input or answer meets, so that a hostile one cannot take all memory.

`docs/robustness.md` lists them.
"""

from __future__ import annotations

from tfprof.errors import OutputError

__all__ = [
    "LARGEST_ANSWER",
    "LARGEST_STREAM",
    "MOST_GAPS",
    "MOST_PARTS",
    "check_answer",
    "largest_scopes",
    "largest_table",
]

LARGEST_ANSWER = 1 << 29
"""The most bytes of an answer."""

LARGEST_STREAM = 1 << 31
"""The most bytes that are read from a pipe; protobuf has no larger messages."""

MOST_GAPS = 1_000_000
"""The most outputs without a shape that are assumed because a later one has a number."""

MOST_PARTS = 100_000
"""The most op logs and saved profiles of which tables may tell."""

_SCOPES_AT_LEAST, _SCOPES_PER_BYTE = 1 << 26, 64
_TABLE_AT_LEAST, _TABLE_PER_BYTE = 1 << 26, 1000


def check_answer(size: int, what: str) -> None:
    """Refuse an answer that would be too large, before it is made."""
    if size > LARGEST_ANSWER:
        raise OutputError(
            f"{what}: would take {size / 1e9:,.1f} GB; lower max_depth or show fewer nodes"
        )


def largest_scopes(names: int) -> int:
    """The most bytes of the scopes above names that take some bytes themselves."""
    return min(_SCOPES_AT_LEAST + _SCOPES_PER_BYTE * names, 1 << 30)


def largest_table(size: int) -> int:
    """The most bytes that a compressed table of some bytes may unpack to."""
    return _TABLE_AT_LEAST + _TABLE_PER_BYTE * size
