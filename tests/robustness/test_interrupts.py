"""Ctrl-C at any moment: the process ends, without a traceback and without unfinished files.

`TFPROF_INTERRUPTS` says at how many moments; the documented figure is of 300.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest

from tests.robustness.test_faults import environment

MOMENTS = int(os.environ.get("TFPROF_INTERRUPTS", "60"))
NOISE = (b"Traceback", b"Error", b"Exception", b"unexpected")

# Without warnings: Python would warn of a file that was open at the interrupt and that the garbage
# collector closes.
ENVIRONMENT = environment(PYTHONWARNINGS="")

# An interrupt before the command's first line is Python's own, which prints a traceback. The first
# thing that the command does is to set a signal handler: from then on the promise holds.
STARTED = """
import os, runpy, signal, sys
set_handler = signal.signal
def report_start(*arguments):
    set_handler(*arguments)
    signal.signal = set_handler
    os.write(1, b"!")
signal.signal = report_start
sys.argv[0] = "tfprof"
runpy.run_module("tfprof", run_name="__main__", alter_sys=True)
"""


def restore_signals():
    """What a parent ignores (nohup, a job in the background) is ignored by its children too."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def interrupt(program, *argv, after=0.0, number=signal.SIGINT, **more):
    """The status and stderr of a program that gets a signal some time after its first byte."""
    with subprocess.Popen(
        [sys.executable, "-c", program, *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        **{"preexec_fn": restore_signals, **more},
    ) as started:
        # A child that hangs fails the test; it does not stall it.
        timer = threading.Timer(60, started.kill)
        timer.start()
        try:
            assert started.stdout.read(1) == b"!"
            time.sleep(after)
            started.send_signal(number)
            _, errors = started.communicate()
        finally:
            timer.cancel()
            started.kill()
    return started.returncode, errors


def test_interrupt_at_any_moment(tmp_path):
    target = tmp_path / "out"
    arguments = ("--demo", "--quiet", "scope", f"-output=json:outfile={target}")
    start = time.monotonic()
    subprocess.run([sys.executable, "-m", "tfprof", *arguments], check=True, env=environment())
    longest = time.monotonic() - start
    complete = target.read_bytes()
    dice, statuses = random.Random(1), Counter()
    for i in range(MOMENTS):
        target.write_bytes(b"old")
        moment = longest * (i + dice.random()) / MOMENTS
        status, errors = interrupt(STARTED, *arguments, after=moment)
        statuses[status] += 1
        # Other processes make it slower or faster meanwhile: moments stay spread over all of it.
        longest *= {0: 0.9, -signal.SIGINT: 1.05}.get(status, 1.0)
        assert not [word for word in NOISE if word in errors], errors.decode()
        assert [path.name for path in tmp_path.iterdir()] == ["out"]
        assert target.read_bytes() in (b"old", complete)
    assert set(statuses) <= {0, 130, -signal.SIGINT}
    assert statuses[130] > MOMENTS // 10, "too few moments are inside of main()"
    assert statuses[-signal.SIGINT], "no moment is during the start"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_termination_leaves_no_file(number, tmp_path):
    program = program_in_main(
        "    from tfprof.outputs.files import replace_file\n"
        f"    with replace_file({str(tmp_path / 'out')!r}) as stream:\n"
        "        stream.write(b'half')\n"
        "        os.write(1, b'!')\n"
        "        time.sleep(20)"
    )
    assert interrupt(program, after=0.1, number=number) == (-number, b"")
    assert not list(tmp_path.iterdir())


def test_a_hangup_that_nohup_ignores_stays_ignored():
    program = program_in_main("    os.write(1, b'!'); time.sleep(0.5); sys.exit(7)")
    ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)  # noqa: E731 - it is short
    status, _ = interrupt(program, after=0.1, number=signal.SIGHUP, preexec_fn=ignore)
    assert status == 7


def program_in_main(work):
    """A program that does some work inside of the command's main()."""
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
    """Such as NumPy, which reports a broken installation."""
    (tmp_path / "slow.py").write_text(
        "import os, time\n"
        "os.write(1, b'!')\n"
        "try:\n"
        "    time.sleep(0.5)\n"
        "except BaseException:\n"
        "    raise ImportError('broken') from None\n"
    )
    program = program_in_main(f"    sys.path.insert(0, {str(tmp_path)!r})\n    import slow")
    assert interrupt(program, after=0.1) == (130, b"")


def test_finalizers_that_swallow_the_interrupt():
    program = program_in_main(
        "    class Slow:\n"
        "        def __del__(self):\n"
        "            os.write(1, b'!')\n"
        "            time.sleep(0.5)\n"
        "    Slow()"
    )
    assert interrupt(program, after=0.1) == (130, b"")


def test_other_errors_of_finalizers_are_shown():
    program = program_in_main(
        "    class Broken:\n"
        "        def __del__(self):\n"
        "            raise ValueError('mine')\n"
        "    Broken()\n"
        "    os.write(1, b'!')"
    )
    status, errors = interrupt(program, after=0.1)
    assert status == 130
    assert b"ValueError: mine" in errors


def test_an_ignored_interrupt_stays_ignored():
    """A shell ignores it for background jobs."""
    begin = STARTED.replace("runpy.run_module", "os.write(1, b'!'); runpy.run_module", 1)
    ignore = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)  # noqa: E731 - it is short
    for after in (0.0, 0.2):
        status, _ = interrupt(begin, "--demo", "--quiet", "op", after=after, preexec_fn=ignore)
        assert status == 0


@pytest.mark.parametrize("module", ["tfprof", "tfprof.__main__"])
def test_few_modules_are_imported_before_the_handler(module):
    program = (
        f"import sys; known = set(sys.modules); import {module}; print(*{{*sys.modules}} - known)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, env=environment()
    )
    modules = set(done.stdout.decode().split())
    # `signal` needs the others.
    assert modules <= {"tfprof", "tfprof.__main__", "__future__", "signal", "enum", "types"} | {
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
