"""Small traces whose names once took gigabytes: one long text that many rows refer to."""

from __future__ import annotations

from tfprof.protos.xplane_pb2 import XLine, XPlane, XSpace

LENGTH = 40_000


def _add_stream(space: XSpace) -> tuple[XPlane, XLine]:
    """A stream of a GPU with the stats of kernels."""
    plane = space.planes.add(name="/device:GPU:0")
    for number, name in enumerate(("tf_op", "hlo_op", "hlo_module"), 1):
        plane.stat_metadata[number].name = name
    plane.stat_metadata[9].name = "m" * LENGTH
    return plane, plane.lines.add(name="Stream #1")


def kernels_of_one_op(count: int = 3000) -> XSpace:
    """Kernels that all refer to the long name of one op."""
    space = XSpace()
    plane, line = _add_stream(space)
    plane.event_metadata[1].name = "k"
    for i in range(count):
        event = line.events.add(metadata_id=1, offset_ps=i * 100, duration_ps=90)
        event.stats.add(metadata_id=1, ref_value=9)
    return space
