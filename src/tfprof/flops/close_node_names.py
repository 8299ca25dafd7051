"""The names of nodes that a user may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST_NAME = 200
"""A longer text is no mistyped name."""


def close_node_names(name: str, names: Iterable[str]) -> list[str]:
    """Up to three node names that contain a text, or else end in something like it."""
    known = list(names)
    wanted = name.lower().strip("/")
    containing = [full for full in known if wanted and wanted in full.lower()]
    if containing:
        return sorted(containing, key=len)[:3]
    by_end = {full.rpartition("/")[2]: full for full in reversed(known)}
    close = difflib.get_close_matches(name.rpartition("/")[2][:_LONGEST_NAME], by_end, n=3)
    return [by_end[end] for end in close]
