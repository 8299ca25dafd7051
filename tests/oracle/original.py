"""The real C++ tfprof, run in a server process that forks a child for every batch of jobs.

A job is a list of calls, each a plain tuple whose first item is its name:

    ("one_shot", graph, run_meta, op_log, cmd, options)     ("new", graph, op_log)
    ("add_step", step, graph, run_meta, op_log)             ("report", cmd, options)
    ("serialize",)                                          ("reload",)

A command is a view or `advise`, whose options are the names of checkers. The child streams one
answer per call. When it dies, the call that killed it is marked, the rest of that job is given up,
and a fresh child goes on with the next job.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

__all__ = ["Answer", "Call", "Original", "destination"]

Call = tuple[Any, ...]

TIMEOUT = 3.0  # seconds without an answer after which a child counts as hung
RAM_DISK = "/dev/shm"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call gave back."""

    result: Any = None  # proto bytes of a report or serialization, coverage of a step
    files: tuple[tuple[str, bytes], ...] = ()  # what it wrote: name after `out`, content
    stdout: bytes = b""  # with the path of its output file as OUT
    stderr: bytes = b""
    error: str = ""  # a Python exception, or how the process died


class Original:
    """A handle on one server process, which ends with `close`."""

    def __init__(self) -> None:
        """Start the server; it answers once TensorFlow is imported."""
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", __file__, str(requests), str(answers)],
            pass_fds=(requests, answers),
            env=environment,
        )
        os.close(requests)
        os.close(answers)
        self._to = Connection(self._requests, readable=False)
        self._from = Connection(self._answers, writable=False)

    def close(self) -> None:
        """End the server."""
        self._to.close()
        self._process.wait()
        self._from.close()

    def run(self, jobs: list[list[Call]]) -> list[list[Answer]]:
        """The answers of every job; a job that killed its process ends with an error."""
        self._to.send(jobs)
        return [[Answer(*answer) for answer in job] for job in self._from.recv()]


class Child:
    """The calls themselves, made inside a forked child."""

    def __init__(self, folder: Path, streams: tuple[int, int]) -> None:
        """Send standard output and standard error to the two files in `streams`."""
        from tensorflow.python.profiler import model_analyzer

        self._build = model_analyzer._build_options
        self._build_advisor = model_analyzer._build_advisor_options
        self._native = model_analyzer.print_mdl
        self._folder = folder
        self._out = bytes(folder / "out")
        self._streams = streams
        self._libc = ctypes.CDLL(None)
        for standard, stream in zip((1, 2), streams, strict=True):
            os.dup2(stream, standard)

    def answer(self, call: Call) -> tuple[Any, ...]:
        """One call, as the fields of an `Answer`."""
        result, error = None, ""
        try:
            result = getattr(self, call[0])(*call[1:])
        except Exception as exception:
            error = f"{type(exception).__name__}: {exception}"
        self._libc.fflush(None)
        printed = (drain(stream).replace(self._out, b"OUT") for stream in self._streams)
        return result, self._files(), *printed, error

    def one_shot(self, graph: bytes, run: bytes, log: bytes, cmd: str, options: Any) -> bytes:
        """A whole analysis in one call."""
        return self._native.PrintModelAnalysis(graph, run, log, cmd, self._options(cmd, options))

    def new(self, graph: bytes, op_log: bytes) -> bool:
        """A profiler of several steps, in place of the previous job's."""
        self._native.DeleteProfiler()
        return self._native.NewProfiler(graph, op_log)

    def add_step(self, step: int, graph: bytes, run_meta: bytes, op_log: bytes) -> float:
        """The coverage so far."""
        return self._native.AddStep(step, graph, run_meta, op_log)

    def report(self, cmd: str, options: Any) -> bytes:
        """A report of the current profiler."""
        return self._native.Profile(cmd, self._options(cmd, options))

    def serialize(self) -> bytes:
        """The current profiler as a ProfileProto."""
        return self._native.SerializeToString()

    def reload(self) -> None:
        """The current profiler written to a file and read back."""
        path = str(self._folder / "profile")
        self._native.WriteProfile(path)
        self._native.DeleteProfiler()
        self._native.ProfilerFromFile(path)

    def _options(self, cmd: str, options: Any) -> bytes:
        if cmd == "advise":
            return self._build_advisor({name: {} for name in options}).SerializeToString()
        output = destination(options["output"], self._folder / "out")
        return self._build(options | {"output": output}).SerializeToString()

    def _files(self) -> tuple[tuple[str, bytes], ...]:
        files = []
        for path in sorted(self._folder.glob("out*")):
            files.append((path.name.removeprefix("out"), path.read_bytes()))
            path.unlink()
        return tuple(files)


def destination(kind: str, path: Path) -> str:
    """The `-output` value that sends this kind of output to a file, if it goes to one."""
    return kind if kind in {"stdout", "none"} else f"{kind}:outfile={path}"


def drain(stream: int) -> bytes:
    """What was written to a file since the last time; the file is emptied."""
    size = os.lseek(stream, 0, os.SEEK_END)
    if size == 0:
        return b""
    content = os.pread(stream, size, 0)
    os.ftruncate(stream, 0)
    os.lseek(stream, 0, os.SEEK_SET)
    return content


def attempt(jobs: list[list[Call]], folder: Path, streams: tuple[int, int]) -> list[list[Any]]:
    """Answers of the jobs up to and including the first that killed the child."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        child, out = Child(folder, streams), Connection(writing, readable=False)
        for number, job in enumerate(jobs):
            for call in job:
                out.send((number, child.answer(call)))
        os._exit(0)
    os.close(writing)
    answers: list[list[Any]] = [[] for _ in jobs]
    fate = ""
    with Connection(reading, writable=False) as incoming:
        try:
            while True:
                if not incoming.poll(TIMEOUT):
                    fate = "hung"
                    os.kill(pid, signal.SIGKILL)
                number, answer = incoming.recv()
                answers[number].append(answer)
        except EOFError:
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status == 0:
        return answers
    last = next(i for i, job in enumerate(jobs) if len(answers[i]) < len(job))
    fate = fate or (signal.Signals(-status).name if status < 0 else f"exit {status}")
    answers[last].append((None, (), drain(streams[0]), drain(streams[1]), fate))
    for path in folder.glob("out*"):
        path.unlink()
    return answers[: last + 1]


def serve(requests: Connection, answers: Connection) -> None:
    """Answer batches of jobs until the other side hangs up."""
    import tensorflow.python.profiler.model_analyzer  # noqa: F401  # every child inherits it

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    memory = RAM_DISK if Path(RAM_DISK).is_dir() else None
    with (
        tempfile.TemporaryDirectory(dir=memory, prefix="tfprof-oracle-") as name,
        (Path(name) / "stdout").open("w+b") as stdout,
        (Path(name) / "stderr").open("w+b") as stderr,
    ):
        streams = stdout.fileno(), stderr.fileno()
        while True:
            try:
                jobs = requests.recv()
            except EOFError:
                return
            done: list[list[Any]] = []
            while len(done) < len(jobs):
                done += attempt(jobs[len(done) :], Path(name), streams)
            answers.send(done)


if __name__ == "__main__":
    serve(
        Connection(int(sys.argv[1]), writable=False), Connection(int(sys.argv[2]), readable=False)
    )
