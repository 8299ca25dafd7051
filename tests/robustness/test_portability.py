"""Without the calls, signals and modules that Windows lacks everything works.

A process takes them away before it imports tfprof, and then loads, reports, writes and prints.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.robustness.test_faults import environment

WITHOUT_POSIX = """
import importlib, os, runpy, signal, sys

# The standard library and other packages have other code for Windows.
import asyncio, multiprocessing, pathlib, shutil, socket, subprocess, tempfile, threading
import google.protobuf.message, numpy, platform, pyarrow.compute, pyarrow.parquet, ptars
platform.uname()

for module, names in {
    "os": (
        "chown fchdir fchmod fchown fork forkpty getegid geteuid getgid getgroups getpgid"
        " getpriority getsid getuid killpg lchown mkfifo mknod nice openpty pipe2 posix_fadvise"
        " posix_fallocate pread preadv pwrite register_at_fork sched_getaffinity sched_yield"
        " sendfile setpgid setpriority setsid statvfs sync sysconf tcgetpgrp ttyname uname wait"
        " wait3 wait4 waitid O_CLOEXEC O_DIRECTORY O_DSYNC O_NOATIME O_NOCTTY O_NOFOLLOW O_NONBLOCK"
        " O_SYNC O_TMPFILE"
    ),
    "signal": (
        "SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGIO SIGKILL SIGPIPE SIGPROF SIGQUIT SIGSTOP"
        " SIGTSTP SIGTTIN SIGTTOU SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH ITIMER_REAL alarm getitimer"
        " pause pthread_kill pthread_sigmask setitimer siginterrupt sigpending sigtimedwait sigwait"
        " sigwaitinfo"
    ),
    "mmap": "MADV_DONTNEED MADV_SEQUENTIAL MADV_WILLNEED MAP_PRIVATE MAP_SHARED PROT_READ",
    "time": "tzset pthread_getcpuclockid",
    "select": "poll epoll",
}.items():
    for name in names.split():
        imported = importlib.import_module(module)
        if hasattr(imported, name):
            delattr(imported, name)
for name in "curses fcntl grp posix pty pwd readline resource spwd syslog termios tty".split():
    sys.modules[name] = None
assert not hasattr(os, "fork") and not hasattr(signal, "SIGHUP")
"""
WORK = """
from pathlib import Path
import tfprof
from tfprof import cli, demo, outputs
from tfprof.runtime.out_of_memory import describe_memory_error

folder = Path(sys.argv[1])
profile = tfprof.load(**demo.paths())
for name in outputs.OUTPUTS:
    view = {"dot": "graph", "timeline": "graph", "stdout": "op"}.get(name, "code")
    if name not in ("stdout", "none"):
        report = profile.report(view, step=0 if name == "timeline" else -1, select=["micros"])
        report.write(f"{name}:outfile={folder}/{name}")
        report.write(f"{name}:outfile={folder}/{name}")
profile.save_tables(folder / "tables")
assert tfprof.Profile.from_tables(folder / "tables").report("op").text()
(folder / "profile").write_bytes(profile.serialize())
trace = tfprof.load(**demo.paths("keras"))
assert trace.report("code").text() and trace.summary().text() and trace.advise().text()
assert tfprof.cost(demo.paths()["graph"]).text() and tfprof.model(demo.paths()["graph"]).text()
session = tfprof.Profiler(demo.paths()["graph"])
session.add_step(0, demo.paths()["run_meta"][0])
session.profile_name_scope({"select": ["micros"], "output": "none"})
assert "out of memory" in describe_memory_error(MemoryError())
for argv in (["--version"], ["--demo", "op"], ["--demo", "tables", "--out", f"{folder}/saved"],
             [f"{folder}/saved", "scope"], ["--demo", "advise"], ["help"]):
    assert cli.main(["--quiet", *argv]) == 0, argv
print("done")
"""
COMMAND = """
sys.argv = ["tfprof", "--quiet", "--demo", "op", "-select", "params"]
runpy.run_module("tfprof", run_name="__main__")
"""


@pytest.mark.parametrize(("program", "expected"), [(WORK, "done"), (COMMAND, "params")])
def test_without_the_calls_that_windows_lacks(program, expected, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_POSIX + program, str(tmp_path)],
        capture_output=True,
        timeout=300,
        check=False,
        env=environment(),
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert expected in done.stdout
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".tfprof")]
