"""Freed memory is kept while it lasts, and nothing is left of it after."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from tfprof import memory

GLIBC = platform.libc_ver()[0] == "glibc"
TOUCHES = """
import contextlib, resource, sys
import numpy as np
from tfprof.memory import memory_kept

def touch():
    blocks = [np.ones(2_000_000, np.uint8) for _ in range(100)]
    del blocks

with memory_kept() if sys.argv[1] == "kept" else contextlib.nullcontext():
    touch()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(3):
        touch()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def _pages(how: str) -> int:
    """How many pages of memory the system has to give to work that needs the same ones again."""
    command = [sys.executable, "-c", TOUCHES, how]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(not GLIBC, reason="only the allocator of glibc is told")
def test_memory_is_used_again():
    assert 10 * _pages("kept") < _pages("plain")


def test_nested_and_failing_uses_leave_nothing_behind():
    with memory.memory_kept(), memory.memory_kept():
        pass
    with pytest.raises(ZeroDivisionError), memory.memory_kept():
        _ = 1 / 0
    assert memory._entered == 0
