"""The planes and lines of an XSpace, found by walking over the fields of the file.

A trace can have gigabytes, so a file is mapped into memory, and events are left to `events`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from tfprof.loaders.wire import columns_of_bytes
from tfprof.protos import columns_pb2
from tfprof.protos.varint import read_varint
from tfprof.protos.xplane_pb2 import XLine, XPlane, XSpace
from tfprof.runtime.lazy import cached_property

_PLANES = XSpace.PLANES_FIELD_NUMBER
_HOSTNAMES = XSpace.HOSTNAMES_FIELD_NUMBER
_LINES = XPlane.LINES_FIELD_NUMBER
_EVENTS = XLine.EVENTS_FIELD_NUMBER
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True)
class Line:
    """A thread of the host or a stream of an accelerator."""

    name: str
    timestamp_ns: int
    """When its clock is 0."""
    events: memoryview
    """The fields from the first event on."""


@dataclass(frozen=True)
class Plane:
    """A host, an accelerator, or what is said about the trace."""

    name: str
    lines: Sequence[Line]
    event_names: Mapping[int, str]
    event_stats: Mapping[int, Mapping[str, bytes]]
    """Bytes that event metadata has, such as the HLO of a program."""
    event_texts: Mapping[int, Mapping[str, str]]
    """Texts that event metadata has, such as the name of an instruction's op."""
    event_numbers: Mapping[int, Mapping[str, int]]
    """Numbers that event metadata has, such as the program of an instruction."""
    stat_names: Mapping[int, str]
    stats: Mapping[str, int | str | bytes]


@dataclass(frozen=True)
class Trace:
    """The planes of one file; a DecodeError if it is malformed.

    `release` gives memory back that holds parts of the file; they are read again when needed.
    """

    data: memoryview
    release: Callable[[], None] = lambda: None

    @cached_property
    def planes(self) -> list[Plane]:
        """All planes of the file."""
        return [_plane(self.data[a:b]) for n, a, b in fields_of(self.data) if n == _PLANES]

    @cached_property
    def hostname(self) -> str:
        """The host that was traced, empty if it is not said."""
        names = [self.data[a:b] for n, a, b in fields_of(self.data) if n == _HOSTNAMES]
        return bytes(names[0]).decode("utf-8", "replace") if names else ""

    @cached_property
    def first_ns(self) -> int:
        """The earliest clock of a line with events."""
        lines = [line for plane in self.planes for line in plane.lines if len(line.events)]
        return min((line.timestamp_ns for line in lines), default=0)


def fields_of(data: memoryview) -> Iterator[tuple[int, int, int]]:
    """The number of each field of a message, and where its content starts and ends."""
    try:
        yield from _walk_fields(data)
    except ValueError as error:
        raise DecodeError(str(error)) from None


def _walk_fields(data: memoryview) -> Iterator[tuple[int, int, int]]:
    position, size = 0, len(data)
    while position < size:
        key, position = read_varint(data, position)
        number, wire_type = key >> 3, key & 7
        if wire_type == _BYTES:
            length, position = read_varint(data, position)
            start, end = position, position + length
        elif wire_type == _VARINT:
            start = position
            _, end = read_varint(data, position)
        elif wire_type in (_FIXED64, _FIXED32):
            start, end = position, position + (8 if wire_type == _FIXED64 else 4)
        else:
            raise ValueError("a field of an unknown kind")
        if end > size or not number:
            raise ValueError("a field ends after its message")
        yield number, start, end
        position = end


def _plane(data: memoryview) -> Plane:
    lines, rest, kept = [], [], 0
    for number, start, end in fields_of(data):
        if number == _LINES:
            lines.append(_line(data[start:end]))
        else:
            rest.append(data[kept:end])
        kept = end
    # A field that is not a line keeps its key, which stands between the last end and its start.
    batch = columns_of_bytes(b"".join(rest), columns_pb2.Plane)
    row = {name: batch.column(name)[0] for name in batch.schema.names}
    stat_names = {e["key"]: e["value"]["name"] for e in row["stat_metadata"].as_py() if e["value"]}
    entries = [entry for entry in row["event_metadata"].as_py() if entry["value"]]
    stats = {e["key"]: e["value"]["stats"] for e in entries if e["value"]["stats"]}
    return Plane(
        row["name"].as_py(),
        lines,
        {entry["key"]: entry["value"]["name"] for entry in entries},
        {key: _bytes(items, stat_names) for key, items in stats.items()},
        {key: _texts(items, stat_names) for key, items in stats.items()},
        {key: _numbers(items, stat_names) for key, items in stats.items()},
        stat_names,
        {
            stat_names.get(stat["metadata_id"], ""): stat["bytes_value"]
            or stat["str_value"]
            or stat["uint64_value"]
            or stat["int64_value"]
            for stat in row["stats"].as_py()
        },
    )


def _bytes(stats: list[dict[str, Any]], names: Mapping[int, str]) -> dict[str, bytes]:
    return {
        names.get(stat["metadata_id"], ""): stat["bytes_value"]
        for stat in stats
        if stat["bytes_value"]
    }


def _texts(stats: list[dict[str, Any]], names: Mapping[int, str]) -> dict[str, str]:
    texts = {
        names.get(stat["metadata_id"], ""): stat["str_value"] or names.get(stat["ref_value"], "")
        for stat in stats
    }
    return {name: text for name, text in texts.items() if text}


def _numbers(stats: list[dict[str, Any]], names: Mapping[int, str]) -> dict[str, int]:
    return {
        # An unsigned number of 64 bits is negative here, as in the columns of events.
        names.get(stat["metadata_id"], ""): int(np.uint64(stat["uint64_value"]).astype(np.int64))
        + stat["int64_value"]
        for stat in stats
        if not (stat["bytes_value"] or stat["str_value"] or stat["ref_value"])
    }


def _line(data: memoryview) -> Line:
    end = 0
    for number, _, field_end in fields_of(data):
        if number == _EVENTS:
            break
        end = field_end
    header = columns_pb2.Line.FromString(bytes(data[:end]))
    return Line(header.name, header.timestamp_ns, data[end:])
