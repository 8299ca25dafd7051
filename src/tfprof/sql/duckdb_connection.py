"""A DuckDB connection with limits for memory and disk, that reads only what it is allowed to.

DuckDB by itself takes 80 % of the memory and 90 % of the free disk, and its SQL reads any file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tfprof.errors import OptionError

MEMORY_LIMIT = 1_000_000_000
"""Bytes of memory that a query may take before it spills to disk."""
SPILL_LIMIT = 10_000_000_000
"""Bytes of disk that a query may spill to."""


def connect_duckdb(
    *,
    needed_by: str,
    temp_directory: str | os.PathLike[str],
    readable: Iterable[str | os.PathLike[str]] = (),
    memory_limit: int = MEMORY_LIMIT,
    spill_limit: int = SPILL_LIMIT,
) -> Any:
    """A database in memory; queries read no file but those below the `readable` folders.

    `needed_by` is the extra of this package that has DuckDB, such as `fleet`. Spilled data goes to
    the temporary directory, which the caller removes. `lock_duckdb` makes the limits final.
    """
    if find_spec("duckdb") is None:
        raise OptionError(f"DuckDB is not installed; pip install 'tfprof[{needed_by}]'")
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": f"{memory_limit}B",
            "temp_directory": os.fspath(temp_directory),
            "max_temp_directory_size": f"{spill_limit}B",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        },
    )
    folders = [os.fspath(Path(folder).absolute()) + os.sep for folder in readable]
    connection.execute(f"SET allowed_directories = {_sql_list(folders)}")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET enable_progress_bar = false")  # it would go to standard output
    return connection


def lock_duckdb(connection: Any) -> None:
    """Refuse any later change of the settings, as SQL of a user could ask for."""
    connection.execute("SET lock_configuration = true")


def _sql_list(texts: list[str]) -> str:
    quoted = ("'" + text.replace("'", "''") + "'" for text in texts)
    return f"[{', '.join(quoted)}]"
