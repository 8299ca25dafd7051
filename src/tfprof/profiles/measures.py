"""The numbers of every node for a step, or on average over the steps it ran in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.costs.original import CONTRACTIONS, REPAIRED_RULES
from tfprof.metrics import MEASURES, known_metrics
from tfprof.profiles.columns import Bools, Ints, starts
from tfprof.profiles.profile import Profile
from tfprof.profiles.runs import BYTE_FIELDS, Runs, runs_of
from tfprof.profiles.times import times_run
from tfprof.protos import graph_pb2
from tfprof.quirks import Quirks

__all__ = ["AVERAGE", "column", "measures", "parameters", "scalars"]

AVERAGE = -1
_SCALAR = graph_pb2.AttrValue(shape=graph_pb2.TensorShapeProto()).SerializeToString()


def column(name: str) -> int:
    """Where a measure stands in a row of measures."""
    return MEASURES.index(name)


def measures(profile: Profile, quirks: Quirks, step: int = AVERAGE) -> Ints:
    """A row of `MEASURES` per node; columns are contiguous."""
    step = AVERAGE if step < 0 else step
    return profile.derived((measures, quirks, step), lambda: _measures(profile, quirks, step))


def _measures(profile: Profile, quirks: Quirks, step: int) -> Ints:
    runs = runs_of(profile, quirks)
    count = len(profile.nodes)
    wanted = None if step == AVERAGE else profile.steps.index(step)
    sums = np.zeros((10, count), _kind_of_sums(profile, runs, quirks))
    _add_memory(sums, runs, wanted)
    _add_times(sums, runs, wanted)
    spans = slice(None) if wanted is None else runs.span_step == wanted
    np.add.at(sums[8], runs.span_node[spans], runs.span_runs[spans])
    sums[9] = sums[4] + sums[5]
    if wanted is None:
        steps_seen = np.bincount(runs.span_node, minlength=count)
        sums = _averaged(sums, np.maximum(steps_seen, 1), quirks)
    ran = np.zeros(count, bool)
    ran[runs.span_node] = True
    float_ops = profile.nodes.float_ops * times_run(profile.calls, ran, sums[8])
    counts = parameters(profile, quirks)
    table = np.zeros((len(MEASURES), count), np.result_type(sums.dtype, counts.dtype))
    table[:6] = sums[:6]
    table[6] = counts
    table[7] = float_ops
    table[8] = sums[8]
    table[9] = 1
    table[10] = sums[9]
    if "macs" in known_metrics(quirks) and float_ops.any():
        table[11] = np.where(_contractions(profile), float_ops // 2, 0)
    return table.T


def _contractions(profile: Profile) -> Bools:
    """Which nodes are matrix products or convolutions in the graph.

    A node that ran as another op has the graph's op type among its types. (A saved one has its own
    op type there as well.)
    """
    op, types = profile.nodes.op, profile.type_name
    found = _among(op, CONTRACTIONS).copy()
    if len(types):
        own = pc.equal(types, op.take(pa.array(profile.type_node)))
        others = ~own.to_numpy(zero_copy_only=False)
        found[profile.type_node[_among(types, REPAIRED_RULES) & others]] = False
        found[profile.type_node[_among(types, CONTRACTIONS) & others]] = True
    return found


def _among(words: pa.Array, wanted: Iterable[str]) -> Bools:
    found: Bools = pc.is_in(words, value_set=pa.array(sorted(wanted))).to_numpy(
        zero_copy_only=False
    )
    return found


def _kind_of_sums(profile: Profile, runs: Runs, quirks: Quirks) -> Any:
    """64 bits, or numbers of any size where sums over all nodes may not fit."""
    if quirks.wrapping_parameters:
        return np.int64
    sizes = runs.memory_bytes
    often = float(runs.span_runs.sum(dtype=np.float64))
    bounds = [
        *np.abs(sizes.astype(np.float64)).sum(axis=0).tolist(),
        float(np.abs(runs.time_duration.astype(np.float64)).sum()),
        float(np.abs(runs.span_runs.astype(np.float64)).sum()),
        float(np.abs(profile.nodes.float_ops.astype(np.float64)).sum()) * max(often, 1),
    ]
    return np.int64 if max(bounds) < 2**62 else object


def _add_memory(sums: Ints, runs: Runs, step: int | None) -> None:
    rows = slice(None) if step is None else runs.memory_step == step
    node = runs.memory_node[rows]
    for position in range(len(BYTE_FIELDS)):
        np.add.at(sums[position], node, runs.memory_bytes[rows, position])


def _add_times(sums: Ints, runs: Runs, step: int | None) -> None:
    in_step = True if step is None else runs.time_step == step
    for position, kind in ((4, runs.time_accelerator), (5, ~runs.time_accelerator)):
        rows = kind & in_step
        np.add.at(sums[position], runs.time_node[rows], runs.time_duration[rows])


def _averaged(sums: Ints, steps: Ints, quirks: Quirks) -> Ints:
    if quirks.negative_durations:
        # The original divides a signed sum by an unsigned count.
        return (sums.view(np.uint64) // steps.astype(np.uint64)).view(np.int64)
    return sums // steps


def parameters(profile: Profile, quirks: Quirks) -> Ints:
    """The number of elements of each node's own shape; 0 if it has none or part is unknown."""
    return profile.derived((parameters, quirks), lambda: _parameters(profile.nodes.shape, quirks))


def _parameters(shapes: pa.Array, quirks: Quirks) -> Ints:
    at = starts(shapes)
    sizes = shapes.flatten().to_numpy()
    result = np.zeros(len(shapes), np.int64)
    known = np.flatnonzero(np.diff(at) > 0)
    if not len(known):
        return result
    first = at[known]
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
        for size in sizes[at[row] : at[row + 1]].tolist():
            product *= size
        exact[row] = product
    return exact


def scalars(profile: Profile) -> Bools:
    """Which nodes have the shape of a scalar, which `Nodes.shape` holds as one element."""
    return profile.derived(scalars, lambda: _scalars(profile))


def _scalars(profile: Profile) -> Bools:
    attrs = profile.nodes.attrs
    entries = attrs.flatten()
    is_shape = pc.equal(entries.field("key"), "shape")
    is_scalar = pc.and_(is_shape, pc.equal(entries.field("value"), _SCALAR))
    rows = np.flatnonzero(is_scalar.to_numpy(zero_copy_only=False))
    found = np.zeros(len(profile.nodes), bool)
    found[np.searchsorted(starts(attrs), rows, side="right") - 1] = True
    return found
