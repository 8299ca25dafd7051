"""Ingest: traces of many workers and steps into a store, in parallel and resumable.

    find_sources ▶ tasks (a worker, a window of steps) ▶ processes: read, sort, write ▶ commit

Tasks depend only on which files there are and what the store has, and they are committed in their
order. So a store that was killed and resumed has the same bytes as one that was not.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

from tfprof.errors import LoadError, OutputError
from tfprof.fleet.chunks import chunk_tables, write_table
from tfprof.fleet.merge import merge_rollups
from tfprof.fleet.node_table import NodeTable, read_model
from tfprof.fleet.profile_records import read_profile_steps
from tfprof.fleet.sources import Source, find_sources
from tfprof.fleet.step_records import NodeNames, StepRecords, read_step
from tfprof.fleet.store import NODES, UNFINISHED, Chunk, Manifest, open_job
from tfprof.outputs.files import make_folder
from tfprof.runtime.malloc import tune_malloc

STEPS_PER_FILE = 250
_FILES_PER_PROCESS = 50
_PARENT_CHECK = 0.5
_names = NodeNames()
"""What this process knows of names; a cache."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """What an ingest did: steps and records that were added, files that could not be read."""

    steps: int
    records: int
    known: int
    skipped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Task:
    """Some steps of one worker, or a profile of it."""

    worker: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class _Written:
    """What a process wrote for a task; without a chunk, nothing of it could be read."""

    chunk: Chunk | None
    files: dict[str, Path]
    nodes: dict[int, tuple[str, str]]
    skipped: tuple[str, ...]


def ingest(
    folders: Sequence[Path],
    *,
    job: str,
    out: Path,
    pattern: str = "",
    graph: Path | None = None,
    op_log: Path | None = None,
    processes: int | None = None,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Ingested:
    """Add the traced steps below some folders to a job of a store; what it has is not read again.

    Files that cannot be read are left out and named in the result. The next ingest tries them
    again. `progress` is called with the number of files that are done and of all.
    """
    sources = find_sources(folders, pattern)
    model = read_model(graph, op_log)
    with open_job(out, job) as writer, _output_errors(out):
        tasks = list(_plan(sources, writer.manifest))
        total = sum(len(task.sources) for task in tasks)
        nodes = NodeTable(writer.folder / NODES, job, model)
        steps = records = done = 0
        skipped: list[str] = []
        write = partial(_write_task, job=job, folder=writer.folder)
        # To start a process takes as long as to read some tens of files.
        useful = min(os.cpu_count() or 1, 1 + total // _FILES_PER_PROCESS)
        with _mapped(write, tasks, processes or useful) as results:
            for task, written in zip(tasks, results, strict=True):
                skipped += written.skipped
                nodes.add(written.nodes)
                nodes.write()
                if written.chunk:
                    writer.add(written.chunk, written.files)
                    steps += len(written.chunk.steps)
                    records += written.chunk.records
                done += len(task.sources)
                progress(done, total)
        nodes.write()
        merge_rollups(writer, job)
        return Ingested(steps, records, len(sources) - total, tuple(skipped))


def _plan(sources: Sequence[Source], manifest: Manifest) -> Iterator[_Task]:
    """What is left to do: windows of steps of each worker, and profiles one by one."""
    steps, profiles = manifest.steps, manifest.sources
    new = [s for s in sources if s.is_run and (s.worker, s.step) not in steps]
    for (worker, _), window in groupby(new, lambda s: (s.worker, s.step // STEPS_PER_FILE)):
        yield _Task(worker, tuple(window))
    for source in sources:
        if not source.is_run and (source.worker, source.name) not in profiles:
            yield _Task(source.worker, (source,))


@contextmanager
def _mapped(
    write: Callable[[_Task], _Written], tasks: list[_Task], processes: int
) -> Iterator[Iterator[_Written]]:
    """The results of tasks in their order, from as many processes as are of use."""
    if min(processes, len(tasks)) <= 1:
        yield map(write, tasks)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(
        min(processes, len(tasks)), context, initializer=_start_process, initargs=(os.getpid(),)
    )
    try:
        yield pool.map(write, tasks)
    except BrokenProcessPool:
        raise OutputError(
            "a process of ingest was ended, perhaps for want of memory; run the command again, "
            "or with --processes 1"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _start_process(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tune_malloc()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_CHECK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _write_task(task: _Task, *, job: str, folder: Path) -> _Written:
    """Read the files of a task and write its tables under temporary names."""
    read = [_read(source) for source in task.sources]
    steps = [step for result in read if not isinstance(result, LoadError) for step in result]
    skipped = tuple(str(result) for result in read if isinstance(result, LoadError))
    if not steps:
        return _Written(None, {}, {}, skipped)
    tables = chunk_tables(job, task.worker, steps)
    source_name = "" if task.sources[0].is_run else task.sources[0].name
    numbers = tuple(step.step for step in steps)
    chunk = Chunk(task.worker, numbers, len(tables["records"]), source_name)
    files = {table: folder / chunk.path(table) for table in tables}
    files = {
        table: path.with_name(f"{UNFINISHED}{os.getpid()}.{path.name}")
        for table, path in files.items()
    }
    make_folder(files["records"].parent)
    try:
        for table, path in files.items():
            write_table(tables[table], path)
    except BaseException:
        for path in files.values():
            path.unlink(missing_ok=True)
        raise
    ids = set(tables["records"].column("node").unique().to_pylist())
    nodes = {node: _names.nodes[node] for node in sorted(ids)}
    return _Written(chunk, files, nodes, skipped)


def _read(source: Source) -> list[StepRecords] | LoadError:
    """The steps of a file, or why it cannot be read."""
    try:
        if source.is_run:
            return [read_step(source.path, source.step, _names)]
        return list(read_profile_steps(source.path, source.step, _names))
    except LoadError as error:
        return error


@contextmanager
def _output_errors(out: Path) -> Iterator[None]:
    """Errors of the file system, such as a full disk, become OutputErrors."""
    try:
        yield
    except OSError as error:
        # Arrow has the number of the error only in its text.
        number = error.errno or next(map(int, re.findall(r"errno (\d+)", str(error))), 0)
        reason = os.strerror(number) if number else str(error)
        raise OutputError(
            f"{out}: cannot write: {reason}; what was added before is complete, and the same "
            "command goes on from there"
        ) from None
