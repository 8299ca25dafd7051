"""Complete the static shapes of a profile by the shapes that runs recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.limits import MAX_SHAPE_GAPS
from tfprof.definitions.quirks import Quirks
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import SHAPES, Array, BoolArray, Records
from tfprof.protos.graph_pb2 import TensorShapeProto
from tfprof.resolve.runtime_names import strip_counters_column

# The runtime name of a fed tensor: the node, its output, and the number of the argument.
_FED = re.compile(r"_arg_(.+)_([0-9]{1,9})_[0-9]+")
Shape = tuple[int, ...]
"""Sizes in order, -1 for an unknown one."""

_OutputShapes = Iterator[tuple[int, list[tuple[int, Shape | None]]]]


def with_runtime_shapes(
    profile: Profile, quirks: Quirks, runs: Sequence[Records] | None = None
) -> tuple[Profile, list[str]]:
    """A profile with the output shapes of runs (all by default), and a message per conflict."""
    runs = profile.records if runs is None else runs
    incomplete = _incomplete(profile)
    if not runs or not incomplete.any():
        return profile, []
    column = profile.nodes.output_shapes
    shapes_of: dict[int, list[Shape | None]] = {}
    conflicts: list[str] = []
    room = MAX_SHAPE_GAPS
    for records in runs:
        for node, outputs in _recorded_shapes(profile, records, incomplete, quirks):
            if node not in shapes_of:
                shapes_of[node] = [tuple(shape) or None for shape in column[node].as_py()]
            known = shapes_of[node]
            if quirks.exact_runtime_names and len(outputs) != len(known):
                continue
            for output, traced in outputs:
                gap = max(output - len(known), 0)
                if output < 0 or gap > room:
                    continue
                room -= gap
                known += [None] * (output + 1 - len(known))
                try:
                    known[output] = _merge(known[output], traced)
                except ValueError as error:
                    name = profile.nodes.name[node].as_py()
                    conflicts.append(f"Node {name} incompatible shapes: {error}.")
    if not shapes_of:
        return profile, conflicts
    # A scalar is written as [1], an unknown rank as nothing: see loaders.graph_def.
    rows = [[_encode(shape) for shape in shapes] for shapes in shapes_of.values()]
    index = np.arange(len(column))
    index[list(shapes_of)] = len(column) + np.arange(len(shapes_of))
    merged = pa.concat_arrays([column, pa.array(rows, SHAPES)]).take(pa.array(index))
    return profile.replace(nodes=replace(profile.nodes, output_shapes=merged)), conflicts


def _incomplete(profile: Profile) -> BoolArray:
    """Which nodes of the graph have an output whose shape is not fully known."""
    column = profile.nodes.output_shapes
    shapes = column.flatten()
    outputs, dims = list_offsets(column), list_offsets(shapes)
    unknown_dims = np.concatenate([[0], np.cumsum(shapes.flatten().to_numpy() < 0)])
    is_incomplete = (np.diff(dims) == 0) | (np.diff(unknown_dims[dims]) > 0)
    counts = np.concatenate([[0], np.cumsum(is_incomplete)])
    mask: BoolArray = (np.diff(counts[outputs]) > 0) | (np.diff(outputs) == 0)
    return mask & profile.nodes.in_graph


def _recorded_shapes(
    profile: Profile, records: Records, incomplete: BoolArray, quirks: Quirks
) -> _OutputShapes:
    """For each record of an incomplete node: the node, and its outputs with their shapes."""
    names = records.names
    node, output = _targets(profile, names.dictionary, quirks)
    code = names.indices.to_numpy()
    mask = (node[code] >= 0) & incomplete[node[code]]
    bounds = np.searchsorted(records.output_record, np.arange(len(code) + 1)).tolist()
    shapes = [_decode(text, quirks) for text in records.output_shape.dictionary.to_pylist()]
    shapes.append(() if quirks.exact_runtime_names else None)
    shape_code = records.output_shape.indices.fill_null(len(shapes) - 1).to_numpy()
    slots = records.output_slot
    for record in np.flatnonzero(mask).tolist():
        rows = range(bounds[record], bounds[record + 1])
        if not rows:
            continue
        owner = int(node[code[record]])
        first = int(output[code[record]])
        recorded = [shapes[shape_code[row]] for row in rows]
        if quirks.exact_runtime_names:
            yield owner, list(enumerate(recorded))
        else:
            outputs = [first + int(slots[row]) for row in rows]
            yield owner, list(zip(outputs, recorded, strict=True))


def _targets(profile: Profile, names: pa.Array, quirks: Quirks) -> tuple[Array, Array]:
    """The node of each record name, and the output of it that the record has as output 0."""
    node = index_in(names, profile.nodes.name)
    output = np.zeros(len(node), np.int64)
    node[~profile.nodes.in_graph[node]] = -1
    if quirks.exact_runtime_names:
        return node, output
    rows = np.flatnonzero(node < 0)
    if profile.calls is not None and len(rows):
        stripped = strip_counters_column(names.take(pa.array(rows)))
        node[rows] = index_in(stripped, profile.nodes.name)
    is_fed = pc.starts_with(names, "_arg_").to_numpy(zero_copy_only=False)
    for row in np.flatnonzero((node < 0) & is_fed).tolist():
        fed = _FED.fullmatch(names[row].as_py())
        if fed is None:
            continue
        index = int(index_in(pa.array([fed[1]]), profile.nodes.name)[0])
        if index >= 0 and profile.nodes.in_graph[index]:
            node[row], output[row] = index, int(fed[2])
    return node, output


def _decode(text: bytes, quirks: Quirks) -> Shape | None:
    shape = TensorShapeProto.FromString(text)
    if shape.unknown_rank and not quirks.exact_runtime_names:
        return None
    return tuple(dim.size for dim in shape.dim)


def _merge(static: Shape | None, traced: Shape | None) -> Shape | None:
    """The shape that two partial shapes describe. The first one wins if it is complete."""
    if static is None or traced is None:
        return traced if static is None else static
    if -1 not in static:
        return static
    fits = len(static) == len(traced) and all(
        a == b or -1 in (a, b) for a, b in zip(static, traced, strict=True)
    )
    if not fits:
        raise ValueError(f"Shapes {_format(static)} and {_format(traced)} are not compatible")
    return tuple(max(a, b) for a, b in zip(static, traced, strict=True))


def _format(shape: Shape) -> str:
    """A shape as the original prints it: `(2, None)`."""
    return str(tuple(None if size < 0 else size for size in shape))


def _encode(shape: Shape | None) -> list[int]:
    return [] if shape is None else list(shape) or [1]
