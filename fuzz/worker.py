"""A process that tries inputs of all targets in turns, and saves those that fail."""

from __future__ import annotations

import contextlib
import math
import os
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from fuzz.guard import failure_of, origin_of
from fuzz.status import SharedStatus, Task, name_of
from fuzz.targets import Target, targets

__all__ = ["run_input", "work"]

_TURN = 0.5
_MEMORY, _MEMORY_PER_BYTE = 300 << 20, 1000
"""How much more memory than before an input may take, in bytes: at least, and for its size."""
_RESET_PEAK = Path("/proc/self/clear_refs")
_SECONDS, _SECONDS_PER_BYTE = 2.0, 40e-6
"""How much CPU time an input may take: at least, and for its size."""


def work(task: Task) -> Iterator[None]:
    """Try inputs of all targets in turns until it is time, yielding after each round."""
    with tempfile.TemporaryDirectory(dir=_fast_folder()) as folder:
        tempfile.tempdir = folder
        by_name = targets()
        runner = _Runner(task, [by_name[name] for name in task.names])
        runner.try_seeds()
        yield
        while True:
            runner.try_mutated()
            yield
            if time.time() >= task.until:
                return


def _fast_folder() -> str | None:
    """A folder in memory, where the system has one: files of inputs live for milliseconds."""
    memory = "/dev/shm"
    return memory if os.access(memory, os.W_OK) else None


class _Runner:
    """Tries inputs, and saves the first of each kind of failure."""

    def __init__(self, task: Task, chosen: list[Target]) -> None:
        self.status = SharedStatus(task.status, task.names)
        self.until, self.crashers = task.until, task.crashers
        self.dice = random.Random(task.seed)
        # Parts come last in a round, and get as many inputs as all others.
        self.order = sorted(enumerate(chosen), key=lambda item: item[1].is_part)
        self.parts = sum(target.is_part for target in chosen)
        self.corpora = {target.name: target.seeds() for target in chosen}
        self.origins: set[tuple[str, str]] = set()

    def try_seeds(self) -> None:
        """Try what mutation starts with, as it is."""
        for index, target in self.order:
            for data in self.corpora[target.name]:
                self._try(index, target, data)

    def try_mutated(self) -> None:
        """Try mutated inputs of each target for its share of the time, at least one."""
        only_parts = self.parts == len(self.order)
        left, parts = 0, self.parts  # how many inputs parts may still get, and how many are left
        for index, target in self.order:
            turn, count = min(time.time() + _TURN * target.share, self.until), 0
            allowed = math.inf if only_parts or not target.is_part else left // parts
            while not count or (time.time() < turn and count < allowed):
                count += 1
                self._try(index, target, _input(target, self.corpora[target.name], self.dice))
            parts -= target.is_part
            left += -count if target.is_part else count

    def _try(self, index: int, target: Target, data: bytes) -> None:
        self.status.record(index, data)
        failure = run_input(target, data)
        if failure is None or (target.name, origin_of(failure)) in self.origins:
            return
        self.origins.add((target.name, origin_of(failure)))
        _save(self.crashers, target.name, data, origin_of(failure), str(failure))


def _input(target: Target, corpus: list[bytes], dice: random.Random) -> bytes:
    data = dice.choice(corpus)
    if dice.random() < 0.05:
        other = dice.choice(corpus)
        data = data[: dice.randrange(len(data) + 1)] + other[dice.randrange(len(other) + 1) :]
    return target.mutator(data, dice)


def run_input(target: Target, data: bytes) -> BaseException | None:
    """The failure of a target on an input, or nothing; too much time or memory is one, too."""
    before = _reset_peak_memory()
    started = time.process_time()
    failure = failure_of(target, data)
    seconds = time.process_time() - started
    grown = _peak_memory() - before
    size = target.size(data)
    if failure is None and grown > _MEMORY + _MEMORY_PER_BYTE * size:
        return MemoryError(f"{grown >> 20} MB for an input of {size} bytes")
    if failure is None and seconds > _SECONDS + _SECONDS_PER_BYTE * size:
        return TimeoutError(f"{seconds:.1f} s for an input of {size} bytes")
    return failure


def _reset_peak_memory() -> int:
    """The memory in use, in bytes, from which on Linux the peak starts anew."""
    with contextlib.suppress(OSError):
        _RESET_PEAK.write_text("5")
    return _peak_memory()


def _peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _save(crashers: Path, name: str, data: bytes, origin: str, reason: str) -> None:
    folder = crashers / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name_of(data)).write_bytes(data)
    print(f"FAILED {name}: {origin}: {reason[:200]!r} ({folder.name}/{name_of(data)})", flush=True)
