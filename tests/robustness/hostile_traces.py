"""Small traces whose names once took gigabytes: one long text that many rows refer to."""

from __future__ import annotations

from tfprof.loaders.xplane.event_kinds import EAGER_NODE_PREFIX, EAGER_PREFIX
from tfprof.protos.xplane_pb2 import XLine, XPlane, XSpace

LENGTH = 40_000


def eager_op_of_many_calls(count: int = 1000) -> XSpace:
    """An eager op of a long name in calls that a capture named."""
    space = XSpace()
    plane = space.planes.add(name="/host:CPU")
    plane.event_metadata[1].name = f"{EAGER_PREFIX}{'x' * LENGTH}"
    line = plane.lines.add(name="line")
    for i in range(count):
        plane.event_metadata[i + 2].name = f"{EAGER_NODE_PREFIX}n{i}"
        line.events.add(metadata_id=i + 2, offset_ps=i * 10_000, duration_ps=9000)
        line.events.add(metadata_id=1, offset_ps=i * 10_000 + 1, duration_ps=8000)
    return space


def ops_of_one_function(count: int = 1500, letter: str = "f") -> XSpace:
    """The ops of a function of a long name."""
    space = XSpace()
    plane = space.planes.add(name="/host:CPU")
    plane.stat_metadata[1].name = "id"
    function = f"{EAGER_PREFIX}__inference_{letter * (LENGTH // len(letter.encode()))}_12"
    line, duration = plane.lines.add(name="line"), 10_000 * count + 100
    for i, name in enumerate((function, "FunctionRun", "ExecutorState::Process")):
        plane.event_metadata[i + 1].name = name
        event = line.events.add(metadata_id=i + 1, offset_ps=i, duration_ps=duration - 10 * i)
        event.stats.add(metadata_id=1, int64_value=7)
    for i in range(count):
        plane.event_metadata[i + 4].name = f"n{i}:A"
        line.events.add(metadata_id=i + 4, offset_ps=10 + i * 10_000, duration_ps=8000)
    return space


def _add_stream(space: XSpace) -> tuple[XPlane, XLine]:
    """A stream of a GPU with the stats of kernels."""
    plane = space.planes.add(name="/device:GPU:0")
    for number, name in enumerate(("tf_op", "hlo_op", "hlo_module"), 1):
        plane.stat_metadata[number].name = name
    plane.stat_metadata[9].name = "m" * LENGTH
    return plane, plane.lines.add(name="Stream #1")


def kernels_of_one_module(count: int = 1200) -> XSpace:
    """The instructions of a module of a long name."""
    space = XSpace()
    plane, line = _add_stream(space)
    plane.event_metadata[1].name = "k"
    for i in range(count):
        plane.stat_metadata[i + 10].name = f"f{i}"
        event = line.events.add(metadata_id=1, offset_ps=i * 100, duration_ps=90)
        event.stats.add(metadata_id=2, ref_value=i + 10)
        event.stats.add(metadata_id=3, ref_value=9)
    return space


def copies_of_one_op(count: int = 1500) -> XSpace:
    """Copies of different kinds by an op of a long name."""
    space = XSpace()
    plane, line = _add_stream(space)
    for i in range(count):
        plane.event_metadata[i + 1].name = f"Memcpy{i}2D"
        event = line.events.add(metadata_id=i + 1, offset_ps=i * 100, duration_ps=90)
        event.stats.add(metadata_id=1, ref_value=9)
    return space


def kernels_of_one_op(count: int = 3000) -> XSpace:
    """Kernels that all refer to the long name of one op."""
    space = XSpace()
    plane, line = _add_stream(space)
    plane.event_metadata[1].name = "k"
    for i in range(count):
        event = line.events.add(metadata_id=1, offset_ps=i * 100, duration_ps=90)
        event.stats.add(metadata_id=1, ref_value=9)
    return space
