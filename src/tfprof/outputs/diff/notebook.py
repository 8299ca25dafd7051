"""A diff in a notebook: its totals and first rows as tables."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from tfprof.diffs.diff import Diff
from tfprof.diffs.overview import make_overview
from tfprof.outputs.diff.text import TOTALS, row_texts, total_texts

_STYLE = (
    "<style>.tfprof-diff td,.tfprof-diff th{text-align:right;padding:1px 8px}"
    ".tfprof-diff td:first-child,.tfprof-diff th:first-child{text-align:left;white-space:pre;"
    "font-family:monospace}</style>"
)


def to_html(diff: Diff) -> str:
    """The totals of a diff, and the rows to look at first."""
    shown = make_overview(diff)
    titles, rows = row_texts(shown)
    parts = [
        _STYLE,
        _table(("", *TOTALS), ([title, *cells] for title, cells in total_texts(diff))),
        _table(titles, rows),
        *(f"<div>{escape(text)}</div>" for text in (*diff.messages, shown.footer) if text),
    ]
    return f'<div class="tfprof-diff">{"".join(parts)}</div>'


def _table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in cells)}</tr>" for cells in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"
