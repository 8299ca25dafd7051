"""What one process measures: `python -m benchmarks.session PART SUBJECT FOLDER STEPS` prints JSON.

A part is a list of tasks on one subject, each timed by itself; peak memory is noted as it grows.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.subjects import OPTIONS, WIDE, Subject, subject

__all__ = ["PARTS", "VIEWS"]

VIEWS = ("scope", "op", "graph", "code")
AGAIN = 3  # repetitions of what is measured again; the fastest counts
LARGE = 20_000_000  # bytes of a graph from which on the original takes too long for that


class Session:
    """Timings of the tasks so far, in seconds; None where a task failed."""

    def __init__(self, tested: Subject, folder: Path, steps: int) -> None:
        """Nothing is measured yet."""
        self.subject = tested
        self.folder = folder
        self.steps = steps
        self.seconds: dict[str, float | None] = {}
        self.cpu: dict[str, float | None] = {}
        self.megabytes: dict[str, float] = {}
        self.failures: dict[str, str] = {}

    def time(self, name: str, task: Callable[[], Any], repeat: int = 1) -> None:
        """Note the least time that a task takes; its result is dropped outside of it."""
        try:
            runs = [_seconds(task) for _ in range(repeat)]
            self.seconds[name], self.cpu[name] = (min(kind) for kind in zip(*runs, strict=True))
        except Exception as error:  # one that is missing must not end the run
            self.seconds[name] = None
            self.failures[name] = f"{type(error).__name__}: {error}"[:300]

    def note_memory(self, name: str) -> None:
        """Note the peak so far."""
        self.megabytes[name] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    def ready(self) -> None:
        """Load everything."""
        self.time("load", lambda: self.subject.load(self.folder))
        for step in range(self.steps):
            path = self.folder / f"run_meta_{step}"
            self.time(
                f"step {step}", lambda path=path, step=step: self.subject.add_step(path, step)
            )
        self.note_memory("ready")


def _seconds(task: Callable[[], Any]) -> tuple[float, float]:
    """The wall and processor time of a task."""
    began, spent = time.perf_counter(), time.process_time()
    result = task()
    took = time.perf_counter() - began, time.process_time() - spent
    del result
    return took


def views(session: Session) -> None:
    """Load, then every view to a file, first and again; then serialize, messages and advice."""
    session.ready()
    tested = session.subject
    again = AGAIN if (session.folder / "graph.pb").stat().st_size < LARGE else 1
    with _scratch() as out:
        for view in VIEWS:
            tested.forget_views()
            output = f"file:outfile={out}/{view}"
            for name, options, repeat in (
                ("first", OPTIONS, 1),
                ("again", OPTIONS, again),
                ("all columns", WIDE, again),
            ):
                session.time(
                    f"{view} {name}",
                    lambda v=view, o=options, to=output: tested.write(v, o, to),
                    repeat,
                )
    session.note_memory("views")
    session.time("serialize", tested.serialize)
    session.note_memory("serialized")
    for view in VIEWS:
        tested.forget_views()
        session.time(f"{view} message", lambda v=view: tested.message(v, OPTIONS))
    session.note_memory("messages")
    session.time("advise", tested.advise)


def one_shot(session: Session) -> None:
    """Files to the message of every view, one call each."""
    for view in VIEWS:
        session.time(
            f"{view} one-shot", lambda v=view: session.subject.one_shot(session.folder, v, OPTIONS)
        )


def timeline(session: Session) -> None:
    """The timeline of one step in graph view, on a profile nobody asked anything yet, and again."""
    session.subject.load(session.folder)
    session.subject.add_step(session.folder / "run_meta_0", 0)
    options = OPTIONS | {"step": 0}
    with _scratch() as out:
        for name in ("timeline", "timeline again"):
            session.time(
                name,
                lambda: session.subject.write("graph", options, f"timeline:outfile={out}/timeline"),
            )
        if not list(out.iterdir()):
            session.seconds["timeline"] = session.seconds["timeline again"] = None
    session.note_memory("timeline")


def op_view(session: Session) -> None:
    """Only what a user waits for who starts the program to see op view."""
    session.ready()
    session.subject.write("op", OPTIONS, "stdout")


def text_graph(session: Session) -> None:
    """A graph as text beside the same graph in binary; ours only."""
    from tfprof.loaders.graph_def import read_graph

    for form in ("pb", "pbtxt"):
        path = session.folder / f"graph.{form}"
        session.time(f"graph.{form}", lambda path=path: read_graph(path), AGAIN)


PARTS: dict[str, Callable[[Session], None]] = {
    "views": views,
    "one-shot": one_shot,
    "timeline": timeline,
    "start to op view": op_view,
    "text graph": text_graph,
}


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as name:
        yield Path(name)


def main(argv: list[str]) -> int:
    """Measure one part; what the subjects print goes nowhere."""
    part, name, folder, steps = argv
    results = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    session = Session(subject(name), Path(folder), int(steps))
    session.note_memory("start")
    PARTS[part](session)
    session.note_memory("end")
    sys.stdout.flush()
    measured = {
        "seconds": session.seconds,
        "cpu": session.cpu,
        "megabytes": session.megabytes,
        "failures": session.failures,
    }
    os.write(results, json.dumps(measured).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
