"""Ctrl-C at any moment: the process ends, without a traceback and without unfinished files.

`TFPROF_INTERRUPTS` says at how many moments; the documented figure is of 300.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from tests.robustness.test_faults import environment

MOMENTS = int(os.environ.get("TFPROF_INTERRUPTS", "60"))
NOISE = (b"Traceback", b"Error", b"Exception", b"unexpected")

# Without the warnings of other tests: a file that was open when the interrupt came is closed by the
# collector, which Python tells those who ask for it.
ENVIRONMENT = environment(PYTHONWARNINGS="")

# Python itself can be interrupted before it comes to us, and says so. The command tells when it has
# taken over: the first signal handler that is set is the first thing it does.
STARTED = """
import os, runpy, signal, sys
given = signal.signal
def told(*words):
    given(*words)
    signal.signal = given
    os.write(1, b"!")
signal.signal = told
sys.argv[0] = "tfprof"
runpy.run_module("tfprof", run_name="__main__", alter_sys=True)
"""


def interrupted(program, *argv, after=0.0, **more):
    """The status and the errors of a program that gets a SIGINT some time after its first byte."""
    with subprocess.Popen(
        [sys.executable, "-c", program, *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        **more,
    ) as started:
        assert started.stdout.read(1) == b"!"
        time.sleep(after)
        started.send_signal(signal.SIGINT)
        _, errors = started.communicate(timeout=60)
    return started.returncode, errors


def test_interrupt_at_any_moment(tmp_path):
    target = tmp_path / "out"
    words = ("--demo", "--quiet", "scope", f"-output=json:outfile={target}")
    begun = time.monotonic()
    subprocess.run([sys.executable, "-m", "tfprof", *words], check=True, env=environment())
    longest = time.monotonic() - begun
    complete = target.read_bytes()
    dice, seen = random.Random(1), Counter()
    for at in range(MOMENTS):
        target.write_bytes(b"old")
        moment = longest * (at + dice.random()) / MOMENTS
        status, errors = interrupted(STARTED, *words, after=moment)
        seen[status] += 1
        assert not [word for word in NOISE if word in errors], errors.decode()
        assert [path.name for path in tmp_path.iterdir()] == ["out"]
        assert target.read_bytes() in (b"old", complete)
    assert set(seen) <= {0, 130, -signal.SIGINT}
    assert seen[130] > MOMENTS // 10, "too few moments are inside"
    assert seen[-signal.SIGINT], "no moment is at the start"


def inside(work):
    """A program that does some work where the command does its own."""
    return f"""
import os, sys, time
from tfprof import __main__, cli
def main():
{work}
    time.sleep(20)
cli.main = main
__main__.run()
"""


def test_modules_that_hide_the_interrupt(tmp_path):
    """Such as NumPy, which takes it for a broken installation."""
    (tmp_path / "slow.py").write_text(
        "import os, time\n"
        "os.write(1, b'!')\n"
        "try:\n"
        "    time.sleep(0.5)\n"
        "except BaseException:\n"
        "    raise ImportError('broken') from None\n"
    )
    program = inside(f"    sys.path.insert(0, {str(tmp_path)!r})\n    import slow")
    assert interrupted(program, after=0.1) == (130, b"")


def test_finalizers_that_swallow_the_interrupt():
    program = inside(
        "    class Slow:\n"
        "        def __del__(self):\n"
        "            os.write(1, b'!')\n"
        "            time.sleep(0.5)\n"
        "    Slow()"
    )
    assert interrupted(program, after=0.1) == (130, b"")


def test_other_errors_of_finalizers_are_shown():
    program = inside(
        "    class Broken:\n"
        "        def __del__(self):\n"
        "            raise ValueError('mine')\n"
        "    Broken()\n"
        "    os.write(1, b'!')"
    )
    status, errors = interrupted(program, after=0.1)
    assert status == 130
    assert b"ValueError: mine" in errors


def test_interrupt_that_is_not_for_us():
    """As for what a shell starts in the background."""
    begin = STARTED.replace("runpy.run_module", "os.write(1, b'!'); runpy.run_module", 1)
    ignore = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)  # noqa: E731 - it is short
    for after in (0.0, 0.2):
        status, _ = interrupted(begin, "--demo", "--quiet", "op", after=after, preexec_fn=ignore)
        assert status == 0


@pytest.mark.parametrize("module", ["tfprof", "tfprof.__main__"])
def test_next_to_nothing_is_imported_before(module):
    program = (
        f"import sys; known = set(sys.modules); import {module}; print(*{{*sys.modules}} - known)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, env=environment()
    )
    found = set(done.stdout.decode().split())
    # What `signal` needs.
    assert found <= {"tfprof", "tfprof.__main__", "__future__", "signal", "enum", "types"} | {
        *(
            "functools",
            "collections",
            "collections.abc",
            "_collections_abc",
            "itertools",
            "keyword",
        ),
        *("operator", "reprlib", "_functools", "_collections", "_operator", "_signal"),
    }
