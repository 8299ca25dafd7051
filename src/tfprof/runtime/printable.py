r"""Text without what a terminal would obey, which is written out, such as `\x1b`."""

from __future__ import annotations

import re

# Marks that turn the direction of writing, and separators that some take for line breaks.
_MARKS = "\u200e\u200f\u2028-\u202e\u2066-\u2069"
_UNPRINTABLE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_MARKS}]")
_CONTROL = re.compile(f"[\x00-\x1f\x7f-\x9f{_MARKS}]")


def printable(text: str) -> str:
    """Text of several lines; line breaks and tabs stay."""
    return _UNPRINTABLE.sub(_written_out, text)


def one_line(text: str) -> str:
    r"""A name, or a text with names in it, on one line: a line break is written as `\n`."""
    return _CONTROL.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]
