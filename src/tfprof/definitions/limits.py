"""Limits that no real input or output reaches, so that a hostile one cannot use up all memory.

`docs/robustness.md` lists them.
"""

from __future__ import annotations

from tfprof.errors import OutputError

MAX_OUTPUT_BYTES = 1 << 29
"""The largest output."""

MAX_STREAM_BYTES = 1 << 31
"""The most bytes that are read from a pipe; protobuf has no larger messages."""

MAX_SHAPE_GAPS = 1_000_000
"""The most outputs without a shape that may come before an output with one."""

MAX_PROFILE_PARTS = 100_000
"""The most op logs and saved profiles that a folder of tables may contain."""

_MIN_SCOPE_BYTES, _SCOPES_PER_BYTE = 1 << 26, 64
_MIN_TABLE_BYTES, _TABLE_PER_BYTE = 1 << 26, 1000


def check_output_size(size: int, what: str) -> None:
    """Raise an error for an output that would be too large, before it is made."""
    if size > MAX_OUTPUT_BYTES:
        raise OutputError(
            f"{what}: would take {size / 1e9:,.1f} GB; lower max_depth or show fewer nodes"
        )


def max_scope_bytes(names: int) -> int:
    """The most bytes that the scopes of node names of some bytes may have."""
    return min(_MIN_SCOPE_BYTES + _SCOPES_PER_BYTE * names, 1 << 30)


def max_table_bytes(size: int) -> int:
    """The most bytes that a compressed table of some bytes may decompress to."""
    return _MIN_TABLE_BYTES + _TABLE_PER_BYTE * size
