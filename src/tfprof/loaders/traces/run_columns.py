"""Executions of ops as the records of a run of many steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.loaders.xplane.name_budget import NameBudget
from tfprof.loaders.xplane.op_events import OpExecutions, root_name
from tfprof.profiles.grouping import distinct_rows
from tfprof.profiles.schema import Array
from tfprof.profiles.source_columns import COMPILED, LARGE_BLOCKS_ONLY, RunColumns
from tfprof.profiles.string_columns import byte_sizes, strings

_CALL = "StatefulPartitionedCall"
_NANOSECOND, _MICROSECOND = 1000, 1_000_000  # in picoseconds


def scopes_of_roots(functions: list[str], known: Mapping[str, str]) -> list[str]:
    """The scope of each root: that of `known` functions, else a unique short name."""
    used_names = {*known.values(), ""}
    numbers = Counter[str]()
    scopes: list[str] = []
    for function in functions:
        name = known.get(function) or (root_name(function) if function else "")
        base = name
        while function and function not in known and name in used_names:
            numbers[base] += 1
            name = f"{base}_{numbers[base]}"
        used_names.add(name)
        scopes.append(name)
    return scopes


def run_columns(
    ops: OpExecutions,
    epoch_nanos: int,
    devices: list[str],
    device: Array,
    known: Mapping[str, str],
    first_thread: int = 0,
    *,
    budget: NameBudget,
) -> tuple[RunColumns, Array]:
    """The records sorted by step, with names below the scope of their root, and their steps.

    `device` is the index of each op's device. `first_thread` is the number of the first line.
    """
    name, label = _names(ops, known, budget)
    key, _ = distinct_rows([name.indices.to_numpy(), ops.step])
    start = epoch_nanos + ops.start // _NANOSECOND
    columns = RunColumns(
        devices=devices,
        name=name,
        label=label,
        device=device,
        start=start // 1000,
        duration=_round_micros(ops.self_time, key),
        nanos_start=start,
        nanos_elapsed=(ops.end - ops.start) // _NANOSECOND,
        nanos_self=ops.self_time // _NANOSECOND,
        nanos_thread=(first_thread + ops.line).astype(np.int32),
        **_memory(ops, epoch_nanos),
        **_NO_OUTPUTS,
    )
    order = np.argsort(ops.step, kind="stable")
    return columns.take(order), ops.step[order]


def _names(
    ops: OpExecutions, known: Mapping[str, str], budget: NameBudget
) -> tuple[pa.Array, pa.Array]:
    """The name and the label of each record, of which only the distinct ones are made."""
    roots, nodes = ops.root.dictionary.to_pylist(), ops.name.dictionary.to_pylist()
    types = ops.op.dictionary.to_pylist()
    scopes = scopes_of_roots(roots, known)
    pair = ops.root.indices.to_numpy() * max(len(nodes), 1) + ops.name.indices.to_numpy()
    pairs, index = np.unique(pair, return_inverse=True)
    root_of, node_of = np.divmod(pairs, max(len(nodes), 1))
    own = np.maximum(byte_sizes(ops.name.dictionary), _sizes_of_calls(types, known))
    sizes = byte_sizes(strings(scopes))[root_of] + (own + byte_sizes(ops.op.dictionary))[node_of]
    budget.spend(int(sizes.sum()))
    names, labels = [], []
    for root, node in zip(root_of.tolist(), node_of.tolist(), strict=True):
        name = f"{scopes[root]}/{nodes[node]}" if scopes[root] else nodes[node]
        op = types[node]
        if op in known:  # a compiled function runs as an op of its name
            name, op = known[op], _CALL
        names.append(name)
        labels.append(f"{name} = {op}()")
    indices = pa.array(index.astype(np.int32))
    return (
        pa.DictionaryArray.from_arrays(indices, strings(names)),
        pa.DictionaryArray.from_arrays(indices, strings(labels)),
    )


def _sizes_of_calls(types: list[str], known: Mapping[str, str]) -> Array:
    """The bytes of the scope of each op that is a compiled function; 0 for other ops."""
    sizes = {function: len(scope.encode()) for function, scope in known.items()}
    return np.array([sizes.get(op, 0) for op in types], np.int64)


def _round_micros(picoseconds: Array, key: Array) -> Array:
    """Durations in whole microseconds whose sums over equal keys are off by less than one."""
    order = np.argsort(key, kind="stable")
    total = np.cumsum(picoseconds[order])
    is_first = np.diff(key[order], prepend=-1) != 0
    before = (total - picoseconds[order])[is_first]
    total -= np.repeat(before, np.diff(np.append(np.flatnonzero(is_first), len(key))))
    rounded = (total + _MICROSECOND // 2) // _MICROSECOND
    previous = np.where(is_first, 0, np.concatenate([[0], rounded[:-1]]))
    duration = np.empty(len(key), np.int64)
    duration[order] = rounded - previous
    return duration


def _memory(ops: OpExecutions, epoch_nanos: int) -> dict[str, Any]:
    """The bytes that each op allocated and kept, and the history of its allocations."""
    # All rows of a column that has only zeros are one number in memory.
    blocks, zeros = ops.allocations, np.broadcast_to(np.int64(0), len(ops))
    total, live = zeros, zeros
    is_kept = (blocks.end < 0) | (~blocks.planned & (blocks.end > ops.end[blocks.op]))
    if len(blocks):
        total, live = zeros.copy(), zeros.copy()
        np.add.at(total, blocks.op, blocks.size)
        np.add.at(live, blocks.op[is_kept], blocks.size[is_kept])
    freed = np.flatnonzero(blocks.end >= 0)
    record = np.concatenate([blocks.op, blocks.op[freed]])
    time = np.concatenate([blocks.start, blocks.end[freed]])
    planned = np.append(blocks.planned, blocks.planned[freed])
    order = np.argsort(record, kind="stable")
    return {
        "total": total,
        "peak": total,
        "live": live,
        "output_bytes": ops.output_bytes,
        **dict.fromkeys(("persistent", "temporary", "in_use"), zeros),
        "gpu_allocators": np.broadcast_to(np.int32(0), len(ops)),
        "allocation_record": record[order].astype(np.int32),
        "allocation_micros": ((epoch_nanos + time // _NANOSECOND) // 1000)[order],
        "allocation_bytes": np.concatenate([blocks.size, -blocks.size[freed]])[order],
        "allocation_allocator": pa.DictionaryArray.from_arrays(
            planned[order].astype(np.int32), strings([LARGE_BLOCKS_ONLY, COMPILED])
        ),
    }


_NO_OUTPUTS: dict[str, Any] = {
    **dict.fromkeys(("output_record", "output_slot", "output_size"), np.zeros(0, np.int64)),
    "output_pointer": np.zeros(0, np.uint64),
    "output_has_memory": np.zeros(0, bool),
    "output_shape": pa.array([], pa.binary()).dictionary_encode(),
}
