"""Trip counts that runs recorded, for loops whose trip counts the graph does not show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from tfprof.flops.v1_loops import NEXT, loops_around
from tfprof.functions.calls import LOOPS
from tfprof.functions.expand import Frame, expand
from tfprof.functions.library import FunctionBody, FunctionLibrary
from tfprof.loaders.run_metadata import read_run
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.resolve.runtime_names import strip_counters


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of a body: a While node, or the frame of Enter nodes, by its name."""

    body: str
    name: str


@dataclass(frozen=True, slots=True)
class RunCounts:
    """How often nodes ran in some steps, under their runtime names."""

    steps: int
    runs: Mapping[str, int]


def read_run_counts(run_meta: object) -> RunCounts:
    """The records of one RunMetadata, or of several: paths, bytes or messages."""
    sources = run_meta if isinstance(run_meta, (list, tuple)) else [run_meta]
    runs = [run for source in sources if (run := read_run(source)) is not None]
    return _count_runs((run.name, run.device) for run in runs)


def run_counts_of(profile: Profile) -> RunCounts:
    """The records of a profile."""
    return _count_runs((run.names.dictionary_decode(), run.device) for run in profile.records)


def _count_runs(runs: Iterable[tuple[pa.Array, Array]]) -> RunCounts:
    """The executions of each name, from the names and devices of the records of each run."""
    total: Counter[str] = Counter()
    steps = 0
    for names, devices in runs:
        steps += 1
        counts: Counter[tuple[str, int]] = Counter()
        for name, device in zip(names.to_pylist(), devices.tolist(), strict=True):
            counts[strip_counters(name.partition(":")[0]), device] += 1
        # A stream device repeats the executions of its GPU: the largest count is the right one.
        largest: Counter[str] = Counter()
        for (name, _), count in counts.items():
            largest[name] = max(largest[name], count)
        total += largest
    return RunCounts(steps, total)


def recorded_trip_counts(
    library: FunctionLibrary, loops: Iterable[Loop], records: RunCounts
) -> dict[Loop, int]:
    """The trip count of each loop; a loop without a record, or with different ones, is left out."""
    frames = expand(library).frames
    executions = _Executions(frames, records)
    trip_counts: dict[Loop, int] = {}
    for loop in loops:
        calls = [frame for frame in frames if frame.body.name == loop.body]
        counts = {executions.trip_count(frame, loop.name) for frame in calls} - {None}
        if len(counts) == 1:
            trip_counts[loop] = counts.pop() or 0
    return trip_counts


class _Executions:
    """How often each call of a function was run."""

    def __init__(self, frames: list[Frame], records: RunCounts) -> None:
        self._frames, self._records = frames, records
        self._around: dict[str, dict[int, tuple[str, ...]]] = {}

    def trip_count(self, frame: Frame, loop: str) -> int | None:
        """The trip count of a loop in one call.

        A function that was not inlined has its nodes under their own names, for all of its calls.
        """
        counts = (_Names(self, frame, root).trip_count(loop) for root in _roots(frame))
        return next((count for count in counts if count is not None), None)

    def node_runs(self, frame: Frame, position: int, root: Frame) -> int:
        """The runs of a node under its name below a root."""
        name = frame.prefix[len(root.prefix) :] + frame.body.nodes[position].name
        return self._records.runs.get(name, 0) if self._owners[name] == root.body.name else 0

    def runs(self, root: Frame) -> int:
        """The runs of a root itself."""
        return self._records.steps if root.parent is None else self.call_runs(root, root)

    def call_runs(self, frame: Frame, root: Frame) -> int:
        """The runs of a call: the largest number of runs of its nodes outside of v1 loops."""
        looped = self.loops(frame.body)
        positions = (i for i in range(len(frame.body.nodes)) if i not in looped)
        return max((self.node_runs(frame, i, root) for i in positions), default=0)

    def loops(self, body: FunctionBody) -> dict[int, tuple[str, ...]]:
        """The v1 loops around the nodes of a body."""
        if body.name not in self._around:
            self._around[body.name] = loops_around(body, body.order())
        return self._around[body.name]

    @cached_property
    def _owners(self) -> dict[str, str | None]:
        """The function, or the graph itself, that each name belongs to, if it can be no other."""
        owner: dict[str, str | None] = {}
        for frame in self._frames:
            for root in _roots(frame):
                for node in frame.body.nodes:
                    name = frame.prefix[len(root.prefix) :] + node.name
                    if owner.setdefault(name, root.body.name) != root.body.name:
                        owner[name] = None
        return owner


@dataclass(frozen=True, slots=True)
class _Names:
    """A call whose records are under the names below a root."""

    executions: _Executions
    frame: Frame
    root: Frame

    def trip_count(self, loop: str) -> int | None:
        """The trip count of a loop in one run of the call."""
        body = self.frame.body
        position = body.positions.get(loop, -1)
        if position >= 0 and body.nodes[position].op in LOOPS:
            return self._of_while(position)
        around = next((a for a in self.executions.loops(body).values() if a[-1] == loop), None)
        if around is None:
            return None
        outside = self._of_frames(around[:-1]) if around[1:] else self._runs()
        return _share(self._of_frames(around), outside)

    def _of_while(self, position: int) -> int | None:
        callees = self.frame.children.get(position, ())
        kinds = {inner.call.kind: inner for inner in callees if inner.call}
        outside = self._runs()
        if not {"body", "cond"} <= kinds.keys() or not outside:
            return None
        inside, tested = (
            self.executions.call_runs(kinds[kind], self.root) for kind in ("body", "cond")
        )
        # The condition is asked once more than the body runs.
        return _share(inside or (tested - outside if tested else None), outside)

    def _of_frames(self, around: tuple[str, ...]) -> int | None:
        """The iterations of a v1 loop, all together."""
        nodes = self.frame.body.nodes
        runs = {
            i: self.executions.node_runs(self.frame, i, self.root)
            for i, loops in self.executions.loops(self.frame.body).items()
            if loops == around
        }
        if not any(runs.values()):
            return None
        return max((number for i, number in runs.items() if nodes[i].op in NEXT), default=0)

    def _runs(self) -> int | None:
        """How often the call was run: as often as its nodes, or if they are gone, its caller."""
        frame = self.frame
        while frame is not self.root and frame.parent is not None:
            runs = self.executions.call_runs(frame, self.root)
            if runs:
                return runs
            if frame.call is None or frame.call.kind != "call":
                return None
            frame = frame.parent
        return self.executions.runs(self.root)


def _roots(frame: Frame) -> list[Frame]:
    """The graph itself, and the functions around a call that may be called rather than inlined."""
    functions, outer = [], frame
    while outer.parent is not None:
        if outer.call is not None and outer.call.kind == "call":
            functions.append(outer)
        outer = outer.parent
    return [outer, *reversed(functions)]


def _share(total: int | None, among: int | None) -> int | None:
    """Iterations of each run, if it is an integer."""
    if total is None or not among or total % among:
        return None
    return total // among
