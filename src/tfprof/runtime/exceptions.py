"""Which exceptions are errors, and not a request to end: of an interrupt, a signal or an exit."""

from __future__ import annotations


def is_error(raised: BaseException) -> bool:
    """Whether something failed. Compiled readers can panic, which is no Exception."""
    return isinstance(raised, Exception) or type(raised).__name__ == "PanicException"
