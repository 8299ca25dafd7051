"""The rows of a query: text, JSON, CSV, Parquet, Arrow or pandas."""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from tfprof.definitions.limits import MAX_OUTPUT_BYTES
from tfprof.errors import OptionError, OutputError
from tfprof.runtime.printable import one_line

_BATCH_ROWS = 10_000
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
        widths = [len(name) for name in self.columns]
        for rows in self._cells():
            longest = (max(map(len, column)) for column in zip(*rows, strict=True))
            widths = list(map(max, widths, longest))
        _check_size(len(self) * (sum(widths) + 2 * len(widths)), "text")
        parts = []
        for rows in itertools.chain([[self.columns]], self._cells()):
            lines = []
            for row in rows:
                padded = [
                    cell.rjust(width) if right else cell.ljust(width)
                    for cell, width, right in zip(row, widths, is_number, strict=True)
                ]
                lines.append("  ".join(padded).rstrip())
            parts.append("\n".join(lines) + "\n")
        return "".join(parts)

    def _cells(self) -> Iterator[list[list[str]]]:
        """The cells of some rows at a time, as text."""
        for batch in self.table.to_batches(_BATCH_ROWS):
            columns = ([_cell(value) for value in column.to_pylist()] for column in batch.columns)
            rows = [list(row) for row in zip(*columns, strict=True)]
            if rows:
                yield rows

    def json(self) -> str:
        """The rows as a list of objects."""
        parts, size = [], 0
        for batch in self.table.to_batches(_BATCH_ROWS):
            part = json.dumps(batch.to_pylist(), indent=2, default=str)[1:-2]
            size += len(part)
            _check_size(size, "JSON")
            parts += [part] if len(batch) else []
        return f"[{','.join(parts)}\n]" if parts else "[]"

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


def _check_size(size: int, what: str) -> None:
    if size > MAX_OUTPUT_BYTES:
        raise OutputError(
            f"the rows take more than {MAX_OUTPUT_BYTES >> 20} MB as {what}; add a limit to the "
            "query, or write them to a .parquet file"
        )


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
