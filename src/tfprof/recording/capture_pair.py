"""Capture two versions of a step in turn, so that their times can be compared.

Both run in one process, under one trace, and which of the two comes first alternates: what slows
the machine down for a while slows both. The trace is split into two captures, `base` and `head`.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tfprof.errors import OptionError, OutputError
from tfprof.loaders.xplane.folders import PAIR, SIDES, find_traces
from tfprof.protos.xplane_pb2 import XEvent, XPlane, XSpace
from tfprof.recording.capture import Capture, write_whole

_WARM_UP = 3
_MIN_STEPS = 5
"""Fewer pairs of steps change sides in too few ways to tell anything."""
_MARK, _UNUSED = "tfprof_", "unused"
_LEAD, _TAIL = 6, 1
"""Pairs of steps that run in the trace and are not used: the first after a pause are faster, and
the least times would all be of these few."""


def capture_pair(
    base_step: Callable[[], Any],
    head_step: Callable[[], Any],
    *,
    steps: int = 20,
    folder: str | os.PathLike[str] = "tfprof_pair",
    warm_up: int = _WARM_UP,
) -> Path:
    """Run two versions of a step in turn and capture both into a folder for `tfprof gate`.

    Each is called without arguments, `warm_up` times before the trace and `steps` times in it.
    `FOLDER/base` and `FOLDER/head` are captures of their own, which `tfprof` opens.
    """
    _check(base_step, head_step, steps, warm_up)
    whole = Capture(folder)
    _remove_earlier(whole.folder)
    calls = dict(zip(SIDES, (base_step, head_step), strict=True))
    order = [*_alternate(steps)]
    for side in order[: 2 * warm_up]:
        calls[side]()
    whole.start()
    if not whole.is_running:
        raise OutputError(f"{whole.folder}: nothing was captured: {whole.notes[0]}")
    meter = _BusyMeter()
    try:
        _run(calls, order)
    finally:
        busy = meter.share()
        whole.stop()
    files = find_traces(whole.folder)
    if files is None:
        raise OutputError(f"{whole.folder}: nothing was captured: {' '.join(whole.notes)}")
    for side in SIDES:
        _save_side(whole.folder / side, side, files.traces)
    _remove_whole(whole.folder)
    about = {"version": 1, "steps": steps, "order": order, "busy": busy}
    write_whole(whole.folder / PAIR, f"{json.dumps(about)}\n".encode())
    return whole.folder


def _check(base_step: Any, head_step: Any, steps: Any, warm_up: Any) -> None:
    for name, step in (("base_step", base_step), ("head_step", head_step)):
        if not callable(step):
            raise OptionError(f"{name}: a {type(step).__name__} cannot be called; give a function")
    if type(steps) is not int or steps < _MIN_STEPS:
        raise OptionError(f"steps={steps!r}: give a number of at least {_MIN_STEPS}")
    if type(warm_up) is not int or warm_up < 0:
        raise OptionError(f"warm_up={warm_up!r}: give a number of calls, such as {_WARM_UP}")


def _alternate(steps: int) -> Iterator[str]:
    """Which side each call runs: `steps` of both, one of each in turn, either first in turn."""
    for i in range(steps):
        yield from SIDES if i % 2 == 0 else reversed(SIDES)


def _run(calls: dict[str, Callable[[], Any]], order: list[str]) -> None:
    """Run the steps, each marked with its number; the next starts when all devices are done."""
    import tensorflow as tf

    has_accelerator = any(d.device_type != "CPU" for d in tf.config.list_logical_devices())

    def run(side: str, mark: str, number: int) -> None:
        with tf.profiler.experimental.Trace(f"{_MARK}{mark}", step_num=number, _r=1):
            calls[side]()
            if has_accelerator:
                tf.test.experimental.sync_devices()

    numbers = dict.fromkeys(SIDES, 0)
    for side in _alternate(_LEAD):
        run(side, _UNUSED, 0)
    for side in order:
        run(side, side, numbers[side])
        numbers[side] += 1
    for side in _alternate(_TAIL):
        run(side, _UNUSED, 0)


class _BusyMeter:
    """The share of the machine's processors that other processes use, where Linux tells it."""

    def __init__(self) -> None:
        self._start = self._read()

    def _read(self) -> tuple[float, float, float]:
        """Seconds of all processors, of these the busy ones, and those of this process."""
        try:
            ticks = [int(n) for n in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        except (OSError, ValueError):
            return 0.0, 0.0, 0.0
        second = os.sysconf("SC_CLK_TCK")
        idle = ticks[3] + ticks[4]
        return sum(ticks) / second, (sum(ticks) - idle) / second, time.process_time()

    def share(self) -> float | None:
        """The share since the meter was made; None if it is not known."""
        total, used, own = (b - a for a, b in zip(self._start, self._read(), strict=True))
        return None if total <= 0 else round(min(max((used - own) / total, 0.0), 1.0), 3)


def _save_side(folder: Path, side: str, traces: list[Path]) -> None:
    """Write the events of one side's steps, and what the program knows of them."""
    for file in traces:
        space = XSpace.FromString(file.read_bytes())
        _keep_side(space, side)
        run = folder / "plugins" / "profile" / file.parent.name
        run.mkdir(parents=True, exist_ok=True)
        write_whole(run / file.name, space.SerializeToString())
    Capture(folder).save_program()


def _keep_side(space: XSpace, side: str) -> None:
    """Delete the events that started while a step of the other side ran, or before all steps."""
    marks = sorted(mark for plane in space.planes for mark in _marks(plane))
    if not marks:
        raise OutputError("nothing was captured: the trace has no step")
    starts = [start for start, _ in marks]
    for plane in space.planes:
        deleted = {event.metadata_id for line in plane.lines for event in line.events}
        for line in plane.lines:
            steps = [bisect_right(starts, _start(line.timestamp_ns, e)) - 1 for e in line.events]
            kept = [
                event
                for event, step in zip(line.events, steps, strict=True)
                if step >= 0 and marks[step][1] == side
            ]
            deleted -= {event.metadata_id for event in kept}
            del line.events[:]
            line.events.extend(kept)
        # The functions of a trace are known by the names of its events.
        for number in deleted:
            plane.event_metadata.pop(number, None)


def _marks(plane: XPlane) -> Iterator[tuple[int, str]]:
    """When the steps of a plane start, in picoseconds, and the side that each is of."""
    sides = {
        number: data.name.removeprefix(_MARK)
        for number, data in plane.event_metadata.items()
        if data.name in {f"{_MARK}{side}" for side in (*SIDES, _UNUSED)}
    }
    for line in plane.lines:
        for event in line.events:
            if event.metadata_id in sides:
                yield _start(line.timestamp_ns, event), sides[event.metadata_id]


def _start(timestamp_ns: int, event: XEvent) -> int:
    return 1000 * timestamp_ns + event.offset_ps


def _remove_earlier(folder: Path) -> None:
    """Remove what an earlier pair left: half of it must never be read with half of this one."""
    if not (folder / PAIR).exists():
        return
    (folder / PAIR).unlink()
    for side in SIDES:
        shutil.rmtree(folder / side, ignore_errors=True)


def _remove_whole(folder: Path) -> None:
    """Remove the trace of both sides, and what the capture of it added."""
    from tfprof.loaders.xplane.folders import ABOUT, DEBUG_INFO, FUNCTIONS, VARIABLES

    for name in (ABOUT, DEBUG_INFO, FUNCTIONS, VARIABLES):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder / "plugins", ignore_errors=True)
