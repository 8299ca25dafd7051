"""The numbers of every node for a step, or on average over the steps it ran in."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.metrics import METRICS, known_metrics
from tfprof.definitions.quirks import Quirks
from tfprof.flops.node_flops import LazyFlops, lazy_flops
from tfprof.profiles.executions import BYTE_FIELDS, Executions, executed_counts, executions_of
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.lazy_columns import LazyColumns, sum_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.protos import graph_pb2

AVERAGE = -1
_SAFE = 2**62
_SCALAR = graph_pb2.AttrValue(shape=graph_pb2.TensorShapeProto()).SerializeToString()


def measures(profile: Profile, quirks: Quirks, step: int = AVERAGE) -> LazyColumns:
    """The numbers of every node."""
    step = AVERAGE if step < 0 else step
    return profile.memoize((measures, quirks, step), lambda: _measures(profile, quirks, step))


def _measures(profile: Profile, quirks: Quirks, step: int) -> LazyColumns:
    wanted = None if step == AVERAGE else profile.steps.index(step)
    # A copy, as a profile that holds what holds it would stay until the garbage is collected.
    columns = profile.memoize("columns alone", profile.replace)
    flops = lazy_flops(profile, quirks)
    sums = NodeSums(columns, executions_of(profile, quirks), flops, quirks, wanted)
    return LazyColumns(len(profile.nodes), sums.column, sums.sum_bound)


class NodeSums:
    """The numbers of each node in one step (its position among the steps) or on average (None).

    A metric's number is the property that is called like its measure, or its `source`.
    """

    def __init__(
        self, profile: Profile, runs: Executions, flops: LazyFlops, quirks: Quirks, step: int | None
    ) -> None:
        self.profile, self.runs, self.quirks, self.step = profile, runs, quirks, step
        self._flops = flops

    def column(self, measure: str) -> Array:
        """One number of every node."""
        if measure in BYTE_FIELDS:
            runs, rows = self.runs, self._rows(self.runs.memory_step)
            return self._averaged(self._sum(runs.memory_node[rows], getattr(runs, measure)[rows]))
        source = {metric.measure: metric.source for metric in METRICS.values()}.get(measure)
        column: Array = source(self) if source else getattr(self, measure)
        return column

    @cached_property
    def kind(self) -> Any:
        """The type of numbers that holds all sums."""
        return _kind_of_sums(self.runs, self.quirks)

    def sum_bound(self, measure: str) -> float | None:
        """What no sum of a measure exceeds, if that is known without the column."""
        if measure in _OPERATIONS:
            executions = max(self.runs.run_bound, int(self._flops.count.executions.max(initial=1)))
            return sum_of(self._flops.count.float_ops) * executions
        return self.runs.sum_bound if measure in _RECORDED else None

    @property
    def exec_micros(self) -> Array:
        """The time on accelerators and CPUs."""
        return self._averaged(self._micros[True] + self._micros[False])

    @property
    def accelerator_exec_micros(self) -> Array:
        """The time on accelerators."""
        return self._averaged(self._micros[True])

    @property
    def cpu_exec_micros(self) -> Array:
        """The time on CPUs."""
        return self._averaged(self._micros[False])

    @property
    def parameters(self) -> Array:
        """The number of elements of each node's shape."""
        return parameters(self.profile, self.quirks)

    @property
    def definition_count(self) -> Array:
        """Each node is one definition."""
        return np.ones(len(self.profile.nodes), np.int64)

    @cached_property
    def _micros(self) -> dict[bool, Array]:
        runs = self.runs
        in_step = True if self.step is None else runs.interval_step == self.step
        chosen = {
            True: runs.interval_accelerator & in_step,
            False: ~runs.interval_accelerator & in_step,
        }
        return {
            where: self._sum(runs.interval_node[rows], runs.interval_duration[rows])
            for where, rows in chosen.items()
        }

    @cached_property
    def run_count(self) -> Array:
        """How often each node ran."""
        runs = self.runs
        rows = self._rows(runs.execution_step)
        return self._averaged(self._sum(runs.execution_node[rows], runs.execution_runs[rows]))

    @cached_property
    def _executions(self) -> Array:
        """How often each node ran, or runs by what the graph shows if no run is loaded."""
        ran = np.zeros(len(self.profile.nodes), bool)
        ran[self.runs.execution_node] = True
        if not ran.any():
            return self._flops.count.executions
        return executed_counts(self.profile.calls, ran, self.run_count)

    @property
    def float_ops(self) -> Array:
        """The float operations of all executions of each node."""
        return self._over_executions(self._flops.count.float_ops)

    @property
    def macs(self) -> Array:
        """The multiply-adds among them."""
        if "macs" in known_metrics(self.quirks):
            return self._over_executions(self._flops.count.macs)
        return np.zeros(len(self.profile.nodes), np.int64)

    def _over_executions(self, once: Array) -> Array:
        """Numbers times the executions of each node, in a type that holds all sums."""
        executions = self._executions
        large = _magnitude(once.astype(float) * executions.astype(float)) >= _SAFE
        wraps = self.quirks.wrapping_parameters and once.dtype != object
        kind = object if large and not wraps else np.int64
        product: Array = once.astype(kind, copy=False) * executions.astype(kind, copy=False)
        return product

    def _rows(self, steps: Array) -> Any:
        return slice(None) if self.step is None else steps == self.step

    def _sum(self, node: Array, values: Array) -> Array:
        total = np.zeros(len(self.profile.nodes), self.kind)
        np.add.at(total, node, values)
        return total

    @cached_property
    def _step_counts(self) -> Array:
        """In how many steps each node ran, at least 1."""
        counts = np.bincount(self.runs.execution_node, minlength=len(self.profile.nodes))
        return np.maximum(counts, 1)

    def _averaged(self, total: Array) -> Array:
        if self.step is not None:
            return total
        if self.quirks.negative_durations:
            # The original divides a signed sum by an unsigned count.
            steps = self._step_counts.astype(np.uint64)
            return (total.view(np.uint64) // steps).view(np.int64)
        return total // self._step_counts


_OPERATIONS = ("float_ops", "macs")
_RECORDED = (
    *BYTE_FIELDS,
    *("exec_micros", "accelerator_exec_micros", "cpu_exec_micros", "run_count"),
)


def _kind_of_sums(runs: Executions, quirks: Quirks) -> Any:
    """64 bits, or numbers of any size where sums over all nodes may not fit."""
    if quirks.wrapping_parameters:
        return np.int64
    bounds = [
        *(_magnitude(getattr(runs, field)) for field in BYTE_FIELDS),
        _magnitude(runs.interval_duration),
        _magnitude(runs.execution_runs),
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
    if quirks.wrapping_parameters:
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
    return profile.memoize(scalars, lambda: _scalars(profile))


def _scalars(profile: Profile) -> BoolArray:
    attrs = profile.nodes.attrs
    entries = attrs.flatten()
    is_shape = pc.equal(entries.field("key"), "shape")
    is_scalar = pc.and_(is_shape, pc.equal(entries.field("value"), _SCALAR))
    rows = np.flatnonzero(is_scalar.to_numpy(zero_copy_only=False))
    mask = np.zeros(len(profile.nodes), bool)
    mask[np.searchsorted(list_offsets(attrs), rows, side="right") - 1] = True
    return mask
