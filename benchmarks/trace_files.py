"""Large traces made of a small one: its events again and again, each time later and of other runs.

    python -m benchmarks.trace_files SMALL.xplane.pb LARGE.xplane.pb --megabytes 100

Every line keeps its order of events. A field that differs between repetitions, the time of an event
and the id of its run, has a varint of fixed width, so that a repetition is a copy with some bytes
replaced.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tfprof.protos.varint import encode_varint
from tfprof.protos.xplane_pb2 import XEvent, XLine, XPlane, XSpace

__all__ = ["repeat_trace"]

_WIDTH = 7  # bytes of a varint: up to 560 seconds in picoseconds
_GAP = 10**9  # picoseconds between repetitions
_RUN_ID = "id"


@dataclass(frozen=True, slots=True)
class _Template:
    """The events of a line, and where the varints are that change."""

    data: Any
    offset_position: Any
    offset: Any
    run_position: Any
    run: Any

    def repeat(self, times: int, period: int, runs: int) -> Iterator[bytes]:
        """The events of each repetition."""
        for number in range(times):
            data = self.data.copy()
            _put(data, self.offset_position, self.offset + number * period)
            _put(data, self.run_position, self.run + number * runs)
            yield data.tobytes()


def _put(data: Any, position: Any, values: Any) -> None:
    for i in range(_WIDTH):
        more = 0x80 if i < _WIDTH - 1 else 0
        data[position + i] = ((values >> (7 * i)) & 0x7F) | more


def _template(line: XLine, run_stat: int, numbers: dict[int, int]) -> _Template:
    parts: list[bytes] = []
    offsets: list[tuple[int, int]] = []
    runs: list[tuple[int, int]] = []
    size = 0
    for event in line.events:
        body, run = _event(event, run_stat)
        head = b"\x22" + encode_varint(len(body))
        start = size + len(head)
        # The time of the event is its first field, the id of the run its last.
        offsets.append((start + 1, event.offset_ps))
        if run is not None:
            number = numbers.setdefault(run, len(numbers) + 1)
            runs.append((start + len(body) - _WIDTH, number))
        parts += [head, body]
        size = start + len(body)
    offset, run_at = (np.array(pairs, np.int64).reshape(-1, 2) for pairs in (offsets, runs))
    data = np.frombuffer(b"".join(parts), np.uint8)
    return _Template(data, offset[:, 0], offset[:, 1], run_at[:, 0], run_at[:, 1])


def _event(event: XEvent, run_stat: int) -> tuple[bytes, int | None]:
    """An event whose time and run have room for others, and its run."""
    run, rest = None, XEvent()
    rest.CopyFrom(event)
    rest.ClearField("data")
    del rest.stats[:]
    for stat in event.stats:
        if stat.metadata_id == run_stat and run is None:
            run = stat.uint64_value or stat.int64_value
        else:
            rest.stats.add().CopyFrom(stat)
    body = b"\x10" + bytes(_WIDTH) + rest.SerializeToString()
    if run is not None:
        stat = b"\x08" + encode_varint(run_stat) + b"\x20" + bytes(_WIDTH)
        body += b"\x22" + encode_varint(len(stat)) + stat
    return body, run


def repeat_trace(source: Path, target: Path, megabytes: float) -> int:
    """Write a trace of at least some size, and return how often it has the events."""
    space = XSpace.FromString(source.read_bytes())
    host: XPlane = next(plane for plane in space.planes if plane.name == "/host:CPU")
    run_stat = next((i for i, stat in host.stat_metadata.items() if stat.name == _RUN_ID), 0)
    numbers: dict[int, int] = {}
    templates = [_template(line, run_stat, numbers) for line in host.lines]
    times = max(1, -(-int(megabytes * 10**6) // max(sum(len(t.data) for t in templates), 1)))
    ends = [event.offset_ps + event.duration_ps for line in host.lines for event in line.events]
    period = max(ends, default=0) + _GAP
    heads = [_head(line) for line in host.lines]
    with target.open("wb") as file:
        sizes = [len(h) + times * len(t.data) for h, t in zip(heads, templates, strict=True)]
        rest = XPlane()
        rest.CopyFrom(host)
        del rest.lines[:]
        metadata = rest.SerializeToString()
        lines = [b"\x1a" + encode_varint(size) for size in sizes]
        whole = sum(map(len, lines)) + sum(sizes) + len(metadata)
        file.write(b"\x0a" + encode_varint(whole))
        for key, head, template in zip(lines, heads, templates, strict=True):
            file.write(key + head)
            for data in template.repeat(times, period, len(numbers)):
                file.write(data)
        file.write(metadata)
        del space.planes[[plane.name for plane in space.planes].index(host.name)]
        file.write(space.SerializeToString())
    return times


def _head(line: XLine) -> bytes:
    rest = XLine()
    rest.CopyFrom(line)
    del rest.events[:]
    return rest.SerializeToString()


def main() -> None:
    """Make a trace large."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--megabytes", type=float, default=100)
    arguments = parser.parse_args()
    print(repeat_trace(arguments.source, arguments.target, arguments.megabytes), "times")


if __name__ == "__main__":
    main()
