"""The events of a plane as columns.

Events are parsed a few megabytes at a time, and only those that are used are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.message import DecodeError

from tfprof.loaders.wire import columns_of_bytes, numbers, parent_indices
from tfprof.loaders.xplane.planes import Plane, fields_of
from tfprof.profiles.schema import Array, BoolArray
from tfprof.profiles.string_columns import strings, utf8_bytes
from tfprof.protos import columns_pb2
from tfprof.protos.varint import encode_varint
from tfprof.protos.xplane_pb2 import XLine

_CHUNK_SIZE = 4 << 20
_WINDOW = 1 << 16
_CHAIN = 64
"""How many fields in a row have to look like events; none has so many stats."""
_EVENT_KEY = columns_pb2.Events.EVENTS_FIELD_NUMBER << 3 | 2
_STAT_KEY = columns_pb2.Stats.STATS_FIELD_NUMBER << 3 | 2
_TABLE_SIZE, _TABLE_PER_NAME = 1 << 12, 16
"""How large ids may be that are looked up in a table."""
_SHORT_LINE = 1 << 10
"""The bytes of a line that is not parsed on its own."""
_LARGE_TIME = 1 << 61
"""Picoseconds, which are a month."""


@dataclass(frozen=True, slots=True)
class TraceEvents:
    """The events of one plane that are used; `line` is an index in the plane's lines.

    Times are picoseconds after the earliest clock of the trace's lines. `stat_*` has a row for each
    stat that is used, sorted by `stat_event`; texts are dictionary-encoded, as one may be that of
    many events. `counts` has how many events there are of each name, also of those that are not
    used, by the name's id.
    """

    line: Array
    name: Array
    """The id of the event's name."""
    start: Array
    duration: Array
    stat_event: Array
    stat_name: Array
    """The id of the stat's name."""
    stat_number: Array
    stat_text: pa.DictionaryArray
    counts: dict[int, int]

    def __len__(self) -> int:
        return len(self.line)

    @property
    def end(self) -> Array:
        """When each event ended."""
        return self.start + self.duration

    def number(self, stat: int | None) -> Array:
        """A stat of each event, 0 for those without it."""
        values = np.zeros(len(self), np.int64)
        rows = np.flatnonzero(self.stat_name == (-1 if stat is None else stat))
        values[self.stat_event[rows]] = self.stat_number[rows]
        return values

    def has(self, stat: int | None) -> BoolArray:
        """Which events have a stat."""
        mask = np.zeros(len(self), bool)
        mask[self.stat_event[self.stat_name == (-1 if stat is None else stat)]] = True
        return mask

    def texts(self, stat: int | None) -> tuple[Array, Array, list[str]]:
        """The events with a text of a stat, the number of each one's text, and the texts."""
        rows = np.flatnonzero(self.stat_name == (-1 if stat is None else stat))
        # The dictionary has the texts of all stats.
        numbers = pa.array(self.stat_text.indices.to_numpy()[rows]).dictionary_encode()
        texts: list[str] = self.stat_text.dictionary.take(numbers.dictionary).to_pylist()
        return self.stat_event[rows], numbers.indices.to_numpy(), texts


def read_events(
    plane: Plane,
    first_ns: int,
    is_used: Callable[[str], bool],
    *,
    stats: Iterable[str] = (),
    has_stats: Callable[[str], bool] = lambda _: True,
    marks: Iterable[str] = (),
    may_mark: Callable[[str], bool] = lambda _: True,
    release: Callable[[], None] = lambda: None,
) -> TraceEvents:
    """The events whose names are used, with those of `stats` that they have.

    And the events that have one of the stats `marks`, if their names `may_mark`. Stats are parsed
    only of names that `has_stats`. `release` is called after each chunk.
    """
    reader = _Reader(plane, is_used, stats, has_stats, marks, may_mark)
    parts = []
    shifts = _shifts(plane, first_ns)
    for events, line in _parse_lines([line.events for line in plane.lines]):
        parts.append(reader.read(events, line, shifts[line]))
        release()
    return _concat(parts, reader.counts())


def _shifts(plane: Plane, first_ns: int) -> Array:
    """When the clock of each line is 0, in picoseconds after that of the trace."""
    shifts = [(line.timestamp_ns - first_ns) * 1000 for line in plane.lines]
    if any(abs(shift) >= _LARGE_TIME for shift in shifts):
        raise DecodeError("the clocks of two lines differ by years")
    return np.array(shifts, np.int64)


def count_events(plane: Plane, release: Callable[[], None] = lambda: None) -> int:
    """How many events a plane has."""
    return sum(read_events(plane, 0, lambda _: False, release=release).counts.values())


def _parse_lines(lines: Sequence[memoryview]) -> Iterator[tuple[pa.Array, Array]]:
    """The events of lines and the line of each, a few megabytes at a time."""
    short: list[int] = []
    size = 0
    for index, data in enumerate(lines):
        if len(data) <= _SHORT_LINE:
            short.append(index)
            size += len(data)
        if len(data) > _SHORT_LINE or size > _CHUNK_SIZE:
            yield from _parse_short_lines(lines, short)
            short, size = [], 0
        if len(data) > _SHORT_LINE:
            for events in _parse_chunks(data):
                yield events, np.full(len(events), index, np.int32)
    yield from _parse_short_lines(lines, short)


def _parse_short_lines(
    lines: Sequence[memoryview], short: Sequence[int]
) -> Iterator[tuple[pa.Array, Array]]:
    """The events of some lines, all at once."""
    counts = [
        sum(number == XLine.EVENTS_FIELD_NUMBER for number, *_ in fields_of(lines[i]))
        for i in short
    ]
    if not sum(counts):
        return
    events = _parse(memoryview(b"".join(lines[i] for i in short))).column(0).flatten()
    if len(events) != sum(counts):
        raise DecodeError("an event is no message")
    yield events, np.repeat(np.array(short, np.int32), counts)


def _parse_chunks(data: memoryview) -> Iterator[pa.Array]:
    """The events of a line, a few megabytes at a time."""
    start = 0
    while start < len(data):
        end = _guess_boundary(data, start + _CHUNK_SIZE)
        try:
            batch = _parse(data[start:end])
        except DecodeError:
            # A chunk that ends where no event does is malformed, so a wrong guess does not pass.
            end = _find_boundary(data, start)
            batch = _parse(data[start:end])
        yield batch.column(0).flatten()
        start = end


def _parse(data: memoryview) -> pa.RecordBatch:
    return columns_of_bytes(bytes(data), columns_pb2.Events)


def _guess_boundary(data: memoryview, target: int) -> int:
    """Where an event probably starts, a little after a position."""
    if target >= len(data):
        return len(data)
    window = bytes(data[target : target + _WINDOW])
    position = window.find(_EVENT_KEY)
    while position >= 0:
        end = _follow_chain(window, position)
        if end:
            return target + end
        position = window.find(_EVENT_KEY, position + 1)
    return len(data)


def _follow_chain(window: bytes, position: int) -> int:
    """Where some fields that look like events and follow each other end; 0 if there are too few.

    The first ones may be stats, which have the same key; after the last stat of an event comes an
    event.
    """
    for hop in range(_CHAIN):
        if position + 3 > len(window):
            return position if hop >= _CHAIN // 4 and position <= len(window) else 0
        if window[position] != _EVENT_KEY:
            return 0
        length, size = window[position + 1], 2
        if length >= 0x80:
            length, size = (length & 0x7F) | window[position + 2] << 7, 3
            if window[position + 2] >= 0x80:
                return 0
        position += size + length
    return position if position <= len(window) else 0


def _find_boundary(data: memoryview, start: int) -> int:
    """Where the field ends that is a chunk away, found field by field."""
    for _, _, end in fields_of(data[start:]):
        if end >= _CHUNK_SIZE:
            return start + end
    return len(data)


class _Reader:
    """What to keep of the events of a plane."""

    def __init__(
        self,
        plane: Plane,
        is_used: Callable[[str], bool],
        stats: Iterable[str],
        has_stats: Callable[[str], bool],
        marks: Iterable[str],
        may_mark: Callable[[str], bool],
    ) -> None:
        wanted, marking = {*stats, *marks}, set(marks)
        names = plane.stat_names.items()
        self.stat_names = plane.stat_names
        self.stat_ids = np.array([n for n, text in names if text in wanted], np.int64)
        self.mark_ids = np.array([n for n, text in names if text in marking], np.int64)
        self.ids = np.array(sorted(plane.event_names), np.int64)
        texts = [plane.event_names[number] for number in self.ids.tolist()]
        # The last is that of ids without a name.
        used = [*map(is_used, texts), False]
        marks_too = [len(self.mark_ids) > 0 and may_mark(text) for text in texts]
        parsed = [u and has_stats(text) for u, text in zip(used, texts, strict=False)]
        self.used = np.array(used, bool)
        self.parsed = np.array([p or m for p, m in zip(parsed, marks_too, strict=True)] + [False])
        self._counts = np.zeros(len(self.used), np.int64)
        self._index = self._make_index()

    def _make_index(self) -> Array | None:
        """The position of each id, if ids are small enough for a table."""
        largest = _TABLE_SIZE + _TABLE_PER_NAME * len(self.ids)
        if len(self.ids) and (self.ids[0] < 0 or self.ids[-1] > largest):
            return None
        size = int(self.ids[-1]) + 2 if len(self.ids) else 1
        index = np.full(size, len(self.ids), np.int64)
        index[self.ids] = np.arange(len(self.ids))
        return index

    def _positions(self, name: Array) -> Array:
        if self._index is not None:
            last = len(self._index) - 1
            return self._index[np.where((name < 0) | (name > last), last, name)]
        position = np.minimum(np.searchsorted(self.ids, name), len(self.ids) - 1)
        return np.where(self.ids[position] == name, position, len(self.ids))

    def counts(self) -> dict[int, int]:
        """How many events there were of each name; -1 is of those without a name."""
        ids = [*self.ids.tolist(), -1]
        return {n: count for n, count in zip(ids, self._counts.tolist(), strict=True) if count}

    def read(self, events: pa.Array, line: Array, shift: Array) -> TraceEvents:
        """The events of a chunk that are used, with the line of each and the shift of its clock."""
        name = numbers(events.field("metadata_id"))
        position = self._positions(name)
        self._counts += np.bincount(position, minlength=len(self._counts))
        used = self.used[position]
        owner, stats = self._stats(events, np.flatnonzero(self.parsed[position]))
        stat_name = numbers(stats.field("metadata_id"))
        used[owner[np.isin(stat_name, self.mark_ids)]] = True
        kept = np.flatnonzero(np.isin(stat_name, self.stat_ids) & used[owner])
        owner, stats = owner[kept], stats.take(pa.array(kept))
        start, duration = (numbers(events.field(key))[used] for key in ("offset_ps", "duration_ps"))
        if (np.abs(start) >= _LARGE_TIME).any() or (duration < 0).any():
            raise DecodeError("an event ends before it starts")
        new_row = np.cumsum(used) - 1
        number = numbers(stats.field("uint64_value")).astype(np.uint64).view(np.int64)
        return TraceEvents(
            line[used],
            name[used],
            start + shift[used],
            np.minimum(duration, _LARGE_TIME),
            new_row[owner],
            stat_name[kept],
            number + numbers(stats.field("int64_value")),
            self._texts(stats),
            {},
        )

    def _stats(self, events: pa.Array, rows: Array) -> tuple[Array, pa.Array]:
        """The events that stats belong to, and the stats of some events."""
        lists = events.field("stats").take(pa.array(rows))
        wire = _delimit_stats(lists.flatten())
        stats = columns_of_bytes(wire, columns_pb2.Stats).column(0).flatten()
        return rows[parent_indices(lists)], stats

    def _texts(self, stats: pa.Array) -> pa.DictionaryArray:
        """The texts of stats, which may be those of other names."""
        text = stats.field("str_value").fill_null("").dictionary_encode()
        references, index = np.unique(numbers(stats.field("ref_value")), return_inverse=True)
        if not references.any():
            return text
        names = strings([self.stat_names.get(number, "") for number in references.tolist()])
        both = pa.concat_arrays([text.dictionary, names]).dictionary_encode()
        own, referenced = text.indices.to_numpy(), len(text.dictionary) + index
        number = both.indices.to_numpy()[np.where(references[index] != 0, referenced, own)]
        return pa.DictionaryArray.from_arrays(number, both.dictionary)


def _delimit_stats(stats: pa.Array) -> bytes:
    """Serialized stats as the field of one message."""
    if not len(stats):
        return b""
    lengths = pc.binary_length(stats).to_numpy(zero_copy_only=False)
    distinct, index = np.unique(lengths, return_inverse=True)
    keys = [bytes([_STAT_KEY]) + encode_varint(length) for length in distinct.tolist()]
    key = pa.array(keys, pa.binary()).take(pa.array(index))
    joined = pc.binary_join_element_wise(key, stats, b"")
    return utf8_bytes(joined).tobytes()


def _concat(parts: Sequence[TraceEvents], counts: dict[int, int]) -> TraceEvents:
    if not parts:
        none = np.zeros(0, np.int64)
        texts = strings().dictionary_encode()
        return TraceEvents(none, none, none, none, none, none, none, texts, counts)
    first = np.cumsum([0, *(len(part) for part in parts)])
    return TraceEvents(
        np.concatenate([part.line for part in parts]),
        np.concatenate([part.name for part in parts]),
        np.concatenate([part.start for part in parts]),
        np.concatenate([part.duration for part in parts]),
        np.concatenate([part.stat_event + n for part, n in zip(parts, first, strict=False)]),
        np.concatenate([part.stat_name for part in parts]),
        np.concatenate([part.stat_number for part in parts]),
        pa.concat_arrays([part.stat_text for part in parts]),
        counts,
    )
