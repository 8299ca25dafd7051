"""A part of a step, of which only the executions that run in it count, each as a whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof.definitions.options import Options
from tfprof.definitions.quirks import Quirks
from tfprof.definitions.units import format_time
from tfprof.errors import OptionError
from tfprof.profiles.executions import executions_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.record_columns import LATEST
from tfprof.profiles.schema import Array, BoolArray


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """Two times, in microseconds as records have them; the second is not part of it."""

    start: int
    end: int

    def overlaps(self, start: Array, end: Array) -> BoolArray:
        """Which executions run at some time of the window."""
        mask: BoolArray = (start < self.end) & ((end > self.start) | (start >= self.start))
        return mask


def time_window(profile: Profile, options: Options, quirks: Quirks) -> TimeWindow | None:
    """The window that `since` and `until` ask for; None if they are not given."""
    since, until = options.since, options.until
    if since < 0 and until < 0:
        return None
    option = "since" if since >= 0 else "until"
    if options.step < 0:
        raise OptionError(f"option '{option}': a time needs its step; add -step N")
    if 0 <= until <= since:
        raise OptionError(f"option 'until': {until}us is not after since, {since}us")
    executions = executions_of(profile, quirks)
    in_step = executions.interval_step == profile.steps.index(options.step)
    starts, first = executions.interval_start[in_step], step_start(profile, options.step, quirks)
    window = TimeWindow(first + max(since, 0), first + until if until >= 0 else LATEST)
    ends = starts + executions.interval_duration[in_step]
    if not window.overlaps(starts, ends).any():
        length = format_time(int(ends.max(initial=first)) - first)
        raise OptionError(
            f"option '{option}': nothing runs at that time of step {options.step}, "
            f"which takes {length}"
        )
    return window


def step_start(profile: Profile, step: int, quirks: Quirks) -> int:
    """When a step starts: when its first interval does; 0 if it has none."""
    executions = executions_of(profile, quirks)
    starts = executions.interval_start[executions.interval_step == profile.steps.index(step)]
    return int(starts.min()) if len(starts) else 0


def runs_in_window(
    profile: Profile, window: TimeWindow, step: int, quirks: Quirks
) -> tuple[Array, BoolArray]:
    """How often each node runs in a window of a step (its position), and which have records."""
    records = executions_of(profile, quirks).accepted_records()
    rows = (records.step == step) & window.overlaps(records.start, records.end)
    node = records.node[rows]
    counts = np.zeros(len(profile.nodes), np.int64)
    np.add.at(counts, node, records.runs[rows])
    present = np.zeros(len(profile.nodes), bool)
    present[node] = True
    return counts, present
