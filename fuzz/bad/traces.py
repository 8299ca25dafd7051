"""XPlane traces that are cut, bent, or say what cannot be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fuzz.bad.messages import bend
from tests.loaders.xplane.traces import made
from tfprof.protos.xplane_pb2 import XSpace

__all__ = ["traces"]

_MOST = 2**63 - 1

Edit = Callable[[XSpace], object]


def traces() -> Iterator[tuple[str, str, bytes]]:
    """The target, the name and the bytes of each."""
    for name, data in bend(_whole().SerializeToString(deterministic=True)):
        yield "xplane", name, data
    for name, edit in _EDITS.items():
        space = _whole()
        edit(space)
        yield "xplane", name, space.SerializeToString(deterministic=True)


def _whole() -> XSpace:
    maker = made()
    maker.event(maker.plane.lines[1], "name_a:MatMul", 60, 61)
    return maker.space


def _clear_lines(space: XSpace) -> None:
    del space.planes[0].lines[:]


def _clear_names(space: XSpace) -> None:
    space.planes[0].event_metadata.clear()


def _change_event(**fields: int) -> Edit:
    def edit(space: XSpace) -> None:
        for name, value in fields.items():
            setattr(space.planes[0].lines[1].events[1], name, value)

    return edit


def _change_clock(nanoseconds: int) -> Edit:
    def edit(space: XSpace) -> None:
        space.planes[0].lines[1].timestamp_ns = nanoseconds

    return edit


def _change_run(value: int) -> Edit:
    def edit(space: XSpace) -> None:
        space.planes[0].lines[1].events[0].stats[0].int64_value = value

    return edit


def _mark_step(value: int) -> Edit:
    def edit(space: XSpace) -> None:
        plane = space.planes[0]
        plane.event_metadata[90].name = "train"
        event = plane.lines[0].events.add(metadata_id=90)
        event.stats.add(metadata_id=2, int64_value=value)

    return edit


def _break_options(space: XSpace) -> None:
    environment = space.planes[1]
    environment.stat_metadata[2].name = "profile_options"
    environment.stats.add(metadata_id=2, bytes_value=b"\xff\xff\xff")


def _repeat_metadata(space: XSpace) -> None:
    for plane in list(space.planes):
        space.planes.add().CopyFrom(plane)


_EDITS: dict[str, Edit] = {
    "no_planes": lambda space: space.ClearField("planes"),
    "no_lines": _clear_lines,
    "no_names": _clear_names,
    "no_host": lambda space: setattr(space.planes[0], "name", "/host:other"),
    "device_of_no_number": lambda space: setattr(space.planes[0], "name", "/device:GPU:x"),
    "host_as_device": lambda space: setattr(space.planes[0], "name", "/device:GPU:0"),
    "two_hosts_in_one_file": _repeat_metadata,
    "event_of_negative_duration": _change_event(duration_ps=-1),
    "event_that_never_ends": _change_event(duration_ps=_MOST),
    "event_before_all_time": _change_event(offset_ps=-_MOST),
    "event_after_all_time": _change_event(offset_ps=_MOST),
    "event_without_a_name": _change_event(metadata_id=_MOST),
    "clock_of_64_bits": _change_clock(_MOST),
    "clock_before_1970": _change_clock(-_MOST),
    "run_of_64_bits": _change_run(-_MOST),
    "step_of_64_bits": _mark_step(_MOST),
    "step_below_zero": _mark_step(-5),
    "options_of_no_message": _break_options,
}
