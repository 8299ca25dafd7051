"""Work without the garbage collector, for calls that make many objects and no cycles.

Every so many new objects it walks all old ones, and a program that trains a model has millions.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the collector, unless it is paused already."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
