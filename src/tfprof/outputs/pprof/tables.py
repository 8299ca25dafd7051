"""The tables of a pprof file while it is made: texts, functions, locations and samples."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tfprof.protos import pprof_pb2

__all__ = ["Called", "Tables"]

_UNSIGNED = 2**64

Key = tuple[bytes, bytes, int]


class Called(NamedTuple):
    """A function: its file, its name, its first line, and what pprof calls it."""

    file: str
    function: str
    line: int
    title: str

    @classmethod
    def frame(cls, file: str, function: str, line: int) -> Called:
        """A function of a source file, the name of which is part of the title."""
        name = file.rpartition("/")[2]
        stem = name.rpartition(".")[0] if "." in name else name
        return cls(file, function, line, f"{stem}:{function}")


@dataclass(slots=True)
class Tables:
    """What was met so far, numbered in the order of first use.

    The keys of functions are file, name and first line, those of locations file, called function
    and line; lines compare as unsigned numbers. Samples have distinct names.
    """

    texts: dict[str, int] = field(default_factory=lambda: {"": 0})
    functions: dict[Key, pprof_pb2.Function] = field(default_factory=dict)
    locations: dict[Key, pprof_pb2.Location] = field(default_factory=dict)
    samples: dict[str, pprof_pb2.Sample] = field(default_factory=dict)

    def text(self, text: str) -> int:
        """The index of a text."""
        return self.texts.setdefault(text, len(self.texts))

    def location(self, file: str, line: int, called: Called) -> int:
        """The id of a line of a file that calls a function, or that is in it."""
        key = (file.encode(), called.function.encode(), line % _UNSIGNED)
        if key not in self.locations:
            location = pprof_pb2.Location(id=len(self.locations) + 1)
            location.line.add(function_id=self._function(called), line=line)
            self.locations[key] = location
        return self.locations[key].id

    def _function(self, called: Called) -> int:
        key = (called.file.encode(), called.function.encode(), called.line % _UNSIGNED)
        if key not in self.functions:
            self.functions[key] = pprof_pb2.Function(
                id=len(self.functions) + 1,
                name=self.text(called.title),
                filename=self.text(called.file),
                start_line=called.line,
            )
        return self.functions[key].id

    def sample(self, name: str, stack: list[int], values: list[int], label: str = "") -> None:
        """Add a sample; `@` tells equal names apart."""
        label_of = name
        while name in self.samples:
            name += "@"
        sample = pprof_pb2.Sample(location_id=stack, value=values)
        if label:
            sample.label.add(key=self.text(label), str=self.text(label_of))
        self.samples[name] = sample
