"""What is around the command: streams, names of files, forks, little memory, other packages."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from importlib.metadata import EntryPoint

import pytest

import tfprof
from tests.robustness import hostile_graphs
from tests.robustness.budget import run_measured
from tests.robustness.models import CPU, command, graph_of, run_of
from tests.robustness.test_faults import environment
from tfprof import advisor
from tfprof.flops import rules
from tfprof.runtime.out_of_memory import describe_memory_error


def shell(text, **more):
    """A line of bash with `tfprof` in it."""
    line = f'tfprof() {{ "{sys.executable}" -m tfprof "$@"; }}; {text}'
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        timeout=60,
        check=False,
        **{"env": environment(), **more},
    )


def test_output_to_streams_that_are_open(tmp_path):
    """A pipe, a file that has been written to, and a process substitution."""
    arguments = "--demo --quiet op -select params -output csv:outfile="
    piped = shell(f"tfprof {arguments}/dev/stdout | cat")
    assert piped.stdout.startswith(b"view,") or b"," in piped.stdout.splitlines()[0]
    redirected = tmp_path / "out.csv"
    done = shell(f"(echo first; tfprof {arguments}/dev/stdout) > {redirected}")
    assert done.returncode == 0, done.stderr
    assert redirected.read_bytes() == b"first\n" + piped.stdout
    substituted = shell(f"tfprof {arguments}>(cat); sleep 0.5")
    assert substituted.stdout == piped.stdout


@pytest.mark.parametrize("character", ["x", "é", "漢"])
def test_names_of_files_as_long_as_they_can_be(character, tmp_path):
    name = character * (255 // len(character.encode()))
    path = tmp_path / name
    assert command("--demo", "op", "-output", f"csv:outfile={path}").status == 0
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


@pytest.fixture
def profile():
    graph = graph_of(("a", "A"), ("b", "B", "a"))
    return tfprof.load(graph=graph, run_meta=run_of(CPU, ("a", 1, 1)))


def test_checkers_that_exit(monkeypatch, profile):
    def check(*_arguments):
        raise SystemExit(3)

    monkeypatch.setitem(sys.modules, "exiting", type(sys)("exiting"))
    sys.modules["exiting"].check = check
    point = EntryPoint("Exits", "exiting:check", advisor.ENTRY_POINTS)
    monkeypatch.setattr(advisor, "entry_points", lambda **_: [point])
    assert "SystemExit: 3" in str(profile.advise())


def test_rules_that_exit(monkeypatch):
    class Exits:
        name = value = "exits"

        def load(self):
            raise SystemExit(3)

    rules.entry_point_rules.cache_clear()
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [Exits()])
    with pytest.warns(RuntimeWarning, match="exits cannot be loaded: 3"):
        assert rules.entry_point_rules() == {}
    rules.entry_point_rules.cache_clear()


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (MemoryError(), "out of memory (the process had "),
        (MemoryError("malloc of size 2147483648 failed"), "out of memory (2,147 MB more were"),
        (MemoryError("Unable to allocate 7.45 GiB for an array"), "(7.45 GiB more were needed, "),
    ],
)
def test_text_of_memory_errors(error, text):
    assert text in describe_memory_error(error)
    assert "lower max_depth" in describe_memory_error(error)


LITTLE_MEMORY = """
import re, resource, sys
from pathlib import Path
from tfprof import cli
cli.main(["--demo", "--quiet", "graph"])  # what is imported when it is needed
used = 1024 * int(re.search(r"VmSize:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]), -1))
sys.exit(cli.main(sys.argv[2:]))
"""


def test_out_of_memory_is_one_line(tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes(hostile_graphs.node_chain(100_000).SerializeToString())
    argv = (str(path), "graph", "-max_depth", "100", "-account_type_regexes", ".*")
    done = subprocess.run(
        [sys.executable, "-c", LITTLE_MEMORY, str(20_000_000), *argv],
        capture_output=True,
        timeout=60,
        check=False,
        env=environment(),
    )
    assert done.returncode == 1
    assert done.stderr.startswith(b"tfprof: out of memory ("), done.stderr[-500:]
    assert done.stderr.count(b"\n") == 1


def test_children_of_a_fork_report_while_threads_do():
    """A child is forked while other threads compute; it must not wait for their locks."""
    graph = hostile_graphs.node_chain(300)
    shared = tfprof.Profiler(graph)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            tfprof.load(graph=graph).report("graph", account_type_regexes=[".*"]).text()
            shared.report("scope").text()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        statuses = [_fork_and_report(graph, shared) for _ in range(15)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert statuses == [0] * 15


def _fork_and_report(graph, shared):
    """The status of a child that makes reports; it is killed if it hangs."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            tfprof.load(graph=graph).report("graph", account_type_regexes=[".*"]).text()
            shared.report("scope").text()
            status = 0
        finally:
            os._exit(status)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"


def test_many_regexes_in_a_line():
    """400,000 regexes: refused or answered, in time and memory linear in their text."""
    line = f"op -show_name_regexes {','.join(['x'] * 400_000)}\n"
    done = run_measured("--demo", "--quiet", stdin=line).check()
    assert "has 400,000 regexes, at most 10,000 are allowed; join them with |" in done.err
