"""GraphDef to columns: binary or text, alone or inside a MetaGraphDef or SavedModel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.message import DecodeError

from tfprof.errors import LoadError
from tfprof.loaders.graph_nodes import GraphNodes, nodes_of_bytes
from tfprof.loaders.message_kinds import is_text, message_kind
from tfprof.loaders.messages import Input, MessageLike, wrong_message_error
from tfprof.loaders.model_messages import (
    MODEL_KINDS,
    model_kind,
    no_nodes_error,
    parse_model,
    read_model_bytes,
)
from tfprof.loaders.saved_model.graph import signature_graph
from tfprof.loaders.wire import parent_indices
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.schema import CONTROL, SHAPE, SHAPES, Array
from tfprof.profiles.source_columns import GraphColumns
from tfprof.profiles.string_columns import slice_strings, utf8_bytes, value_offsets
from tfprof.protos.graph_pb2 import AttrValue, GraphDef, TensorShapeProto
from tfprof.protos.saved_model_pb2 import SavedModel
from tfprof.runtime.gc_pause import gc_paused


def read_graph(source: MessageLike) -> GraphColumns:
    """The columns of a GraphDef, alone or inside a MetaGraphDef or SavedModel."""
    content = read_model_bytes(source)
    try:
        graph, input_names = _nodes(content)
    except DecodeError:
        raise wrong_message_error(content, GraphDef, expected=MODEL_KINDS) from None
    if content.path is not None and not _have_ops(graph.nodes):
        raise no_nodes_error(content)
    return replace(_columns(graph.nodes), library=graph.library, input_names=input_names)


def columns_of_nodes(data: bytes) -> GraphColumns:
    """The columns of the nodes of a serialized GraphDef."""
    return _columns(nodes_of_bytes(data).nodes)


def _have_ops(nodes: pa.Array) -> bool:
    return bool(pc.any(pc.not_equal(nodes.field("op"), "")).as_py())


def _nodes(content: Input) -> tuple[GraphNodes, Mapping[str, str]]:
    """The nodes of a graph and the names of its inputs; a DecodeError if they are malformed."""
    kind = model_kind(content)
    if kind is GraphDef:
        if not is_text(content.data):
            return _binary_nodes(content), {}
        try:
            return _text_nodes(content), {}
        except (DecodeError, LoadError):
            # A few bytes of a message can all be printable.
            if content.path is not None:
                raise
            return _binary_nodes(content), {}
    message = parse_model(content, kind)
    input_names: dict[str, str] = {}
    if isinstance(message, SavedModel):
        graph, input_names = signature_graph(message, content.path)
    else:
        graph = message.graph_def
    return nodes_of_bytes(graph.SerializeToString(), well_formed=True), input_names


def _binary_nodes(content: Input) -> GraphNodes:
    graph = nodes_of_bytes(content.data)
    if len(graph.nodes) > 1 and _have_ops(graph.nodes):
        return graph
    # Something else may look like a graph of few nodes: all of its fields have to fit.
    message = GraphDef.FromString(content.data)
    is_odd = len(message.node) == 1 and message.node[0].name[:1] < " "
    if is_odd and message_kind(content.head) not in ("", "GraphDef"):
        raise wrong_message_error(content, GraphDef)
    return nodes_of_bytes(message.SerializeToString(), well_formed=True)


def _text_nodes(content: Input) -> GraphNodes:
    from tfprof.loaders.pbtxt.graph import nodes_of_text

    with gc_paused():
        graph = nodes_of_text(content.data)
        if graph is not None:
            return graph
        return nodes_of_bytes(parse_model(content, GraphDef).SerializeToString(), well_formed=True)


def _columns(nodes: pa.Array) -> GraphColumns:
    attrs, inputs = nodes.field("attr"), nodes.field("input")
    input_starts = list_offsets(inputs)
    consumer = parent_indices(inputs, np.int32)
    index = np.arange(len(consumer)) - input_starts[consumer]
    producer, output = _split_inputs(inputs.flatten())
    return GraphColumns(
        nodes.field("name"),
        nodes.field("op"),
        attrs,
        _decode_attribute(attrs, "shape", SHAPE, _own_shape),
        _decode_attribute(attrs, "_output_shapes", SHAPES, _output_shapes),
        consumer,
        index.astype(np.int32),
        producer,
        output,
    )


def _split_inputs(inputs: pa.Array) -> tuple[pa.Array, Array]:
    """The producer and its output index that each input names, such as `split:1` or `^control`."""
    offsets, text = value_offsets(inputs) - value_offsets(inputs)[0], utf8_bytes(inputs)
    control = offsets[1:] > offsets[:-1]
    control[control] = text[offsets[:-1][control]] == ord("^")
    colons = np.flatnonzero(text == ord(":"))
    if not (len(colons) or control.any()):
        return inputs, np.zeros(len(inputs), np.int32)
    following = np.append(colons, offsets[-1])[np.searchsorted(colons, offsets[:-1])]
    end = np.minimum(following, offsets[1:])
    producer = slice_strings(inputs, offsets[:-1] + control, end)
    rows = np.flatnonzero(end < offsets[1:])
    numbers = slice_strings(inputs, end[rows] + 1, offsets[1:][rows]).dictionary_encode()
    outputs = [_output_number(text) for text in numbers.dictionary.to_pylist()]
    output = np.zeros(len(inputs), np.int32)
    output[rows] = np.array(outputs, np.int32)[numbers.indices.to_numpy()]
    output[control] = CONTROL
    return producer, output


def _output_number(text: str) -> int:
    """The output index after a colon; 0 if it is not a number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _decode_attribute(attrs: pa.Array, key: str, kind: pa.DataType, read: Any) -> pa.Array:
    """One attribute of every node, decoded once for each distinct value; empty where absent."""
    entries = attrs.flatten()
    rows = np.flatnonzero(pc.equal(entries.field("key"), key).to_numpy(zero_copy_only=False))
    node_of = np.searchsorted(list_offsets(attrs), rows, side="right") - 1
    distinct = entries.field("value").take(pa.array(rows)).dictionary_encode()
    values = [read(AttrValue.FromString(v)) for v in distinct.dictionary.to_pylist()]
    code = np.zeros(len(attrs), np.int32)
    code[node_of] = distinct.indices.to_numpy() + 1
    return pa.array([[], *values], kind).take(pa.array(code))


def shape_of(shape: TensorShapeProto) -> list[int]:
    """Dimensions, -1 for an unknown one; `[1]` for a scalar, empty for an unknown rank."""
    scalar = [] if shape.unknown_rank else [1]
    return [dim.size for dim in shape.dim] or scalar


def _own_shape(value: AttrValue) -> list[int]:
    return shape_of(value.shape) if value.WhichOneof("value") == "shape" else []


def _output_shapes(value: AttrValue) -> list[list[int]]:
    if value.WhichOneof("value") != "list":
        return []
    return [shape_of(shape) for shape in value.list.shape]
