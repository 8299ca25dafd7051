"""The bytes that names may have which are made of those of a trace."""

from __future__ import annotations

from pathlib import Path

from tfprof.definitions.limits import max_derived_bytes
from tfprof.errors import LoadError


class NameBudget:
    """How many bytes of names may still be made of those of a file.

    A file has a long name once and refers to it often. What is made of a name and a reference, such
    as an op below the scope of its function, has all of it each time.
    """

    def __init__(self, file: Path, size: int) -> None:
        self._file = file
        self._limit = self._left = max_derived_bytes(size)

    def spend(self, size: int) -> None:
        """Take the bytes of names that are about to be made; a LoadError if too few are left."""
        self._left -= size
        if self._left < 0:
            raise LoadError(
                f"{self._file}: long names are parts of so many others that these would take more "
                f"than {self._limit / 1e6:,.0f} MB; trace with shorter names of functions, ops and "
                "modules"
            )
