"""Start Arrow for the command, before it reads anything.

Arrow imports pandas with its first array where pandas is installed, and no answer needs it. The
import would more than double the time of a short answer: `tfprof --demo op` takes 2.0 s of CPU time
with it and 0.9 s without.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from types import ModuleType


class _PandasBlocker:
    """An import hook for which there is no pandas."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the interface of import hooks
        target: ModuleType | None = None,  # noqa: ARG002 - the interface of import hooks
    ) -> ModuleSpec | None:
        """Raise for pandas, find nothing else."""
        if fullname == "pandas":
            raise ImportError("pandas is blocked while Arrow starts", name=fullname)
        return None


@cache
def start_arrow() -> None:
    """Start Arrow without pandas. A later import of pandas works."""
    import pyarrow

    blocker = _PandasBlocker()
    sys.meta_path.insert(0, blocker)
    try:
        pyarrow.array([None])
    finally:
        sys.meta_path.remove(blocker)
