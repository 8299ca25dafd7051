"""What a page knows of nodes: names, types, devices, shapes, edges and source lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.outputs.html.blocks import Blocks
from tfprof.profiles.executions import Executions, executions_of
from tfprof.profiles.input_shapes import format_shapes, input_shapes_of
from tfprof.profiles.schema import Array
from tfprof.profiles.user_code import user_lines
from tfprof.reports.report import Report
from tfprof.views import view_of
from tfprof.views.graph import producers


def add_nodes(blocks: Blocks, report: Report) -> dict[str, Any]:
    """The blocks of all nodes of a report's profile."""
    profile, quirks = report.profile, report.quirks
    nodes, executions = profile.nodes, executions_of(profile, quirks)
    known = pc.greater(pc.list_value_length(nodes.shape), 0)
    shape = pc.if_else(known, format_shapes(nodes.shape), pa.scalar(None, pa.string()))
    return {
        "count": len(nodes),
        "name": blocks.add_texts(nodes.name),
        "op": blocks.add_dictionary(nodes.op),
        "device": blocks.add_integers(executions.device),
        "shape": blocks.add_dictionary(shape),
        "source": blocks.add_dictionary(user_lines(profile)),
        "code": blocks.add_integers(_code_positions(report)),
        "edges": _add_edges(blocks, report),
        "outputs": _add_outputs(blocks, executions),
    }


def _code_positions(report: Report) -> Array:
    """The position in code view of the line that created each node; -1 for none."""
    positions = np.full(len(report.profile.nodes), -1, np.int64)
    if report.profile.has_trace:
        view = view_of(report.profile, "code", report.quirks)
        positions[view.member_node] = view.member_position
    return positions


def _add_edges(blocks: Blocks, report: Report) -> dict[str, Any]:
    """Consumer, producer (-1 if the graph lacks it), its output and the shape of each input."""
    profile = report.profile
    edges, inputs = profile.edges, input_shapes_of(profile, report.quirks)
    known = pc.greater(pc.list_value_length(inputs.shape), 0)
    shapes = pc.if_else(known, format_shapes(inputs.shape), pa.scalar(None, pa.string()))
    return {
        "consumer": blocks.add_integers(edges.consumer, delta=True),
        "producer": blocks.add_integers(producers(profile)),
        "output": blocks.add_integers(edges.output),
        "shape": blocks.add_dictionary(shapes),
    }


def _add_outputs(blocks: Blocks, executions: Executions) -> dict[str, Any]:
    """The largest recorded size of each output of a node, by node and output."""
    node = executions.memory_node[executions.output_memory].astype(np.int64)
    slot, size = executions.output_slot.astype(np.int64), executions.output_size
    width = int(slot.max(initial=0)) + 1
    keys, index = np.unique(node * width + slot, return_inverse=True)
    largest = np.zeros(len(keys), np.int64)
    np.maximum.at(largest, index, size)
    return {
        "node": blocks.add_integers(keys // width, delta=True),
        "output": blocks.add_integers(keys % width),
        "bytes": blocks.add_integers(largest),
    }
