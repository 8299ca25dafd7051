"""Freed memory is kept while it lasts, and nothing is left of it after."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys
import weakref

import pyarrow as pa
import pytest

from tests.outputs.samples import random_profile
from tfprof.runtime import malloc
from tfprof.views import VIEWS

GLIBC = platform.libc_ver()[0] == "glibc"
TOUCHES = """
import contextlib, resource, sys
import numpy as np
from tfprof.runtime.malloc import malloc_tuned

def touch():
    blocks = [np.ones(2_000_000, np.uint8) for _ in range(100)]
    del blocks

with malloc_tuned() if sys.argv[1] == "kept" else contextlib.nullcontext():
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
    with malloc.malloc_tuned(), malloc.malloc_tuned():
        pass
    with pytest.raises(ZeroDivisionError), malloc.malloc_tuned():
        _ = 1 / 0
    assert malloc._entered == 0


@pytest.mark.skipif(not GLIBC, reason="only the allocator of glibc is told")
def test_arrow_takes_its_memory_from_there_meanwhile():
    before = pa.default_memory_pool().backend_name
    with malloc.malloc_tuned():
        assert pa.default_memory_pool().backend_name == "system"
    assert pa.default_memory_pool().backend_name == before


@pytest.mark.parametrize("compat", [True, False])
def test_a_dropped_profile_is_gone_at_once(tmp_path, compat):
    """Nothing that a profile keeps of its answers holds it, so that no garbage has to wait."""
    profile = random_profile(7).replace()
    gone = weakref.ref(profile)
    gc.collect()
    gc.disable()
    try:
        for kind in VIEWS:
            report = profile.report(kind, compat=compat)
            report.write(f"file:outfile={tmp_path}/{kind}")
            report.proto()
        profile.serialize(compat=compat)
        del profile, report
        assert gone() is None
    finally:
        gc.enable()
