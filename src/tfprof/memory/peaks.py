"""The memory that is live at the peak of each device, or at another moment of a step.

Recorded allocations say so exactly. The peak of a device without them is estimated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tfprof.definitions.quirks import Quirks
from tfprof.definitions.units import FORMATS, format_time
from tfprof.errors import OptionError
from tfprof.memory.allocations import MemoryBlocks, Pool, find_blocks
from tfprof.memory.compiled_buffers import argument_bytes
from tfprof.memory.estimated_peaks import (
    EstimatedPeak,
    estimate_peak,
    node_lifetimes,
    rows_by_device,
    steps_with_memory,
)
from tfprof.memory.live_memory import LiveMemory, all_live_memory
from tfprof.profiles.executions import Executions, executions_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.profiles.source_columns import LARGE_BLOCKS_ONLY

PEAK = -1
"""The moment of the peak."""

NOTHING_RECORDED = (
    "no allocation was recorded; trace a step with RunMetadata (trace_level=FULL_TRACE), "
    "and give it as run_meta, or see 'tfprof fit' for the peak that the graph tells"
)


@dataclass(frozen=True, slots=True, eq=False)
class NodeBytes:
    """Bytes of some nodes. All peaks together have few of them, but each as many sums as nodes."""

    node: Array
    bytes: Array
    nodes: int
    """How many nodes the profile has."""

    @property
    def sums(self) -> Array:
        """The bytes of each node."""
        sums = np.zeros(self.nodes, np.int64)
        np.add.at(sums, self.node, self.bytes)
        return sums


@dataclass(frozen=True, slots=True, eq=False)
class MemoryPeak:
    """What is live in the memory of a device at its peak, or at another moment of a step."""

    device: str
    step: int
    bytes: int
    micros: int
    """The time since the start of the step."""
    changes: NodeBytes
    """Changes of memory until then, whose sum it is."""
    allocator: str = ""
    temporary_bytes: int = 0
    """How much of it ops release before they end."""
    persistent_bytes: int = 0
    """What ops say that they keep between steps, such as variables, and the arguments of compiled
    programs; it is not in `bytes`."""
    kept_bytes: int = 0
    """What the step allocated and did not release."""
    clock_micros: int = 0
    """The time on the clock of the records."""
    memory: LiveMemory | None = None
    """The recorded allocations; None if the peak is estimated."""

    @property
    def node_bytes(self) -> Array:
        """How much of it each node allocated."""
        return self.changes.sums

    @property
    def recorded(self) -> bool:
        """Whether allocations were recorded; otherwise it is an estimate."""
        return self.memory is not None

    @property
    def partial(self) -> bool:
        """Whether only some allocations were recorded, so that it is a lower bound."""
        return self.allocator == LARGE_BLOCKS_ONLY

    @property
    def method(self) -> str:
        """How it is known, in brackets, if not from complete records."""
        if not self.recorded:
            return " (estimated from the last use of outputs)"
        return f" (at least: {self.allocator})" if self.partial else ""

    def describe(self, moment: str = "at the peak") -> str:
        """One line for the user."""
        return (
            f"{FORMATS['memory'](self.bytes)} {moment} of {self.device}, "
            f"{format_time(self.micros)} into step {self.step}{self.method}"
        )


class StepMemory:
    """The memory of the steps of a profile, computed when it is asked for.

    `profile` has the columns alone: it must not hold what holds it.
    """

    def __init__(self, profile: Profile, executions: Executions) -> None:
        self.profile, self.executions = profile, executions
        self._peaks: dict[tuple[int, int], list[MemoryPeak]] = {}
        self._descriptions: dict[tuple[int, int], list[str]] = {}

    @cached_property
    def blocks(self) -> MemoryBlocks:
        """The recorded blocks."""
        return find_blocks(self.profile, self.executions)

    @cached_property
    def pools(self) -> list[LiveMemory]:
        """The live bytes of each pool in each step."""
        return all_live_memory(self.blocks)

    @cached_property
    def persistent_bytes(self) -> Mapping[tuple[str, int], int]:
        """What ops say that they keep between steps, by device and position of the step."""
        executions, sums = self.executions, Counter[tuple[str, int]]()
        for column in (executions.accelerator_persistent_bytes, executions.host_persistent_bytes):
            rows = np.flatnonzero(column)
            device = executions.device[executions.memory_node[rows]]
            columns = (device, executions.memory_step[rows], column[rows])
            for number, step, size in zip(*(each.tolist() for each in columns), strict=True):
                if number >= 0:
                    sums[self.profile.devices[number], step] += size
        return sums

    @property
    def nothing_recorded(self) -> str:
        """Why nothing is known, if so: nothing was recorded, or the records contradict."""
        return "; ".join(self.blocks.warnings) or NOTHING_RECORDED

    def peaks(self, step: int = -1, at: int = PEAK) -> list[MemoryPeak]:
        """The peak of each device that holds memory, by name; by default of the highest step.

        With `at`, what is live that many microseconds after the start of a step. It must have been
        recorded: an estimate knows only the peak.
        """
        key = (max(step, -1), at)
        if key not in self._peaks:
            self._peaks[key] = _find_peaks(self, *key)
        return self._peaks[key]

    def describe_peaks(self, step: int, at: int) -> list[str]:
        """A line for each of the peaks."""
        key = (max(step, -1), at)
        if key not in self._descriptions:
            moment = "at the peak" if at == PEAK else "live in the memory"
            self._descriptions[key] = [peak.describe(moment) for peak in self.peaks(*key)]
        return self._descriptions[key]

    @cached_property
    def _interval_bounds(self) -> tuple[Array, Array]:
        """The first start and the last end of the intervals of each step."""
        executions, limits = self.executions, np.iinfo(np.int64)
        first = np.full(len(self.profile.steps), limits.max)
        last = np.full(len(self.profile.steps), limits.min)
        start, step = executions.interval_start, executions.interval_step
        np.minimum.at(first, step, start)
        np.maximum.at(last, step, start + executions.interval_duration)
        return first, last

    def step_bounds(self, step: int, memories: Sequence[LiveMemory]) -> tuple[int, int]:
        """The start and the end of a step, by its position, of which some pools are known."""
        first, last = self._interval_bounds
        times = [memory.time for memory in memories if len(memory.time)]
        return (
            min(int(first[step]), min((int(time[0]) for time in times), default=0)),
            max(int(last[step]), max((int(time[-1]) for time in times), default=0)),
        )


def step_memory(profile: Profile, quirks: Quirks) -> StepMemory:
    """The memory of the steps of a resolved profile."""

    def make() -> StepMemory:
        columns = profile.memoize("columns alone", profile.replace)
        return StepMemory(columns, executions_of(profile, quirks))

    return profile.memoize((step_memory, quirks), make)


def _find_peaks(memory: StepMemory, step: int, at: int) -> list[MemoryPeak]:
    profile, executions = memory.profile, memory.executions
    first = profile.steps.index(step) if step >= 0 else 0
    steps = range(first, first + 1 if step >= 0 else len(profile.steps))
    recorded = [pool for pool in memory.pools if pool.step in steps]
    if at != PEAK:
        peaks = _find_live_at(memory, recorded, at)
    else:
        highest: dict[Pool, LiveMemory] = {}
        for live in recorded:
            if live.peak > highest.setdefault(live.pool, live).peak:
                highest[live.pool] = live
        peaks = [_recorded_peak(memory, live) for live in highest.values()]
        names = {live.pool.device for live in recorded}
        known = {i for i, name in enumerate(profile.devices) if name in names}
        peaks += _estimate_peaks(profile, executions, steps, known)
    return sorted((peak for peak in peaks if peak.bytes or at != PEAK), key=lambda p: p.device)


def _find_live_at(memory: StepMemory, recorded: Sequence[LiveMemory], at: int) -> list[MemoryPeak]:
    """What is live in each pool at a moment of the step that has the highest peak of all."""
    if not recorded:
        raise OptionError(f"option 'at': {memory.nothing_recorded}")
    step = max(recorded, key=lambda live: live.peak).step
    chosen = [live for live in recorded if live.step == step]
    first, last = memory.step_bounds(step, chosen)
    if at > last - first:
        length, number = format_time(last - first), memory.profile.steps[step]
        raise OptionError(f"option 'at': step {number} ends after {length}; give an earlier time")
    return [_recorded_peak(memory, live, first + at) for live in chosen]


def _recorded_peak(memory: StepMemory, live: LiveMemory, micros: int | None = None) -> MemoryPeak:
    profile = memory.profile
    time = live.peak_time if micros is None else micros
    rows, blocks = live.rows_at(time), live.blocks
    first, _ = memory.step_bounds(live.step, [live])
    sizes = blocks.size[rows]
    return MemoryPeak(
        live.pool.device,
        profile.steps[live.step],
        int(sizes.sum()),
        time - first,
        NodeBytes(blocks.node[rows], sizes, len(profile.nodes)),
        live.pool.allocator,
        int(sizes[blocks.temporary[rows]].sum()),
        _persistent_bytes(memory, live),
        live.kept,
        time,
        live,
    )


def _persistent_bytes(memory: StepMemory, live: LiveMemory) -> int:
    kept = memory.persistent_bytes.get((live.pool.device, live.step), 0)
    return kept + argument_bytes(memory.profile, live)


def _estimate_peaks(
    profile: Profile, executions: Executions, steps: Sequence[int], known: set[int]
) -> list[MemoryPeak]:
    """The peaks of devices that are not known from recorded allocations."""
    highest: dict[int, tuple[EstimatedPeak, int]] = {}
    with_memory = steps_with_memory(executions)
    for step in (step for step in steps if step in with_memory):
        rows = rows_by_device(executions, step)
        devices = rows.keys() - known
        if not devices:
            continue
        lifetimes = node_lifetimes(profile, executions, step)
        for device in devices:
            peak = estimate_peak(executions, rows[device], lifetimes)
            if device not in highest or peak.bytes > highest[device][0].bytes:
                highest[device] = peak, step
    peaks = []
    for device, (peak, step) in sorted(highest.items()):
        start = executions.interval_start[executions.interval_step == step]
        elapsed = peak.micros - int(start.min(initial=peak.micros))
        name, number = profile.devices[device], profile.steps[step]
        changes = NodeBytes(peak.node, peak.change, len(profile.nodes))
        peaks.append(MemoryPeak(name, number, peak.bytes, max(elapsed, 0), changes))
    return peaks
