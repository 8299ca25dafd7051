"""Compiled programs, each in the trace that it was found in: nodes, loops, stacks and memory."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from google.protobuf.message import DecodeError

import tfprof
from fuzz import samples
from fuzz.ask import ask, dice_of
from fuzz.schema import mutate_below_line, mutate_message
from fuzz.targets import Target
from tfprof.protos.hlo_pb2 import HloProto
from tfprof.protos.xplane_pb2 import XSpace, XStat

__all__ = ["TARGETS"]


class _Program(NamedTuple):
    """A program and its trace."""

    trace: bytes
    plane: int
    event: int
    stat: int
    data: bytes


@cache
def _programs() -> list[_Program]:
    captured = [
        data
        for files in samples.captures()
        for name, data in files.items()
        if name.endswith(".xplane.pb")
    ]
    return [
        _Program(trace, plane, event, stat, found.bytes_value)
        for trace in (*samples.traces(), *captured)
        for plane, planes in enumerate(XSpace.FromString(trace).planes)
        for event, metadata in sorted(planes.event_metadata.items())
        for stat, found in enumerate(metadata.stats)
        if _is_program(found)
    ]


def _is_program(stat: XStat) -> bool:
    try:
        return bool(HloProto.FromString(stat.bytes_value).hlo_module.computations)
    except DecodeError:
        return False


def _seeds() -> list[bytes]:
    return [b"%d\n" % i + program.data for i, program in enumerate(_programs())]


def _program(data: bytes) -> None:
    """A trace with this program in it; its first line says which trace."""
    number, _, content = data.partition(b"\n")
    programs = _programs()
    chosen = programs[int(number) % len(programs) if number.isdigit() else 0]
    space = XSpace.FromString(chosen.trace)
    stats = space.planes[chosen.plane].event_metadata[chosen.event].stats
    stats[chosen.stat].bytes_value = content
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "host.xplane.pb"
        file.write_bytes(space.SerializeToString())
        ask(tfprof.load(file), dice_of(data))


TARGETS = [
    Target(
        "compiled_program",
        _program,
        _seeds,
        mutate_below_line(lambda _: mutate_message(HloProto)),
        share=2,
    )
]
