"""The numbers of every node for a step, or on average over the steps it ran in.

Times that are known to the nanosecond are summed in nanoseconds and rounded last: see `EXACT_TIMES`
and `round_last`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import METRICS, OPERATIONS, known_metrics
from tfprof.definitions.quirks import Quirks
from tfprof.flops.flop_columns import NodeFlops, has_symbols
from tfprof.flops.node_flops import LazyFlops, lazy_flops
from tfprof.memory.peaks import PEAK, StepMemory, step_memory
from tfprof.profiles.add_rows import nodes_with_attr
from tfprof.profiles.executions import BYTE_FIELDS, Executions, executed_counts, executions_of
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.lazy_columns import LazyColumns, sum_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.protos import graph_pb2
from tfprof.reports.time_window import TimeWindow, runs_in_window
from tfprof.reports.wall_time import wall_time
from tfprof.resolve.replaced_nodes import executed_nodes
from tfprof.runtime.lazy import cached_property

AVERAGE = -1
EXACT_TIMES = {
    "exec_micros": "exec_ns",
    "accelerator_exec_micros": "accelerator_exec_ns",
    "cpu_exec_micros": "cpu_exec_ns",
}
"""The columns of `NodeSums` that have a time in nanoseconds."""
_SAFE = 2**62
_SCALAR = graph_pb2.AttrValue(shape=graph_pb2.TensorShapeProto()).SerializeToString()


def measures(
    profile: Profile,
    quirks: Quirks,
    step: int = AVERAGE,
    at: int = PEAK,
    window: TimeWindow | None = None,
) -> LazyColumns:
    """The numbers of every node; `at` is the moment of the step that live bytes are of.

    In a window of time, which `live_bytes` are not restricted to, nodes have the numbers of the
    executions that run in it.
    """
    step = AVERAGE if step < 0 else step
    if window is not None:  # of which a user may look at any number
        return _measures(profile, quirks, step, at, window)
    key = (measures, quirks, step, at)
    return profile.memoize(key, lambda: _measures(profile, quirks, step, at, None))


def round_last(
    profile: Profile, quirks: Quirks, make: Callable[[str], Array]
) -> Callable[[str], Array]:
    """A function that computes columns like `make`, which sums up others.

    It sums times in nanoseconds, if they are known, and rounds them then.
    """
    if not executions_of(profile, quirks).has_nanos:
        return make
    return lambda name: to_micros(make(EXACT_TIMES[name])) if name in EXACT_TIMES else make(name)


def to_micros(nanos: Array) -> Array:
    """Nanoseconds rounded to microseconds."""
    return (nanos + 500) // 1000


def _measures(
    profile: Profile, quirks: Quirks, step: int, at: int, window: TimeWindow | None
) -> LazyColumns:
    wanted = None if step == AVERAGE else profile.steps.index(step)
    # A copy, as a profile that holds what holds it would stay until the garbage is collected.
    columns = profile.memoize("columns alone", profile.replace)
    flops = lazy_flops(profile, quirks)
    memory = step_memory(profile, quirks)
    sums = NodeSums(columns, memory, flops, quirks, step=wanted, at=at, window=window)
    return LazyColumns(len(profile.nodes), sums.column, sums.sum_bound)


class NodeSums:
    """The numbers of each node in one step (its position among the steps) or on average (None).

    A metric's number is the property that is called like its measure, or its `source`.
    """

    def __init__(
        self,
        profile: Profile,
        memory: StepMemory,
        flops: LazyFlops,
        quirks: Quirks,
        *,
        step: int | None,
        at: int = PEAK,
        window: TimeWindow | None = None,
    ) -> None:
        self._window = window
        self.profile, self.executions = profile, memory.executions
        self.quirks, self.step = quirks, step
        self._memory, self._flops, self._at = memory, flops, at

    @property
    def _counted(self) -> NodeFlops:
        """The float operations of the step's batch, or of the mean over all steps."""
        return self._flops.of_step(None if self.step is None else self.profile.steps[self.step])

    def column(self, measure: str) -> Array:
        """One number of every node."""
        if measure in BYTE_FIELDS:
            rows = self._memory_rows()
            values = getattr(self.executions, measure)[rows]
            return self._average(self._sum(self.executions.memory_node[rows], values))
        source = {metric.measure: metric.source for metric in METRICS.values()}.get(measure)
        column: Array = source(self) if source else getattr(self, measure)
        return column

    @cached_property
    def kind(self) -> Any:
        """The type of numbers that holds all sums."""
        return _kind_of_sums(self.executions, self.quirks)

    def sum_bound(self, measure: str) -> float | None:
        """What no sum of a measure exceeds, if that is known without the column."""
        if measure in OPERATIONS:
            flops = self._counted
            if flops.symbols:
                return np.inf
            runs = max(self.executions.run_bound, int(flops.executions.max(initial=1)))
            executed = 0.0 if flops.executed is None else sum_of(flops.executed)
            return max(sum_of(flops.float_ops), executed) * runs
        return self.executions.sum_bound if measure in _RECORDED else None

    @property
    def exec_micros(self) -> Array:
        """The time on accelerators and CPUs."""
        return self._micros(True, False)

    @property
    def accelerator_exec_micros(self) -> Array:
        """The time on accelerators."""
        return self._micros(True)

    @property
    def cpu_exec_micros(self) -> Array:
        """The time on CPUs."""
        return self._micros(False)

    @property
    def exec_ns(self) -> Array:
        """The time on accelerators and CPUs in nanoseconds."""
        return self._average(self._times[True] + self._times[False])

    @property
    def accelerator_exec_ns(self) -> Array:
        """The time on accelerators in nanoseconds."""
        return self._average(self._times[True])

    @property
    def cpu_exec_ns(self) -> Array:
        """The time on CPUs in nanoseconds."""
        return self._average(self._times[False])

    def _micros(self, *where: bool) -> Array:
        """The time on accelerators (True), CPUs (False) or both."""
        time = self._average(
            np.add.reduce([self._times[is_accelerator] for is_accelerator in where])
        )
        return to_micros(time) if self.executions.has_nanos else time

    @property
    def wall_micros(self) -> Array:
        """The share of each node in the time of the step."""
        if "wall_micros" not in known_metrics(self.quirks):
            return np.zeros(len(self.profile.nodes), np.int64)
        wall = wall_time(self.executions, len(self.profile.nodes), self.step, self._window)
        return wall.node_micros

    @property
    def live_bytes(self) -> Array:
        """What each node allocated that is live at the peak of its device."""
        live = np.zeros(len(self.profile.nodes), np.int64)
        if "live_bytes" in known_metrics(self.quirks):
            step = AVERAGE if self.step is None else self.profile.steps[self.step]
            for peak in self._memory.peaks(step, self._at):
                live += peak.node_bytes
        return live

    @property
    def parameters(self) -> Array:
        """The number of elements of each node's shape."""
        return parameters(self.profile, self.quirks)

    @property
    def definition_count(self) -> Array:
        """Each node is one definition."""
        return np.ones(len(self.profile.nodes), np.int64)

    @cached_property
    def _times(self) -> dict[bool, Array]:
        """The time on accelerators (True) and CPUs: nanoseconds, or microseconds if not exact."""
        executions = self.executions
        is_exact = executions.has_nanos
        time = executions.interval_self_nanos if is_exact else executions.interval_duration
        in_step = True if self.step is None else executions.interval_step == self.step
        if self._window:
            start = executions.interval_start
            in_step &= self._window.overlaps(start, start + executions.interval_duration)
        chosen = {
            True: executions.interval_accelerator & in_step,
            False: ~executions.interval_accelerator & in_step,
        }
        return {
            where: self._sum(executions.interval_node[rows], time[rows])
            for where, rows in chosen.items()
        }

    @cached_property
    def run_count(self) -> Array:
        """How often each node ran."""
        if self._window:
            return self._in_window[0]
        rows = self._rows(self.executions.execution_step)
        runs = self.executions.execution_runs[rows]
        return self._average(self._sum(self.executions.execution_node[rows], runs))

    @cached_property
    def _executions(self) -> Array:
        """How often each node ran, or runs by what the graph shows if no run is loaded."""
        ran = np.zeros(len(self.profile.nodes), bool)
        ran[self.executions.execution_node] = True
        if not ran.any():
            return self._counted.executions
        executions = executed_counts(self.profile.calls, ran, self.run_count)
        if self.quirks.unexecuted_float_ops or self.profile.saved:
            return executions  # a saved profile has no float operations of other nodes
        ran[:] = False
        ran[self.executions.execution_node[self._rows(self.executions.execution_step)]] = True
        if self._window:
            ran &= self._in_window[1]
        counts: Array = executions * executed_nodes(self.profile, ran)
        return self._with_compiled(counts, ran)

    def _with_compiled(self, counts: Array, ran: BoolArray) -> Array:
        """Executions of nodes that run in compiled programs, which may have no records.

        The program says how often they run for each run of the program.
        """
        flops = self._counted
        if flops.compiled is None:
            return counts
        counts = np.where(flops.compiled & ~ran, flops.executions, counts)
        caller = flops.compiled_caller
        if caller is None:
            return counts
        inside = np.flatnonzero(caller >= 0)
        times = flops.executions[inside] // np.maximum(flops.executions[caller[inside]], 1)
        counts[inside] = self.run_count[caller[inside]] * times
        return counts

    @property
    def float_ops(self) -> Array:
        """The float operations of all executions of each node."""
        return self._over_executions(self._counted.float_ops)

    @property
    def executed_float_ops(self) -> Array:
        """The float operations that compiled programs execute; of other nodes the same."""
        if "executed_float_ops" in known_metrics(self.quirks):
            return self._over_executions(self._counted.executed_or_model())
        return np.zeros(len(self.profile.nodes), np.int64)

    @property
    def macs(self) -> Array:
        """The multiply-adds among them."""
        if "macs" in known_metrics(self.quirks):
            return self._over_executions(self._counted.macs)
        return np.zeros(len(self.profile.nodes), np.int64)

    def _over_executions(self, once: Array) -> Array:
        """Numbers times the executions of each node, in a type that holds all sums."""
        executions = self._executions
        if has_symbols(once) or has_symbols(executions):
            symbolic: Array = once.astype(object) * executions.astype(object)
            return symbolic
        large = _magnitude(once.astype(float) * executions.astype(float)) >= _SAFE
        if large and not self.quirks.int64_overflow:
            once = once.astype(object)
        product: Array = once * executions
        return product if large else product.astype(np.int64, copy=False)

    @cached_property
    def _in_window(self) -> tuple[Array, BoolArray]:
        """How often each node runs in the window, and which nodes have records in it."""
        assert self._window is not None
        assert self.step is not None
        return runs_in_window(self.profile, self._window, self.step, self.quirks)

    def _memory_rows(self) -> Any:
        """The rows with memory of the step and the window."""
        executions = self.executions
        rows = self._rows(executions.memory_step)
        if self._window:
            rows &= self._window.overlaps(executions.memory_start, executions.memory_micros)
        return rows

    def _rows(self, steps: Array) -> Any:
        return slice(None) if self.step is None else steps == self.step

    def _sum(self, node: Array, values: Array) -> Array:
        total = np.zeros(len(self.profile.nodes), self.kind)
        np.add.at(total, node, values)
        return total

    @cached_property
    def _step_counts(self) -> Array:
        """In how many steps each node ran, at least 1."""
        counts = np.bincount(self.executions.execution_node, minlength=len(self.profile.nodes))
        return np.maximum(counts, 1)

    def _average(self, total: Array) -> Array:
        if self.step is not None:
            return total
        if self.quirks.negative_durations:
            # The original divides a signed sum by an unsigned count.
            steps = self._step_counts.astype(np.uint64)
            return (total.view(np.uint64) // steps).view(np.int64)
        return total // self._step_counts


_RECORDED = (
    *BYTE_FIELDS,
    *("exec_micros", "accelerator_exec_micros", "cpu_exec_micros", "run_count"),
)


def _kind_of_sums(executions: Executions, quirks: Quirks) -> Any:
    """64 bits, or numbers of any size where sums over all nodes may not fit."""
    if quirks.int64_overflow or 1000 * executions.sum_bound < _SAFE:
        return np.int64
    bounds = [
        *(_magnitude(getattr(executions, field)) for field in BYTE_FIELDS),
        _magnitude(executions.interval_duration),
        _magnitude(executions.execution_runs),
    ]
    return np.int64 if max(bounds) < _SAFE else object


def _magnitude(values: Array) -> float:
    return float(np.abs(values.astype(np.float64)).sum())


def parameters(profile: Profile, quirks: Quirks) -> Array:
    """The number of elements of each node's own shape; 0 if it has none or part is unknown."""
    return profile.memoize((parameters, quirks), lambda: _parameters(profile.nodes.shape, quirks))


def _parameters(shapes: pa.Array, quirks: Quirks) -> Array:
    offsets = list_offsets(shapes)
    sizes = shapes.flatten().to_numpy()
    result = np.zeros(len(shapes), np.int64)
    known = np.flatnonzero(np.diff(offsets) > 0)
    if not len(known):
        return result
    first = offsets[known]
    result[known] = np.multiply.reduceat(sizes, first)
    negative = np.logical_or.reduceat(sizes < 0, first)
    result[known[negative]] = 0
    if quirks.int64_overflow:
        return result
    with np.errstate(over="ignore", invalid="ignore"):
        magnitude = np.multiply.reduceat(np.abs(sizes.astype(np.float64)), first)
    # No machine can hold so many, and no text shows the number: it counts as unknown.
    result[known[np.isinf(magnitude)]] = 0
    magnitude[np.isinf(magnitude)] = 0
    if magnitude[~negative].sum() < 2**62:
        return result
    exact = result.astype(object)
    for row in known[~negative & (magnitude >= 2**62)]:
        product = 1
        for size in sizes[offsets[row] : offsets[row + 1]].tolist():
            product *= size
        exact[row] = product
    return exact


def scalars(profile: Profile) -> BoolArray:
    """Which nodes have the shape of a scalar, which `Nodes.shape` holds as one element."""
    return profile.memoize(scalars, lambda: nodes_with_attr(profile.nodes, "shape", _SCALAR))
