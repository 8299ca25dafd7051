"""A process that tries inputs, and shared memory that shows its parent which one."""

from __future__ import annotations

import mmap
import random
import resource
import struct
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from fuzz.guard import failure_of, name_of, origin_of
from fuzz.mutate import MUTATORS
from fuzz.targets import Target, targets

__all__ = ["SharedStatus", "work"]

_MAX_SIZE = 1 << 20
_HEADER = struct.Struct("<dQQ")
_TURN = 0.5
_MEMORY = 1 << 30
"""How much more memory than before a single input may take, in bytes."""


class SharedStatus:
    """What a worker is doing: since when, on which target, with which bytes; and its counts."""

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        """The parent creates the file, and the worker opens it again."""
        self.names = list(names)
        self._counts = _HEADER.size
        self._data = self._counts + 8 * len(self.names)
        with path.open("r+b" if path.exists() else "w+b") as file:
            file.truncate(self._data + _MAX_SIZE)
            self._memory = mmap.mmap(file.fileno(), self._data + _MAX_SIZE)

    def record(self, index: int, data: bytes) -> None:
        """Show an input before it is tried, and count it."""
        data = data[:_MAX_SIZE]
        _HEADER.pack_into(self._memory, 0, time.time(), index, len(data))
        self._memory[self._data : self._data + len(data)] = data
        offset = self._counts + 8 * index
        struct.pack_into("<Q", self._memory, offset, self.counts[self.names[index]] + 1)

    @property
    def start_time(self) -> float:
        """When the current input was started; 0 before the first."""
        return float(_HEADER.unpack_from(self._memory)[0])

    @property
    def current(self) -> tuple[str, bytes]:
        """The target and the input that are being tried."""
        _, index, size = _HEADER.unpack_from(self._memory)
        return self.names[index], self._memory[self._data : self._data + size]

    @property
    def counts(self) -> dict[str, int]:
        """How many inputs each target was given."""
        numbers = struct.unpack_from(f"<{len(self.names)}Q", self._memory, self._counts)
        return dict(zip(self.names, numbers, strict=True))


def work(status_path: Path, names: Sequence[str], seed: int, until: float, crashers: Path) -> None:
    """Try inputs of all targets in turns until it is time; save those that fail."""
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        _work(SharedStatus(status_path, names), seed, until, crashers)


def _work(status: SharedStatus, seed: int, until: float, crashers: Path) -> None:
    by_name = targets()
    dice = random.Random(seed)
    corpora = {name: _corpus(by_name[name], crashers) for name in status.names}
    origins: set[tuple[str, str]] = set()
    while time.time() < until:
        for index, name in enumerate(status.names):
            target, corpus = by_name[name], corpora[name]
            turn = min(time.time() + _TURN, until)
            while time.time() < turn:
                data = _input(target, corpus, dice)
                status.record(index, data)
                failure = _run_input(target, data)
                if failure is not None and (name, origin_of(failure)) not in origins:
                    origins.add((name, origin_of(failure)))
                    _save(crashers, name, data, origin_of(failure), str(failure))


def _corpus(target: Target, crashers: Path) -> list[bytes]:
    paths = sorted((crashers.parent / target.name).glob("*")) if crashers.name == "new" else []
    return target.seeds() + [path.read_bytes() for path in paths]


def _input(target: Target, corpus: list[bytes], dice: random.Random) -> bytes:
    data = dice.choice(corpus)
    if dice.random() < 0.05:
        other = dice.choice(corpus)
        data = data[: dice.randrange(len(data) + 1)] + other[dice.randrange(len(other) + 1) :]
    return MUTATORS[target.mutator](data, dice)


def _run_input(target: Target, data: bytes) -> BaseException | None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    failure = failure_of(target, data)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    if failure is None and grown > _MEMORY:
        return MemoryError(f"{grown >> 20} MB for an input of {len(data)} bytes")
    return failure


def _save(crashers: Path, name: str, data: bytes, origin: str, reason: str) -> None:
    folder = crashers / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name_of(data)).write_bytes(data)
    print(f"FAILED {name}: {origin}: {reason[:200]!r} ({folder.name}/{name_of(data)})", flush=True)
