"""Standard error without what libraries write to it, also from compiled code."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from typing import TextIO

_STDERR = 2


@contextlib.contextmanager
def silent_stderr() -> Iterator[TextIO]:
    """Discard what the process writes to standard error, and yield the stream that it had."""
    try:
        kept = os.dup(_STDERR)
    except OSError:
        # It is closed: what is written is lost already.
        yield io.StringIO()
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    stream = os.fdopen(kept, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    try:
        os.dup2(nowhere, _STDERR)
        yield stream
    finally:
        with contextlib.suppress(OSError):
            stream.flush()
        os.dup2(kept, _STDERR)
        os.close(kept)
        os.close(nowhere)
