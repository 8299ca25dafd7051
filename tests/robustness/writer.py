"""A process that writes one file over and over, for a test that kills it.

It reads from standard input how to write (`-output` value, or `tables:` and a folder) and a number
of microseconds; a fork then writes until it is killed after that time. A line on standard output
says that it is done.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import tfprof
from tests.robustness.models import CPU, graph_of, log_of, run_of

__all__ = ["profiles", "write"]


def profiles() -> list[tfprof.Profile]:
    """Two profiles whose files differ, large enough to be caught while they are written."""
    found = []
    for count in (300, 700):
        names = [f"scope_{at % 7}/node_{at}" for at in range(count)]
        links = [(name, f"Op{at % 5}", names[at // 2]) for at, name in enumerate(names)]
        records = [(name, 10 * at + 1, at % 9 + 1) for at, name in enumerate(names)]
        stacks = {name: [("f.py", "f", 1), ("g.py", "g", at)] for at, name in enumerate(names)}
        run, log = run_of(CPU, *records), log_of(stacks)
        found.append(tfprof.load(graph=graph_of(*links), run_meta=run, op_log=log))
    return found


def write(profile: tfprof.Profile, output: str) -> None:
    """Write a profile in one of the ways there are."""
    kind, _, path = output.partition(":")
    if kind == "tables":
        profile.save_tables(path)
    else:
        view = "graph" if kind in ("dot", "timeline") else "code"
        profile.report(view, step=0).write(output)


def _slowly(replace: Callable[[Path, Path], Path]) -> Callable[[Path, Path], Path]:
    """The renaming of a file, made so slow that kills fall between its last byte and that."""
    start = time.perf_counter()

    def slow(path: Path, target: Path) -> Path:
        nonlocal start
        time.sleep(max(0.003, (time.perf_counter() - start) / 2))
        start = time.perf_counter()
        return replace(path, target)

    return slow


def _work(choices: list[tfprof.Profile], output: str) -> NoReturn:
    Path.replace = _slowly(Path.replace)  # type: ignore[assignment,method-assign]
    at = 0
    while True:
        write(choices[at % 2], output)
        at += 1


def _kill_after(micros: float, work: Callable[[], NoReturn]) -> None:
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os._exit(1)
    time.sleep(micros / 1e6)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL, "the writer ended by itself"


def main() -> None:
    """Answer requests until there are no more."""
    choices = profiles()
    warm: set[str] = set()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin:
        output, micros = line.split()
        if output not in warm:
            # What is derived once is at hand in every fork then, which has only to write.
            warm.add(output)
            for profile in choices:
                write(profile, output)
        _kill_after(float(micros), lambda output=output: _work(choices, output))
        answers.write("done\n")
        answers.flush()


if __name__ == "__main__":
    main()
