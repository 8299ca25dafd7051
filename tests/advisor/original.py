"""The original's advice, from a process that forks a child for every batch of jobs.

A job is a list of calls as in `tests.oracle.original`, with two more:

    ("advise", graph, run_meta, op_log, checkers)      ("advise_session", checkers)
"""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.oracle import original
from tests.oracle.original import Answer, Call, Child

__all__ = ["ask"]


def ask(jobs: list[list[Call]]) -> list[list[Answer]]:
    """The answers of every job; a job that killed its process ends with an error."""
    environment = os.environ | {
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", __name__],
        input=pickle.dumps(jobs),
        stdout=subprocess.PIPE,
        env=environment,
        check=True,
    )
    return [[Answer(*answer) for answer in job] for job in pickle.loads(done.stdout)]


class Advisor(Child):
    """The calls that ask for advice."""

    def advise(self, graph: bytes, run: bytes, log: bytes, checkers: list[str]) -> bytes:
        """A whole analysis in one call."""
        return self._native.PrintModelAnalysis(graph, run, log, "advise", _options(checkers))

    def advise_session(self, checkers: list[str]) -> bytes:
        """The advice of the current profiler."""
        return self._native.Profile("advise", _options(checkers))


def _options(checkers: list[str]) -> bytes:
    from tensorflow.core.profiler.tfprof_options_pb2 import AdvisorOptionsProto

    message = AdvisorOptionsProto()
    for name in checkers:
        message.checkers[name].SetInParent()
    return message.SerializeToString()


def main() -> None:
    """Answer the jobs on standard input."""
    import tensorflow.python.profiler.model_analyzer  # noqa: F401  # every child inherits it

    jobs = pickle.load(sys.stdin.buffer)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    original.Child = Advisor  # the child that `attempt` makes
    done: list[list[Any]] = []
    with (
        tempfile.TemporaryDirectory(prefix="tfprof-advice-") as name,
        (Path(name) / "stdout").open("w+b") as stdout,
        (Path(name) / "stderr").open("w+b") as stderr,
    ):
        streams = stdout.fileno(), stderr.fileno()
        while len(done) < len(jobs):
            done += original.attempt(jobs[len(done) :], Path(name), streams)
    sys.stdout.buffer.write(pickle.dumps(done))


if __name__ == "__main__":
    main()
