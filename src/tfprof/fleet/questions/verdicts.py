"""Rows that stand out: they have a verdict, and an answer always shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa


def with_verdicts(rows: pa.Table, verdicts: Sequence[str]) -> pa.Table:
    """The rows with a last column that says what stands out."""
    return rows.append_column("verdict", pa.array(verdicts, pa.string()))


def limited(rows: pa.Table, limit: int) -> pa.Table:
    """The first rows, and all that stand out."""
    marked = [bool(verdict) for verdict in rows.column("verdict").to_pylist()]
    return rows.filter(pa.array([is_marked or i < limit for i, is_marked in enumerate(marked)]))


def of_job(row: dict[str, Any], rows: pa.Table) -> str:
    """` in job J`, if the rows are of several jobs."""
    several = len(rows.column("job").unique()) > 1
    return f" in job '{row['job']}'" if several else ""
