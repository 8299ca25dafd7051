"""The nodes inside the functions of one graph, as columns: a row per node and call."""

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

__all__ = ["FunctionNodes", "Links", "read_function_nodes"]


@dataclass(frozen=True, slots=True)
class Links:
    """Inputs: the `index`-th of row `consumer` is `output` of row `producer`, -1 if unknown."""

    consumer: Array
    index: Array
    producer: Array
    output: Array


@dataclass(frozen=True, slots=True)
class FunctionNodes:
    """Rows are the nodes of the graph itself and after them those of each call, frame by frame.

    `columns` has a row per distinct node of a function, `row` says which one each row is, beginning
    after the graph's own `graph` names. `first` is where each frame starts; `caller` is a row.
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
    """The functions of a serialized GraphDef written out."""
    warnings = []
    try:
        graph = GraphDef.FromString(data)
    except DecodeError:
        graph = GraphDef()
        warnings.append("the functions of the graph cannot be read")
    expanded = expand(graph)
    frames = expanded.frames
    inner = frames[1:]
    start: dict[str, int] = {}
    written = GraphDef()
    for frame in inner:
        if frame.body.name not in start:
            start[frame.body.name] = len(written.node)
            written.node.extend(frame.body.nodes)
    columns = columns_of_nodes(written.SerializeToString())
    sizes = np.array([len(frame.body.nodes) for frame in inner], np.int64)
    starts = np.array([start[frame.body.name] for frame in inner], np.int64)
    first = np.array([frame.base for frame in frames], np.int64)
    within = np.arange(int(sizes.sum())) - np.repeat(first[1:] - len(graph.node), sizes)
    row = np.repeat(starts, sizes) + within
    prefixes = strings([frame.prefix for frame in inner])
    prefix = prefixes.take(pa.array(np.repeat(np.arange(len(inner)), sizes)))
    number = {id(frame): at for at, frame in enumerate(frames)}
    parents = [frame.parent for frame in inner if frame.parent is not None]
    inputs, results = _links(frames)
    return FunctionNodes(
        graph=strings([node.name for node in graph.node]),
        name=pc.binary_join_element_wise(prefix, columns.name.take(pa.array(row)), ""),
        columns=columns,
        row=row,
        first=first,
        caller=np.array(
            [-1, *(p.base + f.caller for p, f in zip(parents, inner, strict=True))], np.int64
        ),
        parent=np.array([-1, *(number[id(frame)] for frame in parents)], np.int64),
        inputs=inputs,
        results=results,
        warnings=(*warnings, *expanded.notes),
    )


def _links(frames: Sequence[Frame]) -> tuple[Links, Links]:
    """Inputs of nodes inside functions, and from each call the nodes that give its results."""
    local: dict[str, Array] = {}
    given: dict[int, list[tuple[int, int]]] = {id(frames[0]): []}
    inputs, results = [np.zeros((4, 0), np.int64)], [np.zeros((4, 0), np.int64)]
    for frame in frames[1:]:
        body, parent = frame.body, frame.parent
        if parent is None or frame.call is None:
            continue
        values = parent.body.inputs[frame.caller][frame.call.first_input :]
        outer = given[id(parent)]
        given[id(frame)] = [_placed(ref, parent.base, outer) for ref in values]
        if body.name not in local:
            local[body.name] = _local(body)
        inputs.append(_moved(local[body.name], frame.base, given[id(frame)]))
        found = [ref for ref in body.results if ref is not None and argument(ref) is None]
        found += [(at, 0) for at in _effects(body)]
        caller = parent.base + frame.caller
        results.append(
            np.array([(caller, 0, frame.base + at, output) for at, output in found], np.int64)
            .reshape(-1, 4)
            .T
        )
    return Links(*np.concatenate(inputs, axis=1)), Links(*np.concatenate(results, axis=1))


def _local(body: FunctionBody) -> Array:
    """Consumer, index, producer and output of each input; producers as in `Ref`, or far below."""
    rows = []
    for at, node in enumerate(body.nodes):
        for index, text in enumerate(node.input):
            ref = body.resolve(text.removeprefix("^"))
            rows.append((at, index, *(ref or (_NOWHERE, 0))))
    return np.array(rows, np.int64).reshape(-1, 4).T


_NOWHERE = -(2**40)


def _moved(local: Array, base: int, given: Sequence[tuple[int, int]]) -> Array:
    """The inputs of a body in one place, arguments replaced by what is given for them."""
    consumer, index, producer, output = local
    # One more value, which is nowhere, is what unknown and missing arguments refer to.
    values = np.array([*given, (-1, 0)], np.int64)
    which = np.minimum(np.where(producer < 0, -1 - producer, 0), len(given))
    inside = producer >= 0
    return np.stack(
        [
            consumer + base,
            index,
            np.where(inside, producer + base, values[which, 0]),
            np.where(inside, output, values[which, 1]),
        ]
    )


def _placed(ref: Ref | None, base: int, given: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The row and output that a reference in a frame means."""
    if ref is None:
        return -1, 0
    index = argument(ref)
    if index is None:
        return base + ref[0], ref[1]
    return given[index] if index < len(given) else (-1, 0)


def _effects(body: FunctionBody) -> list[int]:
    """Positions of the nodes that a function must run for what they do."""
    names = [] if body.function is None else list(body.function.control_ret.values())
    return [at for name in names if (at := body.positions.get(name, -1)) >= 0]
