"""Float operations of the nodes of a profile: what an op log has, else what the rules count.

The rules count as for `tfprof.cost`, on first use; here the numbers become columns over the nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.flops.flop_columns import NodeFlops
from tfprof.flops.model_cost import (
    Cost,
    NodeCost,
    bind_cost,
    compute_cost,
    with_recorded_trip_counts,
)
from tfprof.flops.polynomial import Count, bind, symbols
from tfprof.flops.profile_graph import model_graph, recorded_shapes
from tfprof.flops.recorded_trip_counts import run_counts_of
from tfprof.flops.rules import MULTIPLY_ADDS, RULES
from tfprof.functions.expand import MAX_NODES
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.profiles.string_columns import strings

_BATCH = "B"
_EXAMPLE: Mapping[str, Count] = {_BATCH: 1}
_SAFE = 2**62
_LARGEST = 10**150  # of which products are still floats


def count_profile(profile: Profile, quirks: Quirks) -> NodeFlops:
    """The float operations of a resolved profile: those of op logs, else what the rules count."""
    logged = profile.nodes.float_ops
    logged_macs = np.where(_only_multiply_adds(profile), logged // 2, 0)
    if quirks.tensorflow_flop_formulas or not _is_counted(profile):
        once = np.ones(len(logged), np.int64)
        return NodeFlops(logged, logged_macs, once, np.zeros(len(logged), bool), {})
    counted = _count(profile, quirks)
    in_log = logged != 0
    if not in_log.any():
        return counted
    macs = np.where(counted.float_ops == logged, counted.macs, logged_macs)
    return NodeFlops(
        np.where(in_log, logged, counted.float_ops),
        np.where(in_log, macs, counted.macs),
        np.where(in_log, np.maximum(counted.executions, 1), counted.executions),
        counted.per_example & ~in_log,
        {node: reason for node, reason in counted.reasons.items() if not in_log[node]},
    )


def _is_counted(profile: Profile) -> bool:
    """Whether the rules count; a saved profile with float operations has all there are."""
    if not profile.count_float_ops or not profile.nodes.in_graph.any():
        return False
    return not (profile.saved and profile.nodes.float_ops.any())


def _count(profile: Profile, quirks: Quirks) -> NodeFlops:
    cost = _profile_cost(profile, quirks)
    numbers = _Columns(cost.symbols, has_run=bool(profile.records or profile.saved))
    if cost.ledger.nodes <= MAX_NODES:
        for node in cost.nodes():
            numbers.add(node)
    return numbers.of(profile.nodes.name)


def _profile_cost(profile: Profile, quirks: Quirks) -> Cost:
    """The cost of the graph, with the shapes and trip counts that runs recorded."""
    graph = model_graph(profile.source or profile)
    cost = compute_cost(graph, recorded_shapes(profile, graph.graph, quirks))
    if profile.records:
        cost = with_recorded_trip_counts(cost, lambda: run_counts_of(profile), profile.bind)
    return bind_cost(cost, profile.bind) if profile.bind else cost


class _Columns:
    """The numbers of nodes, one after the other."""

    def __init__(self, meanings: Mapping[str, str], *, has_run: bool) -> None:
        self._meanings, self._has_run = meanings, has_run
        self._names: list[str] = []
        self._rows: list[tuple[int, int, int, bool]] = []
        self._reasons: list[str] = []

    def add(self, node: NodeCost) -> None:
        """Add a node; what depends on an open symbol other than the batch size has no number."""
        reason = node.reason if node.kind == "unknown" else ""
        work, trips = node.once.float_ops(), node.trips
        float_ops, macs, executions = (bind(n, _EXAMPLE) for n in (work, node.once.macs, trips))
        used = () if self._has_run or not work else (trips,)
        open_symbols = _symbols(float_ops, macs, *(bind(n, _EXAMPLE) for n in used))
        if open_symbols:
            name = min(open_symbols)
            reason = f"{name} = {self._meanings.get(name, 'unknown size')}: give it with --bind"
        elif max(_number(float_ops), _number(executions)) > _LARGEST:
            reason = "the number is too large"
        self._names.append(node.name)
        self._reasons.append(reason)
        per_example = not reason and _BATCH in _symbols(work, *used)
        if reason:
            float_ops = macs = 0
        executions = min(_number(executions), _LARGEST)
        self._rows.append((_number(float_ops), _number(macs), executions, per_example))

    def of(self, names: pa.Array) -> NodeFlops:
        """The columns over nodes of these names; a node that was not added never runs."""
        rows = index_in(strings(self._names), names)
        known = rows >= 0
        columns: list[Array] = []
        for values in zip(*self._rows, strict=True) if self._rows else [()] * 4:
            largest = max(map(abs, values), default=0)
            column = np.zeros(len(names), np.int64 if largest < _SAFE else object)
            column[rows[known]] = np.array(values, column.dtype)[known]
            columns.append(column)
        nodes = rows.tolist()
        reasons = {nodes[i]: why for i, why in enumerate(self._reasons) if why and known[i]}
        float_ops, macs, executions, per_example = columns
        return NodeFlops(float_ops, macs, executions, per_example.astype(bool), reasons)


def _symbols(*counts: Count) -> frozenset[str]:
    return frozenset[str]().union(*map(symbols, counts))


def _number(count: Count) -> int:
    return count if isinstance(count, int) else 0


def _only_multiply_adds(profile: Profile) -> BoolArray:
    """Which nodes are matmuls or convolutions in the graph.

    A node that ran as another op has the graph's op type among its types. (A saved one has its own
    op type there as well.)
    """
    op, types = profile.nodes.op, profile.type_name
    mask = _is_in(op, MULTIPLY_ADDS).copy()
    if len(types):
        own = pc.equal(types, op.take(pa.array(profile.type_node)))
        others = ~own.to_numpy(zero_copy_only=False)
        mask[profile.type_node[_is_in(types, RULES) & others]] = False
        mask[profile.type_node[_is_in(types, MULTIPLY_ADDS) & others]] = True
    return mask


def _is_in(values: pa.Array, op_types: Iterable[str]) -> BoolArray:
    mask = pc.is_in(values, value_set=pa.array(sorted(op_types)))
    return np.asarray(mask.to_numpy(zero_copy_only=False))
