"""A table for a terminal: columns that fit the width, with names shortened and numbers whole.

If even the narrowest columns do not fit next to each other, a row continues on the next line.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tfprof.runtime.terminal import Line, Span, cell_width

_GAP = "  "
_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its cells, and what may be done to them if there is too little room.

    `width` is that of the widest cell. A cell is made when its row is printed.
    """

    title: str
    width: int
    cell: Callable[[int], Span]
    right: bool = False
    shorten: Callable[[str, int], str] | None = None
    """Makes a text fit; without it cells are never cut."""
    ample: int = 0
    """The width that it keeps as long as other columns can give up something."""
    least: int = 0
    """The width that shortening stops at."""
    optional: bool = False
    """Whether it is left out where there is no room for it."""
    expendable: bool = False
    """Whether it is left out where even the narrowest columns do not fit."""
    compact: Column | None = None
    """The same with less in each cell."""


def table_lines(
    columns: Sequence[Column],
    rows: Iterable[int],
    width: int,
    *,
    below: Callable[[int], Iterable[str]] | None = None,
) -> Iterator[Line]:
    """The lines of a table: titles if there are any, then rows.

    `below` gives text that follows a row, on lines of its own.
    """
    groups = _fit(columns, width)
    for i, group in enumerate(groups):
        if any(column.title for column in group):
            yield from _title_lines(group, indent=i > 0)
    for row in rows:
        for i, group in enumerate(groups):
            yield _join([_pad(column, column.cell(row)) for column in group], indent=i > 0)
        for line in below(row) if below else ():
            yield [Span(line)]


def _fit(columns: Sequence[Column], width: int) -> list[list[Column]]:
    """The columns with the widths that they are shown in, in groups that fit on a line."""
    fitted: list[Column] = []
    for candidate, floors in _candidates(columns):
        fitted = _shrink(candidate, floors, width)
        if _total(fitted) <= width:
            return [fitted]
    return _pack(fitted, width)


def _candidates(columns: Sequence[Column]) -> Iterator[tuple[list[Column], list[int]]]:
    """What to show, from most to least, and the smallest width of each column."""
    whole = [replace(c, width=max(c.width, cell_width(c.title))) for c in columns]
    yield whole, [column.width for column in whole]
    kept = [replace(column, width=max(column.width, _word_width(column))) for column in columns]
    yield kept, [column.ample for column in kept]
    for column in [column for column in reversed(kept) if column.optional]:
        kept.remove(column)
        yield kept, [column.ample for column in kept]
    kept = [column.compact or column for column in kept]
    kept = [replace(column, width=max(column.width, _word_width(column))) for column in kept]
    yield kept, [column.ample for column in kept]
    yield kept, [column.least for column in kept]
    for column in [column for column in reversed(kept) if column.expendable]:
        kept = [other for other in kept if other is not column]
        yield kept, [column.least for column in kept]


def _shrink(columns: Sequence[Column], floors: Sequence[int], width: int) -> list[Column]:
    """The columns, those that can be shortened as narrow as needed; the widest gives most."""
    widths = [column.width for column in columns]
    excess = _total(columns) - width
    while excess > 0:
        room = [
            widths[i] - max(floors[i], _word_width(column)) if column.shorten else 0
            for i, column in enumerate(columns)
        ]
        widest = max(range(len(room)), key=room.__getitem__)
        if room[widest] <= 0:
            break
        widths[widest] -= 1
        excess -= 1
    return [replace(column, width=size) for column, size in zip(columns, widths, strict=True)]


def _pack(columns: list[Column], width: int) -> list[list[Column]]:
    groups = [columns[:1]]
    for column in columns[1:]:
        indent = len(_INDENT) if len(groups) > 1 else 0
        if _total([*groups[-1], column]) + indent > width:
            groups.append([])
        groups[-1].append(column)
    return groups


def _total(columns: Sequence[Column]) -> int:
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def _words(title: str) -> list[str]:
    """The parts that a title may be broken into; a sign such as `#` stays with its word."""
    words: list[str] = []
    for word in title.split():
        if words and len(words[-1]) == 1:
            words[-1] += f" {word}"
        else:
            words.append(word)
    return words


def _word_width(column: Column) -> int:
    return max(map(cell_width, _words(column.title)), default=0)


def _title_lines(columns: Sequence[Column], *, indent: bool) -> Iterator[Line]:
    """The titles, in as many lines as the narrowest column needs."""
    titles = [_wrap(column) for column in columns]
    height = max(map(len, titles))
    for i in range(height):
        texts = [([""] * (height - len(lines)) + lines)[i] for lines in titles]
        cells = [
            _pad(column, Span(text, "title")) for column, text in zip(columns, texts, strict=True)
        ]
        yield _join(cells, indent=indent)


def _wrap(column: Column) -> list[str]:
    """A title in lines as wide as its column."""
    text = " ".join(word.replace(" ", "\0") for word in _words(column.title))
    lines = textwrap.wrap(text, max(column.width, 1), break_long_words=False)
    return [line.replace("\0", " ") for line in lines]


def _pad(column: Column, cell: Span) -> tuple[Span, Span]:
    """A cell and the blanks that make it as wide as its column, in their order."""
    text = cell.text
    if column.shorten and cell_width(text) > column.width:
        text = column.shorten(text, column.width)
    blanks, shown = Span(" " * (column.width - cell_width(text))), Span(text, cell.style)
    return (blanks, shown) if column.right else (shown, blanks)


def _join(cells: Sequence[tuple[Span, Span]], *, indent: bool) -> Line:
    line = [Span(_INDENT)] if indent else []
    for i, cell in enumerate(cells):
        line += [Span(_GAP)] * (i > 0) + list(cell)
    while line and not line[-1].text.strip():
        line.pop()
    return line
