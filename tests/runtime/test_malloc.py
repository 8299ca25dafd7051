"""Freed memory is used again where a process asks for it, and the library does not ask."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from tests.robustness.test_faults import environment

pytestmark = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only glibc has these settings"
)

PAGE_FAULTS = """
import resource, sys
import numpy as np
from tfprof.runtime.malloc import tune_malloc

def touch():
    blocks = [np.ones(2_000_000, np.uint8) for _ in range(100)]
    del blocks

if sys.argv[1] == "tuned":
    tune_malloc()
touch()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(3):
    touch()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
POOL = "import pyarrow; print(pyarrow.default_memory_pool().backend_name)"
LIBRARY = "import tfprof; tfprof.load(graph=b'').report('op').text(); " + POOL
CALL = "from tfprof.cli import main; main(['--demo', '--quiet', 'op', '-output=none']); " + POOL
COMMAND = (
    """
import sys, tfprof.__main__
sys.argv = ["tfprof", "--demo", "--quiet", "op", "-output=none"]
try:
    tfprof.__main__.run()
except SystemExit:
    pass
"""
    + POOL
)


def _output(script: str, *arguments: str) -> str:
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
    return done.stdout.strip()


def test_memory_is_used_again() -> None:
    assert 10 * int(_output(PAGE_FAULTS, "tuned")) < int(_output(PAGE_FAULTS, "plain"))


@pytest.mark.parametrize("script", [LIBRARY, CALL])
def test_the_library_leaves_the_process_alone(script: str) -> None:
    assert _output(script) == _output(POOL)


def test_the_command_tunes_its_own_process() -> None:
    assert _output(COMMAND) == "system"
