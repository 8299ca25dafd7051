"""Shared memory that shows a parent process which input a worker is trying."""

from __future__ import annotations

import hashlib
import mmap
import struct
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["SharedStatus", "Task", "name_of"]

_MAX_SIZE = 1 << 20
_HEADER, _COUNT = struct.Struct("<dQQ"), struct.Struct("<Q")


class Task(NamedTuple):
    """What a worker does: which targets, from which seed, until when; where failures are kept."""

    status: Path
    names: Sequence[str]
    seed: int
    until: float
    crashers: Path


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
        (count,) = _COUNT.unpack_from(self._memory, offset)
        _COUNT.pack_into(self._memory, offset, count + 1)

    def reset(self) -> None:
        """Show that no input is being tried."""
        _HEADER.pack_into(self._memory, 0, 0.0, 0, 0)

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


def name_of(data: bytes) -> str:
    """The name of a crasher's file."""
    return hashlib.sha256(data).hexdigest()[:16]
