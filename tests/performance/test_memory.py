"""Freed memory is kept while it lasts, and the allocator is as before after it."""

from __future__ import annotations

import platform
import resource
import subprocess
import sys

import pytest

from tfprof import memory

GLIBC = platform.libc_ver()[0] == "glibc"
TOUCHES = """
import resource, sys
import numpy as np
from tfprof.memory import memory_kept

def faults(times):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(times):
        blocks = [np.ones(2_000_000, np.uint8) for _ in range(100)]
        del blocks
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

with memory_kept():
    faults(1)
    kept = faults(3)
faults(1)
print(kept, faults(3))
"""


@pytest.mark.skipif(not GLIBC, reason="only the allocator of glibc is told")
def test_memory_is_used_again_only_inside():
    done = subprocess.run(
        [sys.executable, "-c", TOUCHES], capture_output=True, text=True, check=True
    )
    kept, given_back = map(int, done.stdout.split())
    pages = 200_000_000 // resource.getpagesize()
    assert kept < pages < given_back


def test_nested_and_failing_uses_leave_nothing_behind():
    with memory.memory_kept(), memory.memory_kept():
        pass
    with pytest.raises(ZeroDivisionError), memory.memory_kept():
        _ = 1 / 0
    assert memory._entered == 0
