"""A report as the messages that the original returns: GraphNodeProto and MultiGraphNodeProto.

Their bytes are put together from columns and parsed, which takes a fraction of setting every field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tfprof.metrics import MEASURES
from tfprof.outputs.message_trees import parsed
from tfprof.outputs.pieces import Coded, Piece, bytes_of
from tfprof.outputs.refusals import refusal
from tfprof.outputs.tensor_value import Values
from tfprof.outputs.wire_columns import column, grouped, key, nested, numbers, strings, varint
from tfprof.profiles.columns import Ints, starts
from tfprof.profiles.inputs import input_shapes_of
from tfprof.profiles.runs import runs_of
from tfprof.protos import graph_pb2, output_pb2
from tfprof.views.view import ROOT

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor

    from tfprof.report import Report

__all__ = ["result"]

_LARGEST = 2**63 - 1
_NAME = 1  # the number of this field in both messages
_OWN = [name for name in MEASURES if name != "definition_count"]
_MULTI = [name for name in _OWN if name != "run_count"]


def result(report: Report) -> Any:
    """The message of a report, of any depth."""
    is_graph = report.kind in ("scope", "graph")
    root = output_pb2.GraphNodeProto() if is_graph else output_pb2.MultiGraphNodeProto()
    if not report.shown:
        return root
    if report.quirks.refusals_are_notes:
        output = report.options.output.partition(":")[0]
        if refusal(report, output):
            root.name = ROOT
            return root
        if output == "timeline" and report.kind == "graph" and report.options.step < 0:
            return root
    return parsed(root, report.tree, _graph_rows(report) if is_graph else _multi_rows(report))


def _numbers(message: Descriptor, tables: dict[str, tuple[Ints, list[str]]]) -> list[Piece]:
    """The number fields of all rows; a table's names have its prefix in the message."""
    fields = {
        message.fields_by_name[prefix + name].number: _limited(table[:, MEASURES.index(name)])
        for prefix, (table, names) in tables.items()
        for name in names
    }
    return numbers(fields)


def _limited(values: Ints) -> Ints:
    return np.minimum(values, _LARGEST).astype(np.int64) if values.dtype == object else values


def _names(texts: pa.Array) -> pa.Array:
    """Names of which some may have been cut inside a character, as valid strings."""
    data = bytes_of(texts)
    if not len(data) or np.frombuffer(data, np.uint8).max() < 128:
        return texts
    words = texts.cast(pa.binary()).to_pylist()
    return pa.array([word.decode(errors="replace") for word in words], pa.string())


def _graph_rows(report: Report) -> list[Piece]:
    """The rows of scope or graph view."""
    message = output_pb2.GraphNodeProto.DESCRIPTOR
    tables = {"": (report.own, _OWN), "total_": (report.total, list(MEASURES))}
    return [
        *strings(_NAME, _names(report.name), np.arange(len(report))),
        *_numbers(message, tables),
        *_details(report, report.node),
        *_tensor_values(report),
    ]


def _details(report: Report, node: Ints) -> list[Piece]:
    """The device and the input shapes of nodes, nothing for -1."""
    fields = output_pb2.GraphNodeProto.DESCRIPTOR.fields_by_name
    devices = pa.array([*report.profile.devices, ""], pa.string())
    device = np.append(runs_of(report.profile, report.quirks).device, -1)[node]
    shapes = pa.concat_arrays([_input_shapes(report), pa.array([b""])])
    return [
        *_present(fields["devices"].number, devices, device),
        Coded(shapes, np.where(node < 0, len(shapes) - 1, node)),
    ]


def _present(number: int, words: pa.Array, at: Ints) -> list[Piece]:
    """Strings of a repeated field, where they are (not -1)."""
    text = Coded(words, np.where(at < 0, len(words) - 1, at))
    return nested(number, len(at), [text], at >= 0)


def _input_shapes(report: Report) -> pa.Array:
    """The entries of each node's map of input shapes."""
    shape = graph_pb2.TensorShapeProto.DESCRIPTOR.fields_by_name
    entry = output_pb2.GraphNodeProto.DESCRIPTOR.fields_by_name["input_shapes"]
    inputs = input_shapes_of(report.profile, report.quirks)
    count = len(inputs.index)
    sizes = inputs.shape.flatten().dictionary_encode()
    words = [key(1) + varint(size) if size else b"" for size in sizes.dictionary.to_pylist()]
    words = [key(shape["dim"].number, nests=True) + varint(len(word)) + word for word in words]
    dims = column(len(sizes), [Coded(pa.array(words, pa.binary()), sizes.indices.to_numpy())])
    at = starts(inputs.shape)
    unknown = pa.array([b"", key(shape["unknown_rank"].number) + varint(1)])
    known = np.arange(count)
    value: list[Piece] = [
        Coded(grouped(dims, at), known),
        Coded(unknown, (np.diff(at) == 0).astype(np.int64)),
    ]
    pair = [*numbers({1: inputs.index}), *nested(2, count, value)]
    entries = column(count, nested(entry.number, count, pair))
    return grouped(entries, inputs.start)


def _tensor_values(report: Report) -> list[Piece]:
    """The checkpoint values of rows that are nodes, if they are asked for."""
    values = Values(report)
    if not values.keys:
        return []
    number = output_pb2.GraphNodeProto.DESCRIPTOR.fields_by_name["tensor_value"].number
    found = [
        values.message(name) if node >= 0 else None
        for name, node in zip(report.names, report.node.tolist(), strict=True)
    ]
    words = [b"" if message is None else message.SerializeToString() for message in found]
    there = np.array([message is not None for message in found], bool)
    at = np.arange(len(words))
    return nested(number, len(words), [Coded(pa.array(words, pa.binary()), at)], there)


def _multi_rows(report: Report) -> list[Piece]:
    """The rows of op or code view, each with the nodes that count there."""
    message = output_pb2.MultiGraphNodeProto.DESCRIPTOR
    tables = {"": (report.own, _MULTI), "total_": (report.total, _MULTI)}
    member, bounds = report.members
    first, last = bounds.T
    nodes = _member_nodes(report, member)
    # Members are in the order of the view; those of a row stand between two of these places.
    places = np.unique(np.concatenate([first, last, [0, len(member)]]))
    words = pa.concat_arrays([grouped(nodes, places), pa.array([b""])])
    filled = first < last
    filled[0] = False
    return [
        *strings(_NAME, _names(report.name), np.arange(len(report))),
        *_numbers(message, tables),
        Coded(words, np.where(filled, np.searchsorted(places, first), len(words) - 1)),
    ]


def _member_nodes(report: Report, member: Ints) -> pa.Array:
    """A field `graph_nodes` for each member: a node whose totals are its own numbers."""
    message = output_pb2.GraphNodeProto.DESCRIPTOR
    own = report.numbers[member]
    one = np.ones(len(member), np.int64)
    defined = message.fields_by_name["total_definition_count"].number
    pieces = [
        *strings(_NAME, report.profile.nodes.name, member),
        *_numbers(message, {"": (own, _OWN), "total_": (own, _OWN)}),
        *numbers({defined: one}),
        *_details(report, member),
    ]
    field = output_pb2.MultiGraphNodeProto.DESCRIPTOR.fields_by_name["graph_nodes"]
    return column(len(member), nested(field.number, len(member), pieces))
