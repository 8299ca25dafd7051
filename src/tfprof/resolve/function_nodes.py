"""The nodes of the functions of one graph, as columns: a row for each node and call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.functions.expand import InlinedBody, expand, without_long_tensors
from tfprof.functions.library import FunctionBody, Ref, argument_index, parse_library
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
    """Rows are the nodes of the graph itself, then those of the body of each call.

    `graph_name` has the names of the former, `name` those of the latter. `distinct` has a row for
    each distinct node of a function, `distinct_row` is the one of each name. The rows of body `i`
    begin at `offsets[i]`; it is called by the row `caller`, which is of the body `parent`.
    """

    graph_name: pa.Array
    name: pa.Array
    distinct: GraphColumns
    distinct_row: Array
    offsets: Array
    caller: Array
    parent: Array
    inputs: Links
    results: Links
    warnings: tuple[str, ...]


def read_function_nodes(data: bytes) -> FunctionNodes:
    """The nodes of the functions of a serialized GraphDef, for every call."""
    graph = parse_library(data)
    warnings = [] if graph else ["the functions of the graph cannot be read"]
    graph = graph or GraphDef()
    expanded = expand(graph)
    bodies = expanded.bodies
    calls = bodies[1:]
    start: dict[str, int] = {}
    functions = GraphDef()
    for inlined in calls:
        if inlined.body.name not in start:
            start[inlined.body.name] = len(functions.node)
            functions.node.extend(map(without_long_tensors, inlined.body.nodes))
    distinct = columns_of_nodes(functions.SerializeToString())
    sizes = np.array([len(inlined.body.nodes) for inlined in calls], np.int64)
    starts = np.array([start[inlined.body.name] for inlined in calls], np.int64)
    offsets = np.array([inlined.base for inlined in bodies], np.int64)
    within = np.arange(int(sizes.sum())) - np.repeat(offsets[1:] - len(graph.node), sizes)
    distinct_row = np.repeat(starts, sizes) + within
    prefixes = strings([inlined.prefix for inlined in calls])
    prefix = prefixes.take(pa.array(np.repeat(np.arange(len(calls)), sizes)))
    index = {id(inlined): i for i, inlined in enumerate(bodies)}
    parents = [inlined.parent for inlined in calls if inlined.parent is not None]
    inputs, results = _links(bodies)
    return FunctionNodes(
        graph_name=strings([node.name for node in graph.node]),
        name=pc.binary_join_element_wise(prefix, distinct.name.take(pa.array(distinct_row)), ""),
        distinct=distinct,
        distinct_row=distinct_row,
        offsets=offsets,
        caller=np.array(
            [-1, *(p.base + f.caller for p, f in zip(parents, calls, strict=True))], np.int64
        ),
        parent=np.array([-1, *(index[id(inlined)] for inlined in parents)], np.int64),
        inputs=inputs,
        results=results,
        warnings=(*warnings, *expanded.warnings),
    )


def _links(bodies: Sequence[InlinedBody]) -> tuple[Links, Links]:
    """The inputs of the nodes of functions, and the nodes that produce the results of calls."""
    local: dict[str, Array] = {}
    arguments: dict[int, list[tuple[int, int]]] = {id(bodies[0]): []}
    inputs, results = [np.zeros((4, 0), np.int64)], [np.zeros((4, 0), np.int64)]
    for inlined in bodies[1:]:
        body, parent = inlined.body, inlined.parent
        if parent is None or inlined.call is None:
            continue
        first = inlined.call.first_input
        values = parent.body.inputs[inlined.caller][first : first + len(body.arguments)]
        outer = arguments[id(parent)]
        arguments[id(inlined)] = [_resolve_ref(ref, parent.base, outer) for ref in values]
        if body.name not in local:
            local[body.name] = _local_inputs(body)
        inputs.append(_bind(local[body.name], inlined.base, arguments[id(inlined)]))
        refs = [ref for ref in body.results if ref is not None and argument_index(ref) is None]
        refs += [(position, 0) for position in body.control_results]
        caller = parent.base + inlined.caller
        results.append(
            _columns([(caller, 0, inlined.base + position, output) for position, output in refs])
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
    index = argument_index(ref)
    if index is None:
        return base + ref[0], ref[1]
    return arguments[index] if index < len(arguments) else (-1, 0)
