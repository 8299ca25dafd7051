"""A captured trace without the names of the machine that recorded it, as a fixture for tests.

`python tools/neutral_trace.py HOST.xplane.pb tests/data/traces/NAME.xplane.pb`
"""

from __future__ import annotations

import sys
from pathlib import Path

from tfprof.protos.xplane_pb2 import ProfileOptions, XSpace

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
    trace: bytes = space.SerializeToString(deterministic=True)
    return trace


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_bytes(neutral(source.read_bytes()))
