"""Starting the engine of a process that is ours without what no answer needs.

Arrow looks for pandas when it makes its first array. Where pandas is installed, importing it takes
as long as everything else that a short answer does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["start_arrow"]


class _NoPandas:
    """A finder of modules that says that there is no pandas."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the caller's word
        target: ModuleType | None = None,  # noqa: ARG002 - the caller's word
    ) -> ModuleSpec | None:
        """Nothing, or an error for the one module."""
        if fullname == "pandas":
            raise ImportError("not now", name=fullname)
        return None


@cache
def start_arrow() -> None:
    """Let Arrow decide that it can do without pandas; who imports pandas later still gets it."""
    import pyarrow

    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        pyarrow.array([None])
    finally:
        sys.meta_path.remove(finder)
