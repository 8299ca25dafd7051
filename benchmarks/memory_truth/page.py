"""The table of comparisons in docs/memory.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.memory_truth.compare import Row

PAGE = Path(__file__).parents[2] / "docs" / "memory.md"
_BEGIN, _END = "<!-- make memory-truth writes this -->\n", "<!-- until here -->\n"


def write_page(rows: Sequence[Row], threaded: Sequence[Row]) -> None:
    """Replace the table by these rows; `threaded` are of two intra-op threads."""
    before, _, rest = PAGE.read_text().partition(_BEGIN)
    _, _, after = rest.partition(_END)
    PAGE.write_text(before + _BEGIN + "\n".join(_lines(rows, threaded)) + "\n" + _END + after)


def _lines(rows: Sequence[Row], threaded: Sequence[Row]) -> Iterable[str]:
    yield "| model | B | memray, MB | recorded | predicted from B/2 | from B/4 | from the graph |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        yield _line(row, "")
    for row in threaded:
        yield _line(row, ", 2 threads")


def _line(row: Row, note: str) -> str:
    numbers = (row.recorded, row.half, row.quarter, row.static)
    errors = " | ".join(_percent(row.error(number)) for number in numbers)
    bound = ", lower bound" if row.highest is None else ""
    return f"| {row.model}{note} | {row.batch} | {row.memray / 1e6:.1f} | {errors}{bound} |"


def _percent(error: float | None) -> str:
    return "" if error is None else f"{100 * error:+.1f} %".replace("-", "\N{MINUS SIGN}")
