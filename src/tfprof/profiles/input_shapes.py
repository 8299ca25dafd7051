"""The shapes of the inputs of nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.grouping import group_offsets, list_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import SHAPE, Array


@dataclass(frozen=True, slots=True)
class InputShapes:
    """The inputs of node `n` are the edges `start[n]:start[n + 1]`; an unknown shape is empty."""

    start: Array
    index: Array
    shape: pa.Array

    def texts(self) -> pa.Array:
        """`index:shape` of each edge, such as `0:3x4` or `1:unknown`."""
        known = pc.greater(pc.list_value_length(self.shape), 0)
        shapes = pc.if_else(known, format_shapes(self.shape), "unknown")
        return pc.binary_join_element_wise(pa.array(self.index).cast(pa.string()), shapes, ":")


def format_shapes(shapes: pa.Array) -> pa.Array:
    """Shapes as text, such as `3x4`."""
    return pc.binary_join(shapes.cast(pa.list_(pa.string())), "x")


def input_shapes_of(profile: Profile, quirks: Quirks) -> InputShapes:
    """The input shapes of all nodes, computed once."""
    return profile.memoize((input_shapes_of, quirks), lambda: _input_shapes(profile, quirks))


def _input_shapes(profile: Profile, quirks: Quirks) -> InputShapes:
    edges = profile.edges
    start = group_offsets(edges.consumer, len(profile.nodes))
    producer = index_in(edges.producer, profile.nodes.name)
    # A control input is shown with the shape of the first output.
    output = edges.output.clip(0, 0 if quirks.first_output_only else None)
    first = list_offsets(profile.nodes.output_shapes)
    index = first[producer] + output
    known = (producer >= 0) & (output >= 0) & (index < first[producer + 1])
    # The last shape is that of unknown inputs.
    shapes = pa.concat_arrays([profile.nodes.output_shapes.flatten(), pa.array([[]], SHAPE)])
    index = np.where(known, index, len(shapes) - 1)
    return InputShapes(start, edges.index, shapes.take(pa.array(index)))
