"""Float operations of the batch sizes that ran, where the graph leaves the batch size open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tfprof.flops.flop_columns import NodeFlops, count_column, has_symbols, integer_column
from tfprof.flops.polynomial import BATCH, Polynomial, bind, symbols
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array

_COLUMNS = ("float_ops", "macs", "executions", "executed")


def recorded_batch_sizes(profile: Profile) -> Mapping[int, Mapping[str, int]]:
    """Step -> outermost scope -> the batch size that ran; nothing if the caller binds it."""
    if profile.trace is None or BATCH in profile.bind:
        return {}
    return profile.trace.batch_sizes


def with_recorded_sizes(flops: NodeFlops, profile: Profile, step: int | None) -> NodeFlops:
    """The numbers of the batch of a step; without a step, those of the mean over all steps."""
    if not flops.symbols:
        return flops
    recorded = recorded_batch_sizes(profile)
    names = profile.nodes.name.to_pylist()
    scopes = np.array([name.partition("/")[0] for name in names], object)
    steps = [sizes for number, sizes in recorded.items() if step in (None, number) and sizes]
    distinct = list({tuple(sorted(sizes.items())): sizes for sizes in steps}.values())
    bound = [_bind(flops, _sizes_of_nodes(scopes, sizes)) for sizes in distinct]
    if len(bound) < 2:
        return bound[0] if bound else _bind(flops, np.zeros(len(names), np.int64))
    weights = [sum(sizes == other for other in steps) for sizes in distinct]
    return _mean(bound, weights)


def _sizes_of_nodes(scopes: Array, sizes: Mapping[str, int]) -> Array:
    """The batch size of each node, 0 if it is not known; the graph of a session has no scope."""
    return np.array([sizes.get(scope, sizes.get("", 0)) for scope in scopes.tolist()], np.int64)


def _bind(flops: NodeFlops, size: Array) -> NodeFlops:
    """The numbers for a batch size of each node; a node without one has those of an example."""
    columns: dict[str, Any] = {}
    is_open = np.zeros(len(size), bool)
    for name in _COLUMNS:
        values = getattr(flops, name)
        if values is None or not has_symbols(values):
            continue
        bound = list(values)
        for row, value in enumerate(bound):
            if isinstance(value, Polynomial):
                is_open[row] |= not size[row] and BATCH in symbols(value)
                bound[row] = bind(value, {BATCH: int(size[row]) or 1})
        columns[name] = count_column(bound)
    left = {
        symbol
        for values in columns.values()
        if has_symbols(values)
        for value in values
        for symbol in symbols(value)
    }
    meanings = {name: text for name, text in flops.symbols.items() if name in left}
    return replace(flops, **columns, symbols=meanings, per_example=is_open)


def _mean(bound: Sequence[NodeFlops], weights: Sequence[int]) -> NodeFlops:
    """The mean of several numbers of each node; of those with symbols the most frequent."""
    first = bound[int(np.argmax(weights))]
    columns: dict[str, Any] = {}
    for name in _COLUMNS:
        values = [getattr(flops, name) for flops in bound]
        if any(column is None or has_symbols(column) for column in values):
            continue
        total = sum(
            weight * column.astype(object) for weight, column in zip(weights, values, strict=True)
        )
        columns[name] = integer_column((total // sum(weights)).tolist())
    return replace(first, **columns)
