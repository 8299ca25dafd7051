"""Memory that is freed and used again at once, instead of going back to the system in between.

Reading a file and building a view make large arrays that are dropped a moment later. The allocator
of Linux (glibc) would return each to the system, which then clears every page again for the next:
a third of the time of large profiles. While `memory_kept` lasts it keeps them, and Arrow takes its
memory from there as well; after it, as much as a small profile needs. Elsewhere nothing is done.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from functools import cache
from typing import Any

import pyarrow as pa

__all__ = ["malloc_tuned"]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # the parameters' numbers in malloc.h
_ALL, _SMALL = 1 << 30, 1 << 22
# Blocks from 32 MB on, and what is free beyond 256 MB at the end, are the system's again.
_USUAL = {_MMAP_THRESHOLD: 1 << 25, _TRIM_THRESHOLD: 1 << 28}

_lock = threading.Lock()
_entered = 0
_pool_before: pa.MemoryPool | None = None


@contextlib.contextmanager
def malloc_tuned(*, large: bool = True) -> Iterator[None]:
    """Keep freed memory for what is allocated next, as long as this lasts.

    Without `large`, blocks from 4 MB on still come and go: where few of them are alike, what is
    kept of one does not fit the next.
    """
    kept = {_MMAP_THRESHOLD: _ALL if large else _SMALL, _TRIM_THRESHOLD: _ALL}
    _enter(1, kept)
    try:
        yield
    finally:
        _enter(-1, kept)


def _enter(change: int, kept: dict[int, int]) -> None:
    global _entered, _pool_before
    mallopt = _mallopt()
    if mallopt is None:
        return
    with _lock:
        before, _entered = _entered, _entered + change
        if bool(before) == bool(_entered):
            return
        for parameter, value in (kept if _entered else _USUAL).items():
            mallopt(parameter, value)
        if _entered:
            _pool_before = pa.default_memory_pool()
        pa.set_memory_pool(pa.system_memory_pool() if _entered else _pool_before)


@cache
def _mallopt() -> Any:
    """The function that sets parameters of the allocator, if there is one."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    library = ctypes.CDLL(None)
    return library.mallopt if hasattr(library, "gnu_get_libc_version") else None
