"""A capture without the names of the machine that recorded it, as a fixture for tests.

`python tools/neutral_trace.py HOST.xplane.pb tests/data/traces/NAME.xplane.pb`
"""

from __future__ import annotations

import sys
from pathlib import Path

from google.protobuf.message import DecodeError

from tfprof.protos.graph_pb2 import GraphDebugInfo
from tfprof.protos.hlo_pb2 import HloProto
from tfprof.protos.xplane_pb2 import ProfileOptions, XSpace, XStat

_OPTIONS = "profile_options"


def neutral(data: bytes) -> bytes:
    """The trace of a host called `host`, recorded nowhere."""
    space = XSpace.FromString(data)
    space.hostnames[:] = ["host"] * len(space.hostnames)
    for plane in space.planes:
        for stat in plane.stats:
            if plane.stat_metadata[stat.metadata_id].name == _OPTIONS:
                # The folder that was written to is an unknown field.
                options = ProfileOptions.FromString(stat.bytes_value)
                options.DiscardUnknownFields()
                stat.bytes_value = options.SerializeToString()
        for entry in plane.event_metadata.values():
            for stat in entry.stats:
                _clean_program(stat)
    trace: bytes = space.SerializeToString(deterministic=True)
    return trace


def _clean_program(stat: XStat) -> None:
    """Take the names of folders out of the frames of a compiled program, if a stat has one."""
    try:
        program = HloProto.FromString(stat.bytes_value)
    except DecodeError:
        return
    if program.hlo_module.name:
        # Files are in the table of frames, and in fields of instructions that are unknown here.
        program.DiscardUnknownFields()
        names = program.hlo_module.stack_frame_index.file_names
        names[:] = map(neutral_file, names)
        stat.bytes_value = program.SerializeToString(deterministic=True)


def neutral_debug_info(data: bytes) -> bytes:
    """The stacks of nodes, without the names of folders."""
    info = GraphDebugInfo.FromString(data)
    info.files[:] = map(neutral_file, info.files)
    stacks: bytes = info.SerializeToString(deterministic=True)
    return stacks


def neutral_file(file: str) -> str:
    """A file's name in its package, or without its folder."""
    _, packages, name = file.rpartition("site-packages/")
    return name if packages else Path(name).name


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_bytes(neutral(source.read_bytes()))
