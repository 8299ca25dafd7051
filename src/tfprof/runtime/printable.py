r"""Text with control characters escaped, such as `\x1b`, which a terminal would obey."""

from __future__ import annotations

import re

# Characters that change the direction of text, and separators that some take for line breaks.
_DIRECTION = "\u200e\u200f\u2028-\u202e\u2066-\u2069"
_CONTROL = re.compile(f"[\x00-\x1f\x7f-\x9f{_DIRECTION}]")
_CONTROL_BUT_LAYOUT = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_DIRECTION}]")


def printable(text: str) -> str:
    """Text of several lines, in which line breaks and tabs stay."""
    return _CONTROL_BUT_LAYOUT.sub(_escape, text)


def one_line(text: str) -> str:
    r"""A name, or a text with names in it, on one line: a line break is written as `\n`."""
    return _CONTROL.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]
