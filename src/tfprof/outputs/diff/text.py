"""A diff as text: the totals, what was matched, and the rows, as tables that fit a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tfprof.diffs.diff import Breakdown, Diff, DiffColumn, format_change
from tfprof.diffs.match_rows import EDITED, GUESSES, MATCHES, MOVED, NAME
from tfprof.diffs.merged_rows import WALL
from tfprof.flops.flop_columns import format_count
from tfprof.outputs.document import Document, Rendering, RenderSettings
from tfprof.outputs.terminal_table import Column, table_lines
from tfprof.runtime.printable import one_line
from tfprof.runtime.terminal import (
    Line,
    Span,
    Terminal,
    cell_width,
    plain_text,
    shorten_code,
    shorten_indented,
    shorten_middle,
    shorten_name,
)

_UNLIMITED = Terminal(width=10**6, bars=False)
_NAME_AMPLE, _NAME_LEAST = 40, 20
_MATCH_LEAST = 12
_SHOWN_RENAMES = 4
_RENAME_WIDTH = 40
TOTALS = ("before", "after", "delta", "percent", "changed", "added", "removed")
"""The columns of totals."""


def render(diff: Diff, settings: RenderSettings) -> Rendering:
    """Render the text, for standard output if no file is named."""
    yield Document([diff_text(diff).encode(errors="surrogateescape")], settings.keys.get("outfile"))


def diff_text(diff: Diff) -> str:
    """The text of a diff, as wide as it has to be."""
    return plain_text(diff_lines(diff, _UNLIMITED))


def diff_lines(diff: Diff, terminal: Terminal) -> Iterator[Line]:
    """The lines of a diff for a terminal."""
    yield from _total_lines(diff, terminal)
    width = min(terminal.width, 100)
    for text in match_sentences(diff):
        yield from ([Span(line)] for line in textwrap.wrap(text, width))
    yield []
    yield from table_lines(_columns(diff), range(len(diff)), terminal.width)
    yield from ([Span(line)] for line in textwrap.wrap(diff.footer, width))


def row_texts(diff: Diff) -> tuple[list[str], list[list[str]]]:
    """The titles of the columns of rows, and the cells of each row."""
    columns = _columns(diff)
    rows = [[column.cell(row).text for column in columns] for row in range(len(diff))]
    return [column.title for column in columns], rows


def _columns(diff: Diff) -> list[Column]:
    columns = [_name_column(diff)]
    for i, column in enumerate(diff.columns):
        columns += _number_columns(diff, column, is_first=i == 0)
    return columns + _match_columns(diff)


def _total_lines(diff: Diff, terminal: Terminal) -> Iterator[Line]:
    """What each metric was and is, and what of the change is due to which rows."""
    totals = list(_totals(diff))
    titles = [title for title, _ in totals]
    columns = [Column("", max(map(len, titles)), lambda row: Span(titles[row]))]
    for i, name in enumerate(TOTALS):
        columns.append(_span_column(name, [spans[i] for _, spans in totals]))
    yield from table_lines(columns, range(len(totals)), terminal.width)


def total_texts(diff: Diff) -> list[tuple[str, list[str]]]:
    """The title of each metric, and its totals in the order of `TOTALS`."""
    return [(title, [span.text for span in spans]) for title, spans in _totals(diff)]


def _totals(diff: Diff) -> Iterator[tuple[str, list[Span]]]:
    for column in diff.columns:
        yield _title(column), _total_cells(column, diff.breakdown(column.name))
        if column.measure == WALL:
            yield "idle, of wall time", _total_cells(column, _idle(diff))


def _total_cells(column: DiffColumn, total: Breakdown) -> list[Span]:
    sides = [Span(format_count(value, column.unit)) for value in (total.before, total.after)]
    parts = (total.changed, total.added, total.removed)
    causes = [Span(_change(value, column).text) for value in parts]
    return [*sides, _change(total.delta, column), _percent(total.before, total.delta), *causes]


def _title(column: DiffColumn) -> str:
    return column.title.removeprefix("# ")


def _idle(diff: Diff) -> Breakdown:
    """The time in which nothing ran, which is part of the root's wall time."""
    before, after = (
        columns.number(0, WALL)
        for columns in (diff.whole.numbers.own_before, diff.whole.numbers.own_after)
    )
    return Breakdown(before, after, after - before, 0, 0)


def match_sentences(diff: Diff) -> Iterator[str]:
    """How many rows were matched in which way, and what was renamed."""
    counts = diff.match_counts()
    by = [f"{counts[name]:,} by {name}" for i, name in enumerate(MATCHES) if _is_listed(i, counts)]
    by += [f"{counts[name]:,} {name}" for name in ("added", "removed")]
    yield f"{sum(counts.values()):,} rows: {', '.join(by)}"
    renames: dict[tuple[str, str], str] = {}
    for old, new in sorted(diff.renames, key=lambda pair: pair[0].count("/")):
        renames.setdefault((old.rpartition("/")[2], new.rpartition("/")[2]), old)
    if renames:
        pairs = [
            f"{shorten_name(one_line(old), _RENAME_WIDTH)} ▸ {one_line(new)}"
            for (_, new), old in renames.items()
        ][:_SHOWN_RENAMES]
        more = len(renames) - len(pairs)
        yield f"renamed: {', '.join(pairs)}{f' and {more:,} more' if more else ''}"


def _is_listed(kind: int, counts: dict[str, int]) -> bool:
    return kind == NAME or (kind in GUESSES and counts[MATCHES[kind]] > 0)


def _name_column(diff: Diff) -> Column:
    names = list(map(one_line, diff.names))
    depth = (diff.tree.depth - 1).tolist()
    width = max(cell_width(name) + 2 * depth[row] for row, name in enumerate(names))
    shorten = shorten_code if diff.kind == "code" else shorten_name
    return Column(
        "node name",
        width,
        lambda row: Span("  " * depth[row] + names[row]),
        shorten=partial(shorten_indented, shorten),
        ample=_NAME_AMPLE,
        least=_NAME_LEAST,
    )


def _number_columns(diff: Diff, column: DiffColumn, *, is_first: bool) -> list[Column]:
    """Before, after, delta and percent; of several metrics only changes are always shown."""
    numbers = diff.numbers
    before, after, delta = (
        columns.column(column.measure).tolist()
        for columns in (numbers.before, numbers.after, numbers.delta)
    )
    title = "" if is_first and len(diff.columns) == 1 else f"{_title(column)} "
    is_blank = [not (first or second) for first, second in zip(before, after, strict=True)]
    columns = [
        _span_column(f"{title}{name}", _blank_cells(texts, is_blank))
        for name, texts in (
            ("before", [Span(format_count(value, column.unit)) for value in before]),
            ("after", [Span(format_count(value, column.unit)) for value in after]),
            ("delta", [_change(value, column) for value in delta]),
        )
    ]
    shares = [_percent(*pair) for pair in zip(before, delta, strict=True)]
    columns.append(_span_column("percent", _blank_cells(shares, is_blank)))
    if len(diff.columns) == 1:
        return columns
    kept = {f"{title}delta"} | ({"percent"} if is_first else set())
    return [replace(each, optional=each.title not in kept) for each in columns]


def _blank_cells(spans: list[Span], is_blank: list[bool]) -> list[Span]:
    """Cells of which some are empty: those of rows that have no such number at all."""
    return [Span("") if blank else span for span, blank in zip(spans, is_blank, strict=True)]


def _span_column(title: str, spans: list[Span]) -> Column:
    width = max((cell_width(span.text) for span in spans), default=0)
    return Column(title, width, lambda row: spans[row], right=True)


def _change(value: Any, column: DiffColumn) -> Span:
    """A change; the style repeats the sign, and no colour stands alone."""
    text = format_change(value, column.unit)
    return Span(text, {"+": "hot", "-": "bar"}.get(text[0], "cold"))


def _percent(before: Any, delta: Any) -> Span:
    """The change as a share of what the row was before."""
    if not (isinstance(before, int) and isinstance(delta, int)):
        return Span("")
    if not delta:
        return Span("0.0%", "cold")
    return Span("new" if not before else f"{delta / before:+.1%}")


def _match_columns(diff: Diff) -> list[Column]:
    """How rows were matched, if some were not by name."""
    texts = [_match_texts(diff, row) for row in range(len(diff))]
    if not any(long for long, _ in texts):
        return []
    column, compact = (_match_column(cells) for cells in zip(*texts, strict=True))
    return [replace(column, compact=compact)]


def _match_column(cells: Sequence[str]) -> Column:
    return Column(
        "match",
        max(map(cell_width, cells)),
        lambda row: Span(cells[row]),
        shorten=shorten_middle,
        ample=2 * _MATCH_LEAST,
        least=_MATCH_LEAST,
    )


def _match_texts(diff: Diff, row: int) -> tuple[str, str]:
    """How a row was matched and what it was before, and the latter alone if there is one."""
    kind = int(diff.match[row])
    if kind == NAME:
        return "", ""
    was = ""
    if kind in (MOVED, EDITED):
        was = f"was {diff.before_names[row].split(':')[1]}"
    elif kind in GUESSES:
        old, new = (names[row].rpartition("/")[2] for names in (diff.before_names, diff.names))
        was = f"was {one_line(old)}" if old != new else ""
    match = MATCHES[kind]
    return (f"{match}, {was}", was) if was else (match, match)
