"""New tables from old ones that Arrow accepts: other rows, other values, or other columns.

Changed bytes of a table do not match its checksums; this goes on to what reads the table.
"""

from __future__ import annotations

import io
import random
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from fuzz.mutate import mutate_bytes
from fuzz.odd import NUMBERS, TEXTS

__all__ = ["mutate_table"]

_OTHER_BYTES = 0.3
_NUMBERS = tuple(number - 2**64 if number >= 2**63 else number for number in NUMBERS)


def mutate_table(data: bytes, dice: random.Random) -> bytes:
    """A Parquet file with some rows, values or columns changed."""
    if dice.random() < _OTHER_BYTES:
        return mutate_bytes(data, dice)
    table = _read(data)
    if table is None:
        return mutate_bytes(data, dice)
    for _ in range(dice.choice((1, 1, 2, 3))):
        table = _edit(table, dice)
    stream = io.BytesIO()
    pyarrow.parquet.write_table(table, stream, compression="zstd", write_page_checksum=True)
    return stream.getvalue()


@lru_cache(200)
def _read(data: bytes) -> pa.Table | None:
    try:
        return pyarrow.parquet.read_table(io.BytesIO(data))
    except (pa.ArrowException, OSError):  # two files that were put together
        return None


def _edit(table: pa.Table, dice: random.Random) -> pa.Table:
    roll = dice.randrange(8)
    if roll == 0 and table.num_rows:
        row = dice.randrange(table.num_rows)
        return pa.concat_tables([table.slice(0, row), table.slice(row + 1)])
    if roll == 1 and table.num_rows:
        row = table.slice(dice.randrange(table.num_rows), 1)
        return pa.concat_tables([table, *[row] * dice.choice((1, 2, 50))])
    if not table.num_columns:
        return table
    column = dice.randrange(table.num_columns)
    if roll == 2:
        return table.remove_column(column)
    if roll == 3:
        other = dice.randrange(table.num_columns)
        return table.append_column(table.column_names[other], table.column(column))
    return _edit_values(table, column, dice)


def _edit_values(table: pa.Table, column: int, dice: random.Random) -> pa.Table:
    """Change a value or all values of a column, which keeps its type if they still have it."""
    values = table.column(column).to_pylist()
    if not values:
        return table
    row = dice.randrange(len(values))
    changed = _change(values[row], dice)
    if dice.random() < 0.2:
        values = [changed] * len(values)
    else:
        values[row] = changed
    arrays = [_array(values, kind) for kind in (table.schema.field(column).type, None)]
    fitting = [array for array in arrays if array is not None]
    return table.set_column(column, table.column_names[column], fitting[0]) if fitting else table


def _array(values: list[Any], kind: pa.DataType | None) -> pa.Array | None:
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return None


def _change(value: Any, dice: random.Random) -> Any:
    """Another value of the same type, or none."""
    if dice.random() < 0.1:
        return None
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return dice.choice(_NUMBERS) if dice.random() < 0.6 else value + dice.randint(-2, 2)
    if isinstance(value, float):
        return dice.choice((0.0, -1.0, 1e300, float("nan"), float("inf")))
    if isinstance(value, str):
        return dice.choice(TEXTS)
    if isinstance(value, bytes):
        return mutate_bytes(value, dice)
    if isinstance(value, list):
        return _change_list(value, dice)
    if isinstance(value, dict) and value:
        key = dice.choice(list(value))
        return value | {key: _change(value[key], dice)}
    return dice.choice(_NUMBERS)


def _change_list(values: list[Any], dice: random.Random) -> list[Any]:
    i = dice.randrange(len(values) + 1)
    if i == len(values):
        return values + values[:1]
    if dice.random() < 0.3:
        return values[:i] + values[i + 1 :]
    return [*values[:i], _change(values[i], dice), *values[i + 1 :]]
