"""The rows of a query: text, JSON, CSV, Parquet, Arrow or pandas."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from tfprof.errors import OptionError
from tfprof.runtime.printable import one_line

_LONGEST = 60
"""The most characters of a cell of text."""


@dataclass(frozen=True, slots=True, repr=False)
class SqlResult:
    """The rows that a query returned; `table` is an Arrow table."""

    table: pa.Table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        return f"<SqlResult: {len(self):,} rows, {self.table.num_columns} columns>"

    def __str__(self) -> str:
        return self.text()

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.table.column_names)

    def records(self) -> list[dict[str, Any]]:
        """The rows, each by column."""
        return list(self.table.to_pylist())

    def text(self) -> str:
        """The rows in aligned columns, numbers to the right."""
        is_number = [
            pa.types.is_integer(t) or pa.types.is_floating(t) for t in self.table.schema.types
        ]
        cells = [self.columns]
        rows = zip(*(column.to_pylist() for column in self.table.columns), strict=True)
        cells += [[_cell(value) for value in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = []
        for line in cells:
            padded = [
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(line, widths, is_number, strict=True)
            ]
            lines.append("  ".join(padded).rstrip())
        return "\n".join(lines) + "\n"

    def json(self) -> str:
        """The rows as a list of objects."""
        return json.dumps(self.records(), indent=2, default=str)

    def csv(self) -> str:
        """The rows as CSV; lists as text."""
        stream = io.BytesIO()
        pyarrow.csv.write_csv(_flat(self.table), stream)
        return stream.getvalue().decode()

    def to_arrow(self) -> pa.Table:
        """The Arrow table."""
        return self.table

    def to_pandas(self) -> Any:
        """A DataFrame, if pandas is installed."""
        try:
            return self.table.to_pandas()
        except ImportError:
            raise OptionError("pandas is not installed; pip install pandas") from None

    def to_bytes(self, path: str | Path) -> bytes:
        """The content of a file whose name ends in .csv, .json, .parquet, .arrow or .txt."""
        suffix = Path(path).suffix.lower()
        if suffix not in FORMATS:
            known = ", ".join(FORMATS)
            raise OptionError(f"{path}: name a file that ends in one of {known}")
        return FORMATS[suffix](self)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = one_line(f"{value:g}" if isinstance(value, float) else str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _flat(table: pa.Table) -> pa.Table:
    """A table whose nested columns are text, which CSV can have."""
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        is_nested = pa.types.is_nested(column.type)
        columns[name] = pa.array([str(v) for v in column.to_pylist()]) if is_nested else column
    return pa.table(columns)


def _parquet(result: SqlResult) -> bytes:
    stream = io.BytesIO()
    pyarrow.parquet.write_table(result.table, stream, compression="zstd")
    return stream.getvalue()


def _arrow(result: SqlResult) -> bytes:
    stream = io.BytesIO()
    with pyarrow.ipc.new_file(stream, result.table.schema) as writer:
        writer.write_table(result.table)
    return stream.getvalue()


FORMATS: dict[str, Callable[[SqlResult], bytes]] = {
    ".txt": lambda result: result.text().encode(),
    ".json": lambda result: f"{result.json()}\n".encode(),
    ".csv": lambda result: result.csv().encode(),
    ".parquet": _parquet,
    ".arrow": _arrow,
}
"""What a file of rows is written as, by the end of its name."""
