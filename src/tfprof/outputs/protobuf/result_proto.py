"""A report as the messages that the original returns: GraphNodeProto and MultiGraphNodeProto.

Their bytes are put together from columns and parsed, which takes a fraction of setting every field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import METRICS, measure_names
from tfprof.outputs.encoding.row_encoder import bytes_of
from tfprof.outputs.protobuf.nested_messages import parsed
from tfprof.outputs.protobuf.protobuf_writer import (
    Fields,
    column,
    fields,
    grouped,
    key,
    nested,
    numbers,
    strings,
    varint,
)
from tfprof.outputs.supported import refusal
from tfprof.outputs.tensor_value import Values
from tfprof.profiles.executions import executions_of
from tfprof.profiles.input_shapes import input_shapes_of
from tfprof.profiles.lazy_columns import LazyColumns
from tfprof.profiles.schema import Array, list_offsets
from tfprof.protos import graph_pb2, output_pb2
from tfprof.views.view import ROOT

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor

    from tfprof.reports.report import Report

__all__ = ["result"]

_LARGEST = 2**63 - 1
_NAME = 1  # the number of this field in both messages


def result(report: Report) -> Any:
    """The message of a report, of any depth."""
    is_graph = report.kind in ("scope", "graph")
    root = output_pb2.GraphNodeProto() if is_graph else output_pb2.MultiGraphNodeProto()
    if not report.shown:
        return root
    if report.quirks.unsupported_is_a_message:
        output = report.options.output.partition(":")[0]
        if refusal(report, output):
            root.name = ROOT
            return root
        if output == "timeline" and report.kind == "graph" and report.options.step < 0:
            return root
    return parsed(root, report.tree, _graph_rows(report) if is_graph else _multi_rows(report))


def _numbers(
    message: Descriptor, own: LazyColumns, total: LazyColumns, select: tuple[str, ...] = ()
) -> Fields:
    """The number fields of all rows: a field for each measure that the message has one for.

    Fields that the original's message does not have are there only if their metric is selected.
    """
    optional = {
        metric.measure
        for name, metric in METRICS.items()
        if metric.extension and name not in select
    }
    fields = message.fields_by_name
    return numbers(
        {
            fields[prefix + name].number: _limited(table[:, name])
            for prefix, table in (("", own), ("total_", total))
            for name in measure_names()
            if prefix + name in fields and name not in optional
        }
    )


def _limited(values: Array) -> Array:
    if values.dtype != object:
        return values
    return np.maximum(np.minimum(values, _LARGEST), -_LARGEST - 1).astype(np.int64)


def _names(texts: pa.Array) -> pa.Array:
    """Names of which some may have been cut inside a character, as valid strings."""
    data = bytes_of(texts)
    if not len(data) or np.frombuffer(data, np.uint8).max() < 128:
        return texts
    words = texts.cast(pa.binary()).to_pylist()
    return pa.array([word.decode(errors="replace") for word in words], pa.string())


def _graph_rows(report: Report) -> Fields:
    """The rows of scope or graph view."""
    message, select = output_pb2.GraphNodeProto.DESCRIPTOR, report.options.select
    found = strings(_NAME, _names(report.name))
    found += _numbers(message, report.own, report.total, select)
    found += _details(report, report.node)
    return _with_tensor_values(report, found)


def _details(report: Report, node: Array) -> Fields:
    """The device and the input shapes of nodes, nothing for -1."""
    number = output_pb2.GraphNodeProto.DESCRIPTOR.fields_by_name["devices"].number
    names = pa.array([*report.profile.devices, ""], pa.string())
    device = np.append(executions_of(report.profile, report.quirks).device, -1)[node]
    text = fields(names, np.where(device < 0, len(names) - 1, device))
    shapes = pa.concat_arrays([_input_shapes(report), pa.array([b""])])
    return nested(number, text, device >= 0) + fields(
        shapes, np.where(node < 0, len(shapes) - 1, node)
    )


def _input_shapes(report: Report) -> pa.Array:
    """The entries of each node's map of input shapes."""
    shape = graph_pb2.TensorShapeProto.DESCRIPTOR.fields_by_name
    number = output_pb2.GraphNodeProto.DESCRIPTOR.fields_by_name["input_shapes"].number
    inputs = input_shapes_of(report.profile, report.quirks)
    sizes = inputs.shape.flatten().dictionary_encode()
    words = [key(1) + varint(size) if size else b"" for size in sizes.dictionary.to_pylist()]
    words = [key(shape["dim"].number, nests=True) + varint(len(word)) + word for word in words]
    dims = column(fields(pa.array(words, pa.binary()), sizes.indices.to_numpy()))
    at = list_offsets(inputs.shape)
    unknown = pa.array([b"", key(shape["unknown_rank"].number) + varint(1)])
    value = fields(grouped(dims, at)) + fields(unknown, (np.diff(at) == 0).astype(np.int64))
    entry = numbers({1: inputs.index}) + nested(2, value)
    return grouped(column(nested(number, entry)), inputs.start)


def _with_tensor_values(report: Report, rows: Fields) -> Fields:
    """The checkpoint values of rows that are nodes as well, if they are asked for."""
    values = Values(report)
    if not values.keys:
        return rows
    number = output_pb2.GraphNodeProto.DESCRIPTOR.fields_by_name["tensor_value"].number
    found = [
        values.message(name) if node >= 0 else None
        for name, node in zip(report.names, report.node.tolist(), strict=True)
    ]
    words = [b"" if message is None else message.SerializeToString() for message in found]
    there = np.array([message is not None for message in found], bool)
    return rows + nested(number, fields(pa.array(words, pa.binary())), there)


def _multi_rows(report: Report) -> Fields:
    """The rows of op or code view, each with the nodes that count there."""
    message, select = output_pb2.MultiGraphNodeProto.DESCRIPTOR, report.options.select
    member, bounds = report.members
    first, last = bounds.T
    # Members are in the order of the view; those of a row stand between two of these places.
    places = np.unique(np.concatenate([first, last, [0, len(member)]]))
    words = pa.concat_arrays([grouped(_member_nodes(report, member), places), pa.array([b""])])
    filled = first < last
    filled[0] = False
    return (
        strings(_NAME, _names(report.name))
        + _numbers(message, report.own, report.total, select)
        + fields(words, np.where(filled, np.searchsorted(places, first), len(words) - 1))
    )


def _member_nodes(report: Report, member: Array) -> pa.Array:
    """A field `graph_nodes` for each member: a node whose totals are its own numbers."""
    message = output_pb2.GraphNodeProto.DESCRIPTOR
    own = report.numbers.of(member)
    node = strings(_NAME, report.profile.nodes.name, member)
    node += _numbers(message, own, own)
    node += _details(report, member)
    field = output_pb2.MultiGraphNodeProto.DESCRIPTOR.fields_by_name["graph_nodes"]
    return column(nested(field.number, node))
