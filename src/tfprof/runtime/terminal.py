"""Text for a terminal: spans with a style, their width in cells, and shortened names.

A line is a sequence of spans. Only `encode_line` makes escape sequences, and it escapes whatever
else a terminal would obey, so that no name can set colours or move the cursor.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from tfprof.runtime.printable import one_line

STYLES: dict[str, str] = {
    "title": "1",
    "hot": "1;31",
    "warm": "33",
    "cold": "2",
    "bar": "36",
    "command": "32",
}
"""The parameters of the escape sequence for each style."""

ELLIPSIS = "…"
_DEEPER = "▸"
_HOT, _WARM, _COLD = 0.5, 0.1, 0.001
_GRADIENT = " (gradient)"
_BLOCKS = " ▏▎▍▌▋▊▉"


class Span(NamedTuple):
    """Text in one style; without one it has the terminal's own."""

    text: str
    style: str = ""


Line: TypeAlias = Sequence[Span]


@dataclass(frozen=True, slots=True)
class Terminal:
    """How much fits, and whether colours and bars are shown."""

    width: int = 80
    height: int = 24
    colour: bool = False
    bars: bool = True


PLAIN = Terminal(width=100, height=40, bars=False)
"""How text for files and pipes is laid out, where it has to fit one screen."""


def encode_line(line: Line, *, colour: bool) -> str:
    """A line with the escape sequences of its styles, and nothing else that a terminal obeys."""
    parts = []
    for text, style in line:
        code = STYLES.get(style, "") if colour and text.strip() else ""
        parts.append(f"\x1b[{code}m{one_line(text)}\x1b[0m" if code else one_line(text))
    return "".join(parts)


def plain_text(lines: Iterable[Line]) -> str:
    """Lines without styles, each ended by a line break."""
    return "".join(f"{encode_line(line, colour=False).rstrip()}\n" for line in lines)


def line_width(line: Line) -> int:
    """The cells that a line takes."""
    return sum(cell_width(one_line(span.text)) for span in line)


def cell_width(text: str) -> int:
    """The cells that text takes: two for a wide character, none for a combining one."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def heat(share: float) -> str:
    """The style of a number that is this share of the total."""
    if share >= _HOT:
        return "hot"
    if share >= _WARM:
        return "warm"
    return "cold" if share < _COLD else ""


def bar(share: float, width: int) -> str:
    """A bar for a share of 1 or less, in eighths of a cell."""
    eighths = round(8 * width * min(max(share, 0.0), 1.0))
    return "█" * (eighths // 8) + _BLOCKS[eighths % 8].strip()


def shorten_end(text: str, width: int) -> str:
    """Text that fits, its end replaced by an ellipsis if it has to be."""
    if cell_width(text) <= width:
        return text
    return _start(text, width - 1) + ELLIPSIS if width > 0 else ""


def shorten_middle(text: str, width: int) -> str:
    """Text that fits; its start and its end stay, as both tell names apart."""
    if cell_width(text) <= width:
        return text
    if width <= 0:
        return ""
    tail = (width - 1) // 2
    return _start(text, width - 1 - tail) + ELLIPSIS + _end(text, tail)


def shorten_name(name: str, width: int) -> str:
    """A name that fits: its first scope and as many of its last ones as there is room for."""
    if cell_width(name) <= width:
        return name
    head, *scopes = name.split("/")
    if scopes:
        for prefix in (f"{head}/{ELLIPSIS}", ELLIPSIS):
            tail = _last_scopes(scopes, width - cell_width(prefix))
            if tail:
                return f"{prefix}/{'/'.join(tail)}"
    return shorten_middle(name, width)


def _last_scopes(scopes: Sequence[str], width: int) -> Sequence[str]:
    """As many of the last scopes as fit, each after a slash."""
    used, first = 0, len(scopes)
    for scope in reversed(scopes):
        used += 1 + cell_width(scope)
        if used > width:
            break
        first -= 1
    return scopes[first:]


def shorten_indented(shorten: Callable[[str, int], str], text: str, width: int) -> str:
    """An indented name that fits; the indent takes half of the room at most."""
    name = text.lstrip(" ")
    indent = text[: len(text) - len(name)]
    if len(indent) > width // 2:
        indent = " " * (width // 2 - 1) + _DEEPER
    return indent + shorten(name, width - len(indent))


def shorten_code(name: str, width: int) -> str:
    """A line of code that fits: folders go first, then the end of the text."""
    if cell_width(name) <= width:
        return name
    suffix = _GRADIENT if name.endswith(_GRADIENT) and width > 3 * len(_GRADIENT) else ""
    text = name.removesuffix(suffix)
    path, colon, rest = text.partition(":")
    if "/" in path:
        text = f"{ELLIPSIS}/{path.rpartition('/')[2]}{colon}{rest}"
    return shorten_end(text, width - len(suffix)) + suffix


def _start(text: str, width: int) -> str:
    """As many of the first characters as fit."""
    if text.isascii():
        return text[:width]
    used = 0
    for i, char in enumerate(text):
        used += _cells(char)
        if used > width:
            return text[:i]
    return text


def _end(text: str, width: int) -> str:
    """As many of the last characters as fit."""
    if width <= 0:
        return ""
    return text[-width:] if text.isascii() else _start(text[::-1], width)[::-1]
