"""The nodes of the functions of one graph, as columns: a row for each node and call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.message import DecodeError

from tfprof.functions.expand import Frame, expand
from tfprof.functions.library import FunctionBody, Ref, argument
from tfprof.loaders.graph_def import columns_of_nodes
from tfprof.profiles.schema import Array
from tfprof.profiles.source_columns import GraphColumns
from tfprof.profiles.string_columns import strings
from tfprof.protos.graph_pb2 import GraphDef

_UNKNOWN = -(2**40)


@dataclass(frozen=True, slots=True)
class Links:
    """Edges between rows: input `index` of `consumer` is `output` of `producer`, -1 if unknown."""

    consumer: Array
    index: Array
    producer: Array
    output: Array


@dataclass(frozen=True, slots=True)
class FunctionNodes:
    """Rows are the nodes of the graph itself (`graph` has their names), then those of each call.

    `columns` has a row for each distinct node of a function; `row` is the one of each row after
    the graph's. `first` is the first row of each call, `caller` the row that calls it.
    """

    graph: pa.Array
    name: pa.Array
    columns: GraphColumns
    row: Array
    first: Array
    caller: Array
    parent: Array
    inputs: Links
    results: Links
    warnings: tuple[str, ...]


def read_function_nodes(data: bytes) -> FunctionNodes:
    """The nodes of the functions of a serialized GraphDef, for every call."""
    warnings = []
    try:
        graph = GraphDef.FromString(data)
    except DecodeError:
        graph = GraphDef()
        warnings.append("the functions of the graph cannot be read")
    expanded = expand(graph)
    frames = expanded.frames
    calls = frames[1:]
    start: dict[str, int] = {}
    functions = GraphDef()
    for frame in calls:
        if frame.body.name not in start:
            start[frame.body.name] = len(functions.node)
            functions.node.extend(frame.body.nodes)
    columns = columns_of_nodes(functions.SerializeToString())
    sizes = np.array([len(frame.body.nodes) for frame in calls], np.int64)
    starts = np.array([start[frame.body.name] for frame in calls], np.int64)
    first = np.array([frame.base for frame in frames], np.int64)
    within = np.arange(int(sizes.sum())) - np.repeat(first[1:] - len(graph.node), sizes)
    row = np.repeat(starts, sizes) + within
    prefixes = strings([frame.prefix for frame in calls])
    prefix = prefixes.take(pa.array(np.repeat(np.arange(len(calls)), sizes)))
    index = {id(frame): i for i, frame in enumerate(frames)}
    parents = [frame.parent for frame in calls if frame.parent is not None]
    inputs, results = _links(frames)
    return FunctionNodes(
        graph=strings([node.name for node in graph.node]),
        name=pc.binary_join_element_wise(prefix, columns.name.take(pa.array(row)), ""),
        columns=columns,
        row=row,
        first=first,
        caller=np.array(
            [-1, *(p.base + f.caller for p, f in zip(parents, calls, strict=True))], np.int64
        ),
        parent=np.array([-1, *(index[id(frame)] for frame in parents)], np.int64),
        inputs=inputs,
        results=results,
        warnings=(*warnings, *expanded.notes),
    )


def _links(frames: Sequence[Frame]) -> tuple[Links, Links]:
    """The inputs of the nodes of functions, and the nodes that produce the results of calls."""
    local: dict[str, Array] = {}
    arguments: dict[int, list[tuple[int, int]]] = {id(frames[0]): []}
    inputs, results = [np.zeros((4, 0), np.int64)], [np.zeros((4, 0), np.int64)]
    for frame in frames[1:]:
        body, parent = frame.body, frame.parent
        if parent is None or frame.call is None:
            continue
        values = parent.body.inputs[frame.caller][frame.call.first_input :]
        outer = arguments[id(parent)]
        arguments[id(frame)] = [_resolve_ref(ref, parent.base, outer) for ref in values]
        if body.name not in local:
            local[body.name] = _local_inputs(body)
        inputs.append(_bind(local[body.name], frame.base, arguments[id(frame)]))
        refs = [ref for ref in body.results if ref is not None and argument(ref) is None]
        refs += [(position, 0) for position in _control_results(body)]
        caller = parent.base + frame.caller
        results.append(
            _columns([(caller, 0, frame.base + position, output) for position, output in refs])
        )
    return Links(*np.concatenate(inputs, axis=1)), Links(*np.concatenate(results, axis=1))


def _local_inputs(body: FunctionBody) -> Array:
    """Consumer, index, producer and output of each input; producers as in `Ref` or `_UNKNOWN`."""
    rows = []
    for position, node in enumerate(body.nodes):
        for index, text in enumerate(node.input):
            ref = body.resolve(text.removeprefix("^"))
            rows.append((position, index, *(ref or (_UNKNOWN, 0))))
    return _columns(rows)


def _columns(rows: Sequence[tuple[int, ...]]) -> Array:
    """Rows of four numbers as four columns."""
    return np.array(rows, np.int64).reshape(-1, 4).T


def _bind(local: Array, base: int, arguments: Sequence[tuple[int, int]]) -> Array:
    """The inputs of a body in one call, with arguments replaced by their values."""
    consumer, index, producer, output = local
    # The last value is that of unknown and missing arguments.
    values = np.array([*arguments, (-1, 0)], np.int64)
    which = np.minimum(np.where(producer < 0, -1 - producer, 0), len(arguments))
    inside = producer >= 0
    return np.stack(
        [
            consumer + base,
            index,
            np.where(inside, producer + base, values[which, 0]),
            np.where(inside, output, values[which, 1]),
        ]
    )


def _resolve_ref(
    ref: Ref | None, base: int, arguments: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """The row and output that a reference in a call refers to."""
    if ref is None:
        return -1, 0
    index = argument(ref)
    if index is None:
        return base + ref[0], ref[1]
    return arguments[index] if index < len(arguments) else (-1, 0)


def _control_results(body: FunctionBody) -> list[int]:
    """Positions of the nodes that a function must run for their side effects."""
    names = [] if body.function is None else list(body.function.control_ret.values())
    return [body.positions[name] for name in names if body.positions.get(name, -1) >= 0]
