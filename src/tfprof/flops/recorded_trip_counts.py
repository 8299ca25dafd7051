"""Trip counts that runs recorded, for loops whose trip counts the graph does not show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from tfprof.flops.v1_loops import NEXT, LoopNest, enclosing_loops
from tfprof.functions.calls import LOOPS
from tfprof.functions.expand import InlinedBody, expand
from tfprof.functions.library import FunctionBody, FunctionLibrary
from tfprof.loaders.run_metadata import read_run
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.protos.graph_pb2 import NodeDef
from tfprof.resolve.runtime_names import strip_counters
from tfprof.runtime.lazy import cached_property


@dataclass(frozen=True, slots=True)
class LoopId:
    """A loop of a body: a While node, or the frame of Enter nodes, by its name."""

    body: str
    name: str


@dataclass(frozen=True, slots=True)
class RunCounts:
    """How often nodes ran in some steps, under their runtime names."""

    steps: int
    runs: Mapping[str, int]


def read_run_counts(run_meta: object) -> RunCounts:
    """The runs of one RunMetadata, or of several: paths, bytes or messages."""
    sources = run_meta if isinstance(run_meta, (list, tuple)) else [run_meta]
    runs = [run for source in sources if (run := read_run(source)) is not None]
    return _count_runs((run.name, run.device) for run in runs)


def run_counts_of(profile: Profile) -> RunCounts:
    """The runs that the records of a profile show."""
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
    library: FunctionLibrary, loops: Iterable[LoopId], records: RunCounts
) -> dict[LoopId, int]:
    """The trip count of each loop; a loop without a record, or with different ones, is left out."""
    bodies = expand(library).bodies
    call_runs = _CallRuns(bodies, records)
    trip_counts: dict[LoopId, int] = {}
    for loop in loops:
        calls = [inlined for inlined in bodies if inlined.body.name == loop.body]
        counts = {call_runs.trip_count(inlined, loop.name) for inlined in calls} - {None}
        if len(counts) == 1:
            trip_counts[loop] = counts.pop() or 0
    return trip_counts


class _CallRuns:
    """How often each inlined body was run.

    TensorFlow inlines most functions into a root: the graph, or a function that is called. The
    names of their nodes in a trace begin below that root.
    """

    def __init__(self, bodies: list[InlinedBody], counts: RunCounts) -> None:
        self._bodies, self._counts = bodies, counts
        self._enclosing: dict[str, dict[int, LoopNest]] = {}

    def trip_count(self, inlined: InlinedBody, loop: str) -> int | None:
        """The trip count of a loop in one body, by the first root that has records of it."""
        trips = (self._trip_count_below(root, inlined, loop) for root in _roots(inlined))
        return next((count for count in trips if count is not None), None)

    def _trip_count_below(self, root: InlinedBody, inlined: InlinedBody, loop: str) -> int | None:
        body = inlined.body
        position = body.positions.get(loop, -1)
        if position >= 0 and body.nodes[position].op in LOOPS:
            return self._while_trip_count(root, inlined, position)
        nests = self._enclosing_loops(body).values()
        nest = next((nest for nest in nests if nest.loop == loop), None)
        if nest is None:
            return None
        outer = nest.outer
        outside = self._iterations(root, inlined, outer) if outer else self._runs(root, inlined)
        return _divide(self._iterations(root, inlined, nest), outside)

    def _while_trip_count(
        self, root: InlinedBody, inlined: InlinedBody, position: int
    ) -> int | None:
        callees = {
            callee.call.kind: callee for callee in inlined.children.get(position, ()) if callee.call
        }
        runs = self._runs(root, inlined)
        if not {"body", "cond"} <= callees.keys() or not runs:
            return None
        body_runs, cond_runs = (self._call_runs(root, callees[kind]) for kind in ("body", "cond"))
        # The condition is evaluated once more than the body runs.
        return _divide(body_runs or (cond_runs - runs if cond_runs else None), runs)

    def _iterations(self, root: InlinedBody, inlined: InlinedBody, nest: LoopNest) -> int | None:
        """The iterations of a v1 loop, all together."""
        nodes = inlined.body.nodes
        runs = {
            position: self._node_runs(root, inlined, position)
            for position, loops in self._enclosing_loops(inlined.body).items()
            if loops is nest
        }
        if not any(runs.values()):
            return None
        return max((count for i, count in runs.items() if nodes[i].op in NEXT), default=0)

    def _runs(self, root: InlinedBody, inlined: InlinedBody) -> int | None:
        """How often a body was run: as often as its nodes, or if they are gone, its caller."""
        while inlined is not root and inlined.parent is not None:
            runs = self._call_runs(root, inlined)
            if runs:
                return runs
            if inlined.call is None or inlined.call.kind != "call":
                return None
            inlined = inlined.parent
        return self._counts.steps if root.parent is None else self._call_runs(root, root)

    def _call_runs(self, root: InlinedBody, inlined: InlinedBody) -> int:
        """The largest number of runs of the nodes of a body outside of v1 loops."""
        looped = self._enclosing_loops(inlined.body)
        positions = (i for i in range(len(inlined.body.nodes)) if i not in looped)
        return max((self._node_runs(root, inlined, i) for i in positions), default=0)

    def _node_runs(self, root: InlinedBody, inlined: InlinedBody, position: int) -> int:
        """The runs of a node under its name below a root."""
        name = _name_below(root, inlined, inlined.body.nodes[position])
        return self._counts.runs.get(name, 0) if self._owners[name] == root.body.name else 0

    def _enclosing_loops(self, body: FunctionBody) -> dict[int, LoopNest]:
        if body.name not in self._enclosing:
            self._enclosing[body.name] = enclosing_loops(body, body.order())
        return self._enclosing[body.name]

    @cached_property
    def _owners(self) -> dict[str, str | None]:
        """The function, or the graph itself, that each name belongs to, if it can be no other."""
        owner: dict[str, str | None] = {}
        for inlined in self._bodies:
            for root in _roots(inlined):
                for node in inlined.body.nodes:
                    name = _name_below(root, inlined, node)
                    if owner.setdefault(name, root.body.name) != root.body.name:
                        owner[name] = None
        return owner


def _name_below(root: InlinedBody, inlined: InlinedBody, node: NodeDef) -> str:
    return inlined.prefix[len(root.prefix) :] + node.name


def _roots(inlined: InlinedBody) -> list[InlinedBody]:
    """The graph itself, and the functions around a body that may be called rather than inlined."""
    functions, outer = [], inlined
    while outer.parent is not None:
        if outer.call is not None and outer.call.kind == "call":
            functions.append(outer)
        outer = outer.parent
    return [outer, *reversed(functions)]


def _divide(iterations: int | None, runs: int | None) -> int | None:
    """The iterations of each run, if they are an integer."""
    if iterations is None or not runs or iterations % runs:
        return None
    return iterations // runs
