"""pandas, which tfprof does not need unless someone asks for a data frame."""

from __future__ import annotations

from typing import Any

from tfprof.errors import OutputError


def import_pandas() -> Any:
    """The module, or an error that says how to get it."""
    try:
        import pandas
    except ImportError:
        raise OutputError("pandas is not installed; pip install pandas") from None
    return pandas
