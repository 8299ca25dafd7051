"""A report as the messages that the original returns: GraphNodeProto and MultiGraphNodeProto.

Their bytes are encoded from columns and parsed, which takes a fraction of setting every field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tfprof.definitions.metrics import METRICS, measure_names
from tfprof.flops.flop_columns import without_symbols
from tfprof.outputs.encoding.row_encoder import concat_groups
from tfprof.outputs.node_labels import check_labels
from tfprof.outputs.protobuf.nested_messages import parse_tree
from tfprof.outputs.protobuf.protobuf_writer import (
    Fields,
    encode_messages,
    field_numbers,
    field_tag,
    integer_fields,
    message_field,
    raw_fields,
    string_field,
)
from tfprof.outputs.supported import why_unsupported
from tfprof.profiles.executions import executions_of
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.input_shapes import input_shapes_of
from tfprof.profiles.lazy_columns import LazyColumns, clip_to_int64
from tfprof.profiles.schema import Array
from tfprof.profiles.string_columns import utf8_bytes
from tfprof.protos import graph_pb2, output_pb2
from tfprof.protos.varint import encode_varint
from tfprof.views.view import ROOT

if TYPE_CHECKING:
    from tfprof.reports.report import Report

_NODE = field_numbers(output_pb2.GraphNodeProto)
_MULTI = field_numbers(output_pb2.MultiGraphNodeProto)
_SHAPE = field_numbers(graph_pb2.TensorShapeProto)
_SIZE = field_numbers(graph_pb2.TensorShapeProto.Dim)["size"]
_KEY, _VALUE = 1, 2  # of the entries of any map


def report_message(report: Report) -> Any:
    """The message of a report, of any depth."""
    is_graph = report.kind in ("scope", "graph")
    root = output_pb2.GraphNodeProto() if is_graph else output_pb2.MultiGraphNodeProto()
    if not report.shown:
        return root
    if report.quirks.unsupported_is_a_message:
        output = report.options.output.partition(":")[0]
        if why_unsupported(report, output):
            root.name = ROOT
            return root
        if output == "timeline" and report.kind == "graph" and report.options.step < 0:
            return root
    return parse_tree(root, report.tree, _graph_rows(report) if is_graph else _multi_rows(report))


def _numbers(
    fields: dict[str, int], own: LazyColumns, total: LazyColumns, select: tuple[str, ...] = ()
) -> Fields:
    """The integer fields of all rows: one for each measure that a message has a field for.

    Fields that the original's message does not have are there only if their metric is selected.
    """
    optional = {
        metric.measure
        for name, metric in METRICS.items()
        if metric.extension and name not in select
    }
    return integer_fields(
        {
            fields[prefix + name]: clip_to_int64(without_symbols(table[:, name], batch=1))
            for prefix, table in (("", own), ("total_", total))
            for name in measure_names()
            if prefix + name in fields and name not in optional
        }
    )


def _valid_names(names: pa.Array) -> pa.Array:
    """Names, of which some may have been cut inside a character, as valid strings."""
    if utf8_bytes(names).max(initial=0) < 128:
        return names
    decoded = [name.decode(errors="replace") for name in names.cast(pa.binary()).to_pylist()]
    return pa.array(decoded, pa.string())


def _graph_rows(report: Report) -> Fields:
    """The rows of scope or graph view."""
    rows = string_field(_NODE["name"], _valid_names(report.name))
    rows += _numbers(_NODE, report.own, report.total, report.options.select)
    rows += _details(report, report.node)
    return _with_tensor_values(report, rows)


def _details(report: Report, node: Array) -> Fields:
    """The device and the input shapes of nodes; none for -1."""
    names = pa.array([*report.profile.devices, ""], pa.string())
    device = np.append(executions_of(report.profile, report.quirks).device, -1)[node]
    check_labels(report.profile.devices, device, "devices of the rows")
    text = raw_fields(names, np.where(device < 0, len(names) - 1, device))
    shapes = pa.concat_arrays([_input_shapes(report), pa.array([b""])])
    shape = raw_fields(shapes, np.where(node < 0, len(shapes) - 1, node))
    return message_field(_NODE["devices"], text, device >= 0) + shape


def _input_shapes(report: Report) -> pa.Array:
    """The entries of each node's map of input shapes."""
    inputs = input_shapes_of(report.profile, report.quirks)
    sizes = inputs.shape.flatten().dictionary_encode()
    dims = message_field(_SHAPE["dim"], integer_fields({_SIZE: sizes.dictionary.to_numpy()}))
    dims = encode_messages(dims.take(sizes.indices.to_numpy()))
    offsets = list_offsets(inputs.shape)
    unknown = pa.array([b"", field_tag(_SHAPE["unknown_rank"]) + encode_varint(1)])
    value = raw_fields(concat_groups(dims, offsets))
    value += raw_fields(unknown, (np.diff(offsets) == 0).astype(np.int64))
    entry = integer_fields({_KEY: inputs.index}) + message_field(_VALUE, value)
    entries = encode_messages(message_field(_NODE["input_shapes"], entry))
    return concat_groups(entries, inputs.start)


def _with_tensor_values(report: Report, rows: Fields) -> Fields:
    """The checkpoint values of rows that are nodes as well, if they are selected."""
    if "tensor_value" not in report.options.select:
        return rows
    # Imported here, as few reports need what reads checkpoints.
    from tfprof.outputs.tensor_value import TensorValues

    values = TensorValues(report)
    if not values.keys:
        return rows
    messages = [
        values.message(name) if node >= 0 else None
        for name, node in zip(report.names, report.node.tolist(), strict=True)
    ]
    data = [b"" if message is None else message.SerializeToString() for message in messages]
    present = np.array([message is not None for message in messages], bool)
    encoded = raw_fields(pa.array(data, pa.binary()))
    return rows + message_field(_NODE["tensor_value"], encoded, present)


def _multi_rows(report: Report) -> Fields:
    """The rows of op or code view, each with the nodes that count there."""
    member, bounds = report.members
    first, last = bounds.T
    # Members are in the order of the view; those of a row lie between two of these offsets.
    offsets = np.unique(np.concatenate([first, last, [0, len(member)]]))
    groups = concat_groups(_member_nodes(report, member), offsets)
    groups = pa.concat_arrays([groups, pa.array([b""])])
    has_members = first < last
    has_members[0] = False
    indices = np.where(has_members, np.searchsorted(offsets, first), len(groups) - 1)
    return (
        string_field(_MULTI["name"], _valid_names(report.name))
        + _numbers(_MULTI, report.own, report.total, report.options.select)
        + raw_fields(groups, indices)
    )


def _member_nodes(report: Report, member: Array) -> pa.Array:
    """A field `graph_nodes` for each member: a node whose totals are its own numbers."""
    own = report.numbers.take(member)
    node = string_field(_NODE["name"], report.profile.nodes.name, member)
    node += _numbers(_NODE, own, own)
    node += _details(report, member)
    return encode_messages(message_field(_MULTI["graph_nodes"], node))
