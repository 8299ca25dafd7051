"""Run a query on tables in DuckDB: read only, with limits, and without files or network."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from tfprof.definitions.limits import MAX_OUTPUT_BYTES
from tfprof.definitions.lookup import did_you_mean
from tfprof.errors import OptionError
from tfprof.sql.duckdb_connection import connect_duckdb, lock_duckdb
from tfprof.sql.sql_result import SqlResult

_BATCH_ROWS = 10_000
_WORD = re.compile(r"\w+")
_CATALOG = re.compile(r"\s*(show|from\s+(duckdb_|information_schema))", re.IGNORECASE)
_UNKNOWN = re.compile(r"Table with name (\S+) does not exist")


def run_query(makers: Mapping[str, Callable[[], pa.Table]], query: str) -> SqlResult:
    """The rows that a SELECT returns; an OptionError says what is wrong with a query.

    Only the tables that the query names are made. `show tables` lists all.
    """
    if not isinstance(query, str) or not query.strip():
        raise OptionError("the query is empty; give one such as: select * from steps")
    with tempfile.TemporaryDirectory(prefix="tfprof_sql_") as folder:
        connection = connect_duckdb(needed_by="sql", temp_directory=folder)
        import duckdb

        try:
            connection.execute("SET python_enable_replacements = false")
            _check(connection, query)
            words = {word.lower() for word in _WORD.findall(query)}
            lists_all = _CATALOG.match(query) is not None
            for name, make in makers.items():
                if lists_all or name in words:
                    connection.register(name, make())
            lock_duckdb(connection)
            return SqlResult(_with_integers(_read_rows(connection.sql(query))))
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise OptionError(_describe(str(error), makers)) from None
        finally:
            connection.close()


def _read_rows(relation: Any) -> pa.Table:
    """The rows of a query, as long as they do not take too much memory."""
    if not hasattr(relation, "to_arrow_reader"):  # older versions of DuckDB
        reader = relation.fetch_arrow_reader(_BATCH_ROWS)
    else:
        reader = relation.to_arrow_reader(_BATCH_ROWS)
    batches, size = [], 0
    for batch in reader:
        size += batch.nbytes
        if size > MAX_OUTPUT_BYTES:
            raise OptionError(
                f"the rows of the query take more than {MAX_OUTPUT_BYTES >> 20} MB; "
                "select fewer columns, group them, or add a limit"
            )
        batches.append(batch)
    return pa.Table.from_batches(batches, reader.schema)


def _with_integers(table: pa.Table) -> pa.Table:
    """Sums of integers have 128 bits in DuckDB; they become 64 where all values fit."""
    for i, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type) and field.type.scale == 0:
            with contextlib.suppress(pa.ArrowInvalid):
                table = table.set_column(i, field.name, table.column(i).cast(pa.int64()))
    return table


def _check(connection: object, query: str) -> None:
    """Refuse everything but one SELECT, which `show`, `describe` and `from` are too."""
    kinds = [item.type.name for item in connection.extract_statements(query)]  # type: ignore[attr-defined]
    if kinds == ["SELECT"]:
        return
    if len(kinds) > 1:
        raise OptionError(f"the query has {len(kinds)} statements; give one at a time")
    what = kinds[0] if kinds else "nothing"
    raise OptionError(f"{what} is refused: a profile is read only; give a SELECT")


def _describe(text: str, makers: Mapping[str, object]) -> str:
    """One line on what DuckDB says, with the tables there are if one is unknown."""
    if text.startswith("Permission Error"):
        return "the query reads a file or the network, which is refused; only tables can be read"
    message = text.strip().splitlines()[0] if text.strip() else "unknown"
    unknown = _UNKNOWN.search(message)
    if unknown:
        hint = did_you_mean(unknown[1], makers) or f"; tables are {', '.join(makers)}"
        return f"there is no table '{unknown[1]}'{hint}"
    return f"the query is wrong: {message}"
