"""Memory that the system hands over in large pages, and that is used again once it is freed.

Reading a file and building a view make large arrays that are dropped a moment later. The allocator
of Linux (glibc) would return each to the system, which then clears every page again for the next:
a third of the time of large profiles. While `memory_kept` lasts it keeps them, asks for pages of
2 MB instead of 4 kB, and Arrow takes its memory from there as well. Elsewhere nothing is done.
"""

from __future__ import annotations

import contextlib
import mmap
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa

__all__ = ["memory_kept"]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # the parameters' numbers in malloc.h
_KEEP = 1 << 30
# What the allocator itself arrives at after it has seen a few large blocks.
_USUAL = {_MMAP_THRESHOLD: 1 << 25, _TRIM_THRESHOLD: 1 << 26}
_AHEAD = 1 << 28  # bytes that are reserved in large pages; those that are not used cost nothing

_lock = threading.Lock()
_entered = 0
_pool_before: pa.MemoryPool | None = None


@contextlib.contextmanager
def memory_kept() -> Iterator[None]:
    """Keep freed memory for what is allocated next, as long as this lasts."""
    _enter(1)
    try:
        yield
    finally:
        _enter(-1)


def _enter(change: int) -> None:
    global _entered
    allocator = _allocator()
    if allocator is None:
        return
    with _lock:
        before, _entered = _entered, _entered + change
        if not before:
            _begin(allocator)
        elif not _entered:
            _end(allocator)


def _begin(allocator: _Allocator) -> None:
    global _pool_before
    for parameter in _USUAL:
        allocator.mallopt(parameter, _KEEP)
    allocator.reserve_large_pages(_AHEAD)
    _pool_before = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())


def _end(allocator: _Allocator) -> None:
    pa.set_memory_pool(_pool_before)
    for parameter, usual in _USUAL.items():
        allocator.mallopt(parameter, usual)


@dataclass(frozen=True, slots=True)
class _Allocator:
    """The functions of the C library that allocate."""

    mallopt: Any
    malloc: Any
    free: Any
    madvise: Any

    def reserve_large_pages(self, size: int) -> None:
        """Have what is allocated next come from large pages, if the system has them.

        A block is taken, advised and given back untouched, for others to be cut from.
        """
        block = self.malloc(size)
        if block:
            inside = -block % mmap.PAGESIZE
            self.madvise(block + inside, size - inside, mmap.MADV_HUGEPAGE)
            self.free(block)


@cache
def _allocator() -> _Allocator | None:
    """The allocator, where it is one that is known."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        return None
    address, size = ctypes.c_void_p, ctypes.c_size_t
    library.malloc.restype, library.malloc.argtypes = address, [size]
    library.free.restype, library.free.argtypes = None, [address]
    library.madvise.argtypes = [address, size, ctypes.c_int]
    return _Allocator(library.mallopt, library.malloc, library.free, library.madvise)
