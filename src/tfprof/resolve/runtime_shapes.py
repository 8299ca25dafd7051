"""Static shapes completed by those seen at run time, in the profile: no graph is changed."""

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

__all__ = ["with_runtime_shapes"]

# How the runtime calls a fed tensor: the node's name, its output, and the number of the argument.
_FED = re.compile(r"_arg_(.+)_([0-9]{1,9})_[0-9]+")
Shape = tuple[int, ...]
"""Sizes in order, -1 for an unknown one."""

_Seen = Iterator[tuple[int, list[tuple[int, Shape | None]]]]


def with_runtime_shapes(
    profile: Profile, quirks: Quirks, runs: Sequence[Records] | None = None
) -> tuple[Profile, list[str]]:
    """A profile with the output shapes that runs tell (all by default), and what contradicts."""
    runs = profile.records if runs is None else runs
    if not runs:
        return profile, []
    column = profile.nodes.output_shapes
    open_nodes = _incomplete(profile)
    found: dict[int, list[Shape | None]] = {}
    conflicts: list[str] = []
    room = MAX_SHAPE_GAPS
    for records in runs:
        for node, outputs in _seen(profile, records, open_nodes, quirks):
            if node not in found:
                found[node] = [tuple(shape) or None for shape in column[node].as_py()]
            known = found[node]
            if quirks.exact_runtime_names and len(outputs) != len(known):
                continue
            for output, traced in outputs:
                gap = max(output - len(known), 0)
                if output < 0 or gap > room:
                    continue
                room -= gap
                known += [None] * (output + 1 - len(known))
                try:
                    known[output] = _merged(known[output], traced)
                except ValueError as error:
                    name = profile.nodes.name[node].as_py()
                    conflicts.append(f"Node {name} incompatible shapes: {error}.")
    if not found:
        return profile, conflicts
    # A scalar is written as [1], an unknown rank as nothing: see loaders.graph_def.
    rows = [[_written(shape) for shape in shapes] for shapes in found.values()]
    at = np.arange(len(column))
    at[list(found)] = len(column) + np.arange(len(found))
    merged = pa.concat_arrays([column, pa.array(rows, SHAPES)]).take(pa.array(at))
    return profile.replace(nodes=replace(profile.nodes, output_shapes=merged)), conflicts


def _incomplete(profile: Profile) -> BoolArray:
    """Which nodes of the graph have an output whose shape is not fully known."""
    column = profile.nodes.output_shapes
    at = list_offsets(column)
    shapes = column.flatten()
    inner = list_offsets(shapes)
    gaps = np.concatenate([[0], np.cumsum(shapes.flatten().to_numpy() < 0)])
    is_open = (np.diff(inner) == 0) | (np.diff(gaps[inner]) > 0)
    counts = np.concatenate([[0], np.cumsum(is_open)])
    found: BoolArray = (np.diff(counts[at]) > 0) | (np.diff(at) == 0)
    return found & profile.nodes.in_graph


def _seen(profile: Profile, records: Records, open_nodes: BoolArray, quirks: Quirks) -> _Seen:
    """For each record of a node with unknown shapes, the outputs it shows."""
    names = records.names
    node, output = _targets(profile, names.dictionary, quirks)
    code = names.indices.to_numpy()
    wanted = (node[code] >= 0) & open_nodes[node[code]]
    bounds = np.searchsorted(records.output_record, np.arange(len(code) + 1)).tolist()
    shapes = [_decoded(text, quirks) for text in records.output_shape.dictionary.to_pylist()]
    shapes.append(() if quirks.exact_runtime_names else None)
    shape_code = records.output_shape.indices.fill_null(len(shapes) - 1).to_numpy()
    slots = records.output_slot
    for record in np.flatnonzero(wanted).tolist():
        places = range(bounds[record], bounds[record + 1])
        if not places:
            continue
        at = int(node[code[record]])
        base = int(output[code[record]])
        shown = [shapes[shape_code[place]] for place in places]
        if quirks.exact_runtime_names:
            yield at, list(enumerate(shown))
        else:
            yield at, [(base + int(slots[p]), s) for p, s in zip(places, shown, strict=True)]


def _targets(profile: Profile, names: pa.Array, quirks: Quirks) -> tuple[Array, Array]:
    """The node that each name of a record stands for, and the output that is its output 0."""
    found = index_in(names, profile.nodes.name)
    output = np.zeros(len(found), np.int64)
    found[~profile.nodes.in_graph[found]] = -1
    if quirks.exact_runtime_names:
        return found, output
    rows = np.flatnonzero(found < 0)
    if profile.calls is not None and len(rows):
        inside = strip_counters_column(names.take(pa.array(rows)))
        found[rows] = index_in(inside, profile.nodes.name)
    fed_names = pc.starts_with(names, "_arg_").to_numpy(zero_copy_only=False)
    for row in np.flatnonzero((found < 0) & fed_names).tolist():
        fed = _FED.fullmatch(names[row].as_py())
        if fed is None:
            continue
        at = int(index_in(pa.array([fed[1]]), profile.nodes.name)[0])
        if at >= 0 and profile.nodes.in_graph[at]:
            found[row], output[row] = at, int(fed[2])
    return found, output


def _decoded(text: bytes, quirks: Quirks) -> Shape | None:
    shape = TensorShapeProto.FromString(text)
    if shape.unknown_rank and not quirks.exact_runtime_names:
        return None
    return tuple(dim.size for dim in shape.dim)


def _merged(static: Shape | None, traced: Shape | None) -> Shape | None:
    """What two descriptions of a shape say together; the first one wins if it is complete."""
    if static is None or traced is None:
        return traced if static is None else static
    if -1 not in static:
        return static
    fits = len(static) == len(traced) and all(
        a == b or -1 in (a, b) for a, b in zip(static, traced, strict=True)
    )
    if not fits:
        raise ValueError(f"Shapes {_shown(static)} and {_shown(traced)} are not compatible")
    return tuple(max(a, b) for a, b in zip(static, traced, strict=True))


def _shown(shape: Shape) -> str:
    """A shape as the original prints it: `(2, None)`."""
    return str(tuple(None if size < 0 else size for size in shape))


def _written(shape: Shape | None) -> list[int]:
    return [] if shape is None else list(shape) or [1]
