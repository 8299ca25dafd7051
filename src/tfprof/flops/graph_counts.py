"""Float operations of the nodes of a profile by the interpreter, as for `tfprof.cost`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from tfprof.definitions.limits import MAX_COUNT
from tfprof.definitions.quirks import Quirks
from tfprof.flops.batch_sizes import recorded_batch_sizes
from tfprof.flops.flop_columns import NodeFlops, count_column
from tfprof.flops.model_cost import (
    Cost,
    NodeCost,
    bind_cost,
    compute_cost,
    with_recorded_trip_counts,
)
from tfprof.flops.polynomial import BATCH, Count, bind, symbols
from tfprof.flops.profile_graph import model_graph, recorded_shapes
from tfprof.flops.recorded_trip_counts import run_counts_of
from tfprof.flops.rules.formula import TOO_LARGE
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.profiles.string_columns import strings

_EXAMPLE: Mapping[str, Count] = {BATCH: 1}


def count_graph(profile: Profile, quirks: Quirks) -> NodeFlops:
    """The float operations of the nodes of a resolved profile."""
    cost = _profile_cost(profile, quirks)
    numbers = _Columns(cost.symbols, has_run=bool(profile.records or profile.saved))
    for node in cost.nodes() if cost.can_list_nodes() else cost.main_nodes():
        numbers.add(node)
    return numbers.to_flops(profile.nodes.name, keeps_batch=bool(recorded_batch_sizes(profile)))


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
        self._rows: list[tuple[Count, Count, Count]] = []
        self._reasons: list[str] = []

    def add(self, node: NodeCost) -> None:
        """Add a node."""
        reason = node.reason if node.kind == "unknown" else ""
        float_ops, macs, executions = node.once.float_ops(), node.once.macs, node.trips
        if max(_number(float_ops), _number(executions)) > MAX_COUNT:
            reason, executions = TOO_LARGE, min(_number(executions), MAX_COUNT)
        self._names.append(node.name)
        self._reasons.append(reason)
        self._rows.append((0, 0, executions) if reason else (float_ops, macs, executions))

    def to_flops(self, names: pa.Array, *, keeps_batch: bool) -> NodeFlops:
        """The columns over nodes of these names; a node that was not added never runs.

        If all numbers are linear in the batch size, they are those of one example. Otherwise, or
        with `keeps_batch`, they are polynomials.
        """
        used = [work if self._has_run else work * runs for work, _, runs in self._rows]
        is_linear = not keeps_batch and all(map(_is_linear, used))
        per_example = [is_linear and not isinstance(count, int) for count in used]
        sizes = _EXAMPLE if is_linear else {}
        rows = index_in(strings(self._names), names)
        known = rows >= 0
        columns: list[Array] = []
        for values in (*(zip(*self._rows, strict=True) if self._rows else [()] * 3), per_example):
            numbers = count_column([bind(value, sizes) for value in values])
            column = np.zeros(len(names), numbers.dtype)
            column[rows[known]] = numbers[known]
            columns.append(column)
        nodes = rows.tolist()
        reasons = {nodes[i]: why for i, why in enumerate(self._reasons) if why and known[i]}
        open_symbols = frozenset[str]() if is_linear else frozenset().union(*map(symbols, used))
        meanings = {name: why for name, why in self._meanings.items() if name in open_symbols}
        float_ops, macs, executions, examples = columns
        return NodeFlops(float_ops, macs, executions, examples.astype(bool), reasons, meanings)


def _is_linear(count: Count) -> bool:
    """Whether a count is a number, or a number of each example and perhaps one of the batch."""
    return isinstance(count, int) or all(
        not monomial or monomial == ((BATCH, 1),) for monomial in count.terms
    )


def _number(count: Count) -> int:
    return count if isinstance(count, int) else 0
