"""The tables of `tfprof model` and `tfprof cost` on a terminal: they fit, with heat and bars."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from tfprof.flops.layer_table import ModelTable
from tfprof.flops.model_cost import Cost
from tfprof.flops.op_type_table import (
    operation_cells,
    operation_notes,
    operation_shares,
    total_lines,
)
from tfprof.outputs.terminal_table import Column, table_lines
from tfprof.runtime.printable import one_line
from tfprof.runtime.terminal import (
    Line,
    Span,
    Terminal,
    bar,
    cell_width,
    heat,
    shorten_end,
    shorten_indented,
    shorten_middle,
    shorten_name,
)

_BAR = 10
_EXPENDABLE = ("type", "MACs")


def _shorten_shape(text: str, width: int) -> str:
    """A shape that fits: blanks go first."""
    return shorten_middle(text if cell_width(text) <= width else text.replace(", ", ","), width)


_SHORTENED: dict[str, tuple[Callable[[str, int], str], int, int]] = {
    "layer": (partial(shorten_indented, shorten_name), 24, 16),
    "op type": (shorten_middle, 24, 16),
    "type": (shorten_end, 12, 6),
    "output shape": (_shorten_shape, 20, 14),
}
"""How a text is made to fit: the function, the width that it keeps if it can, and the least."""
_CONTINUED = " " * 4


def model_lines(table: ModelTable, terminal: Terminal, depth: int | None) -> Iterator[Line]:
    """The table of layers down to a depth, what it does not show, and the totals."""
    shown = table.layers_to_depth(depth)
    shares = [layer.share for layer in shown]
    params = [layer.params / max(table.cost.params, 1) for layer in shown]
    heats = [[], [], [], params, shares, shares, shares]
    yield from _table_lines(table.cells(depth), heats, terminal)
    yield from _text_lines((*table.notes(depth), "", *total_lines(table.cost)), terminal.width)


def cost_lines(cost: Cost, terminal: Terminal) -> Iterator[Line]:
    """The table of op types, and the totals."""
    shares = operation_shares(cost)
    yield from _table_lines(operation_cells(cost), [[], [], shares, shares], terminal)
    yield from _text_lines((*operation_notes(cost), "", *total_lines(cost)), terminal.width)


def _table_lines(
    cells: Sequence[Sequence[str]], heats: Sequence[Sequence[float]], terminal: Terminal
) -> Iterator[Line]:
    """Rows below their titles; `heats` has the shares that colour the cells of each column."""
    titles, *rows = cells
    if not rows:
        return
    columns = []
    for position, title in enumerate(titles):
        texts = [one_line(row[position]) for row in rows]
        if any(texts):
            shares = heats[position] if position < len(heats) else ()
            columns.append(_column(title, texts, shares if any(shares) else ()))
    shares = heats[-1]
    if terminal.bars and len(rows) > 1 and any(shares):
        columns.append(
            Column("", _BAR, lambda row: Span(bar(shares[row], _BAR), "bar"), optional=True)
        )
    yield from table_lines(columns, range(len(rows)), terminal.width)


def _column(title: str, texts: Sequence[str], shares: Sequence[float]) -> Column:
    def cell(row: int) -> Span:
        return Span(texts[row], heat(shares[row]) if shares else "")

    column = Column(
        title, max(map(cell_width, texts)), cell, right=True, expendable=title in _EXPENDABLE
    )
    if title not in _SHORTENED:
        return column
    shorten, ample, least = _SHORTENED[title]
    return replace(column, right=False, shorten=shorten, ample=ample, least=least)


def _text_lines(texts: Iterable[str], width: int) -> Iterator[Line]:
    for text in texts:
        continued = " " * (len(text) - len(text.lstrip(" "))) + _CONTINUED
        lines = textwrap.wrap(
            text, max(width, 20), subsequent_indent=continued, break_on_hyphens=False
        )
        yield from ([Span(line)] for line in lines or [""])
