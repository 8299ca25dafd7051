"""What goes wrong around a program: full disks, closed pipes, signals, no terminal, odd locales."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tfprof
from tests.robustness.models import CPU, command, graph_of, loaded, log_of, run_of
from tfprof import demo
from tfprof.loaders.parquet.profile_tables import read_tables
from tfprof.outputs import OUTPUTS
from tfprof.views import VIEWS

SOURCE = Path(tfprof.__file__).parents[1]
COMMAND = [sys.executable, "-m", "tfprof"]
FILES = [name for name, output in OUTPUTS.items() if output.required]
GRAPH = graph_of(*((f"n{at}", "A") for at in range(500)))


def environment(**more):
    return {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONWARNINGS": "error", **more}


def process(*argv, **more):
    """The command as a process."""
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment(), **more}
    return subprocess.run([*COMMAND, *argv], timeout=60, check=False, **more)


@pytest.fixture
def profile():
    stacks = {f"n{at}": [("f.py", "f", at)] for at in range(500)}
    run = run_of(CPU, *((f"n{at}", at + 1, 5) for at in range(500)))
    return tfprof.load(graph=GRAPH, run_meta=run, op_log=log_of(stacks))


@contextlib.contextmanager
def small_files(size):
    """No file can grow beyond a size, as if the disk were full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.parametrize("kind", [*FILES, "tables"])
def test_full_disk_keeps_the_old_file(kind, profile, tmp_path, capsys):
    target = tmp_path / "out"
    if kind == "tables":
        target.mkdir()
    else:
        target.write_bytes(b"old")
    report = profile.report("graph" if kind == "dot" else "code", step=0)
    write = report.write if kind != "tables" else profile.save_tables
    where = f"{kind}:outfile={target}" if kind != "tables" else target
    with small_files(100), pytest.raises(tfprof.OutputError, match=r"out.*: cannot write"):
        write(where)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert list(target.iterdir()) == [] if kind == "tables" else target.read_bytes() == b"old"


def test_full_disk_behind_standard_output():
    with Path("/dev/full").open("wb") as full:
        done = process("--demo", "--quiet", "op", stdout=full)
    assert done.returncode == 1
    assert done.stderr == b"tfprof: standard output: cannot write: No space left on device\n"


def test_closed_standard_output():
    done = process("--demo", "--quiet", "op", stdout=None, preexec_fn=lambda: os.close(1))
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1


def test_closed_pipe():
    with subprocess.Popen(
        [*COMMAND, "--demo", "scope", "-max_depth", "99"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as started:
        started.stdout.close()
        errors = started.stderr.read()
    assert started.returncode == 0
    assert b"Traceback" not in errors
    assert b"BrokenPipe" not in errors


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("kind", ["graph", "run_meta", "op_log", "profile"])
def test_permission_denied(kind, tmp_path):
    path = tmp_path / "input"
    path.write_bytes(b"x")
    path.chmod(0)
    with pytest.raises(tfprof.LoadError, match="permission denied"):
        tfprof.load(**{kind: path})


def test_folder_without_permission(tmp_path):
    """Also for root, who can do everything but write to /proc."""
    with pytest.raises(tfprof.OutputError, match="cannot write"):
        loaded(("a", "A")).report().write("file:outfile=/proc/self/nothing")


@pytest.mark.parametrize("kind", ["graph", "run_meta", "op_log", "profile", "checkpoint"])
def test_file_that_is_removed(kind, tmp_path):
    with pytest.raises(tfprof.LoadError, match="gone"):
        tfprof.load(**{kind: tmp_path / "gone"})


def test_file_that_changes_while_it_is_read(tmp_path):
    """Cut and grown by another thread: a profile or a LoadError, nothing else."""
    path, whole = tmp_path / "graph.pb", GRAPH.SerializeToString()
    path.write_bytes(whole)
    stop = threading.Event()

    def change():
        size = 0
        while not stop.is_set():
            size = (size + 997) % len(whole)
            path.write_bytes(whole[:size])

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(200):
            with contextlib.suppress(tfprof.LoadError):
                tfprof.load(graph=path).report("op").text()
    finally:
        stop.set()
        changer.join()


@pytest.mark.parametrize("home", ["/proc", "/nonexistent", ""])
def test_home_that_cannot_be_written(home):
    done = process("--demo", "--quiet", input=b"op -select params\n", env=environment(HOME=home))
    assert done.returncode == 0
    assert done.stdout.startswith(b"node name")


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1", "no.such"])
def test_any_locale(locale, tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes(graph_of(("日本/é", "A")).SerializeToString())
    more = {"LANG": locale, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = process(f"--graph_path={path}", "scope", "-select=occurrence", env=environment(**more))
    assert done.returncode == 0
    assert "日本/é".encode() in done.stdout
    wrong = process(f"--graph_path={path}", "scope", "-select=日本", env=environment(**more))
    assert wrong.returncode == 2
    assert wrong.stderr.count(b"\n") == 1


def test_no_streams_at_all():
    done = process(
        "--demo", "op", stdin=None, preexec_fn=lambda: [os.close(fd) for fd in (0, 1, 2)]
    )
    assert done.returncode == 1


def test_shell_survives_what_fails(tmp_path):
    target = tmp_path / "out"
    lines = [
        "set -max_depth 1 -select params",
        "scope -output file:outfile=/proc/self/nothing",
        "scope -show_name_regexes (",
        "nonsense",
        "'open",
        f"scope -output file:outfile={target}",
        "set -max_depth x",
        "op -output timeline:outfile=/tmp/x",
        "",
    ]
    done = command("--demo", stdin="\n".join(lines) + "\n")
    assert done.status == 2
    assert len([line for line in done.err.splitlines() if line.startswith("tfprof: ")]) == 6
    assert target.read_text().startswith("node name")
    assert "-max_depth                  1" in done.out


def test_threads_share_a_profile(profile):
    views = ["scope", "graph", "op", "code"] * 8
    expected = {view: profile.report(view).text() for view in set(views)}
    fresh = profile.replace()
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda view: fresh.report(view).text(), views))
    assert texts == [expected[view] for view in views]


def test_forks_share_a_profile(profile):
    profile.report("scope").text()
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            os.write(writer, profile.report("op", order_by="micros").text()[:9].encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 100) == b"node name"
    os.close(reader)
    os.close(writer)


DEMO = {name: path for name, path in demo.paths().items() if name != "checkpoint"}


def test_threads_load_at_the_same_time():
    """Each its own profile of the same files, and all views of it."""
    expected = [tfprof.load(**DEMO).report(view).text() for view in VIEWS]

    def work(_number):
        profile = tfprof.load(**DEMO)
        return [profile.report(view).text() for view in VIEWS]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(8))) == [expected] * 8


def test_first_use_by_several_threads():
    """What is imported and made on first use is so once, whoever comes first."""
    program = """
import threading, tfprof
from tfprof import demo
start, found = threading.Barrier(6), []
def work():
    start.wait()
    found.append(tfprof.load(**demo.paths()).report("scope").text())
threads = [threading.Thread(target=work) for _ in range(6)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert len(found) == 6 and len(set(found)) == 1, len(found)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, env=environment(), timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_fork_loads_and_writes(tmp_path):
    """Also after the parent has used Arrow and its threads, which a fork does not have."""
    expected = [tfprof.load(**DEMO).report(view).text().encode() for view in VIEWS]
    child = os.fork()
    if not child:
        status = 1
        with contextlib.suppress(BaseException):
            profile = tfprof.load(**DEMO)
            for view in VIEWS:
                profile.report(view).write(f"file:outfile={tmp_path / view}")
            profile.save_tables(tmp_path / "tables")
            status = 0
        os._exit(status)
    deadline = time.monotonic() + 60
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the fork hangs")
        time.sleep(0.05)
    assert ended[1] == 0
    assert [(tmp_path / view).read_bytes() for view in VIEWS] == expected
    assert len(read_tables(tmp_path / "tables").nodes) == len(tfprof.load(**DEMO).nodes)
