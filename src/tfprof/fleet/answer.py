"""The answer to a question: rows, what stands out, and the SQL that was run."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from tfprof.definitions.units import format_time
from tfprof.errors import OptionError

_TIMES = frozenset(
    name
    for names in (
        "micros p50 p95 p99 wall work wait slowest",
        "late_by worst_late_by usual this extra",
    )
    for name in names.split()
)
_SIZES = ("bytes", "bytes_in", "bytes_out")
_SHARES = ("share", "wall_change", "work_change", "job_change")
_WIDEST = 56


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Rows with a column `verdict`, which is empty unless something stands out.

    `findings` says what stands out, a line each; `nothing` is what to say if nothing does.
    """

    question: str
    rows: pa.Table
    findings: tuple[str, ...]
    nothing: str
    notes: tuple[str, ...] = ()
    explain: Callable[[], tuple[str, ...]] = field(default=tuple, repr=False)

    @property
    def statements(self) -> tuple[str, ...]:
        """The SQL that was run; it is written when it is asked for, which takes a while."""
        return self.explain()

    def text(self) -> str:
        """Findings, then a table."""
        lines = [*(self.findings or (self.nothing,)), *self.notes, ""]
        return "\n".join([*lines, *_table_lines(self.rows)]) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        return {
            "question": self.question,
            "findings": list(self.findings),
            "notes": list(self.notes),
            "rows": self.rows.to_pylist(),
        }

    def json(self) -> str:
        """The answer as JSON."""
        return json.dumps(self.to_dict(), indent=2)

    def render(self, suffix: str) -> bytes:
        """The answer as a file: `.json`, `.csv`, `.parquet` or `.txt`."""
        stream = io.BytesIO()
        if suffix == ".json":
            return self.json().encode() + b"\n"
        if suffix == ".txt":
            return self.text().encode()
        if suffix == ".csv":
            pyarrow.csv.write_csv(self.rows, stream)
        elif suffix == ".parquet":
            pyarrow.parquet.write_table(self.rows, stream)
        else:
            raise OptionError(
                f"option 'out': '{suffix}' is no format; give a .json, .csv, .parquet or .txt file"
                + ("; 'fleet report' writes a page" if suffix == ".html" else "")
            )
        return stream.getvalue()


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """A column of an answer as people read it; numbers stand to the right."""

    name: str
    cells: tuple[str, ...]
    is_number: bool


def text_columns(rows: pa.Table) -> list[AnswerColumn]:
    """The columns that say something, every cell as text."""
    return [
        AnswerColumn(
            name,
            tuple(_cell(name, value) for value in rows.column(name).to_pylist()),
            pa.types.is_integer(rows.schema.field(name).type) or name in _SHARES,
        )
        for name in rows.column_names
        if _is_shown(rows, name)
    ]


def _table_lines(rows: pa.Table) -> list[str]:
    columns = text_columns(rows)
    cells = [[column.name, *map(_shorten, column.cells)] for column in columns]
    widths = [max(map(len, column)) for column in cells]
    lines = []
    for row in zip(*cells, strict=True):
        padded = (
            text.rjust(width) if column.is_number else text.ljust(width)
            for text, width, column in zip(row, widths, columns, strict=True)
        )
        lines.append("  ".join(padded).rstrip())
    return lines


def _is_shown(rows: pa.Table, name: str) -> bool:
    """Whether a column says something: not the job if there is one, nor verdicts if none is."""
    values = set(rows.column(name).to_pylist())
    if pa.types.is_boolean(rows.schema.field(name).type):
        return True in values
    return not (name == "job" and len(values) < 2) and bool(values - {"", None})


def _cell(name: str, value: Any) -> str:
    if value is None or value == "" or value is False:
        return ""
    if name in _TIMES:
        return format_time(value) if value >= 0 else f"-{format_time(-value)}"
    if name in _SHARES:
        return f"{value:.1%}"
    if name in _SIZES:
        return f"{value / 1e6:,.2f}MB"
    if value is True:
        return "yes"
    return f"{value:,}" if isinstance(value, int) and name != "line" else str(value)


def _shorten(text: str) -> str:
    return text if len(text) <= _WIDEST else f"…{text[1 - _WIDEST :]}"
