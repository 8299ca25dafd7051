"""The tables of a pprof profile: strings, functions, locations and samples."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tfprof.protos import pprof_pb2
from tfprof.views.view import Frame

_UNSIGNED = 2**64

Key = tuple[bytes, bytes, int]


class Function(NamedTuple):
    """A function: its file, its name, its first line, and the name that pprof shows."""

    file: str
    name: str
    line: int
    title: str

    @classmethod
    def from_frame(cls, frame: Frame) -> Function:
        """The function of a frame; the title has the name of its file."""
        base = frame.file.rpartition("/")[2]
        stem = base.rpartition(".")[0] if "." in base else base
        title = f"{stem}:{frame.function}"
        return cls(frame.file, frame.function, frame.function_line, title)


@dataclass(slots=True)
class Tables:
    """Strings, functions and locations with ids in the order of first use, and samples by name.

    The keys of functions are file, name and first line, those of locations file, function and line.
    Lines compare as unsigned numbers.
    """

    strings: dict[str, int] = field(default_factory=lambda: {"": 0})
    functions: dict[Key, pprof_pb2.Function] = field(default_factory=dict)
    locations: dict[Key, pprof_pb2.Location] = field(default_factory=dict)
    samples: dict[str, pprof_pb2.Sample] = field(default_factory=dict)
    _encoded: dict[str, bytes] = field(default_factory=dict)
    """The bytes of files and functions, which may be long and have many lines."""

    def string_index(self, text: str) -> int:
        """The index of a string."""
        return self.strings.setdefault(text, len(self.strings))

    def location_id(self, file: str, line: int, function: Function) -> int:
        """The id of a line of a file that calls a function, or that is in it."""
        key = (self._encode(file), self._encode(function.name), line % _UNSIGNED)
        if key not in self.locations:
            location = pprof_pb2.Location(id=len(self.locations) + 1)
            location.line.add(function_id=self._function_id(function), line=line)
            self.locations[key] = location
        return self.locations[key].id

    def _encode(self, text: str) -> bytes:
        if text not in self._encoded:
            self._encoded[text] = text.encode()
        return self._encoded[text]

    def _function_id(self, function: Function) -> int:
        key = (self._encode(function.file), self._encode(function.name), function.line % _UNSIGNED)
        if key not in self.functions:
            self.functions[key] = pprof_pb2.Function(
                id=len(self.functions) + 1,
                name=self.string_index(function.title),
                filename=self.string_index(function.file),
                start_line=function.line,
            )
        return self.functions[key].id

    def add_sample(self, name: str, stack: list[int], values: list[int], label: str = "") -> None:
        """Add a sample; equal names get a `@` each."""
        key = name
        while key in self.samples:
            key += "@"
        sample = pprof_pb2.Sample(location_id=stack, value=values)
        if label:
            sample.label.add(key=self.string_index(label), str=self.string_index(name))
        self.samples[key] = sample
