"""GraphDef, binary or text, alone or inside a MetaGraphDef or SavedModel, to columns."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf import text_format
from google.protobuf.message import DecodeError

from tfprof.errors import LoadError
from tfprof.loaders.graph_nodes import GraphNodes, nodes_of_bytes
from tfprof.loaders.inputs import (
    Source,
    is_text,
    parse_text,
    read_bytes,
)
from tfprof.loaders.saved_model.graph import is_saved_model, read_saved_graph
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.schema import SHAPE, SHAPES, Array
from tfprof.profiles.source_columns import GraphColumns
from tfprof.profiles.string_columns import slice_strings, utf8_bytes, value_offsets
from tfprof.protos import graph_pb2, saved_model_pb2
from tfprof.runtime.gc_pause import gc_paused

__all__ = ["columns_of_nodes", "read_graph", "shape_of"]

WHAT = "a GraphDef (binary, text, or inside a MetaGraphDef)"


def read_graph(source: Source) -> GraphColumns:
    """The columns of a GraphDef, whatever form it comes in."""
    if is_saved_model(source):
        data, called, in_memory = read_saved_graph(source), os.fspath(source), False
    else:
        data, called, in_memory = read_bytes(source, "graph")
    found = _text_nodes(data, called) if is_text(data) else _binary_nodes(data)
    if found is None or not (in_memory or _have_ops(found.nodes)):
        kind = _other_kind(data)
        reason = f"it is {kind}" if kind else "it may be cut off or of another kind"
        raise LoadError(f"{called}: not {WHAT}; {reason}")
    return replace(_columns(found.nodes), library=found.library)


def columns_of_nodes(data: bytes) -> GraphColumns:
    """The columns of the nodes of a serialized GraphDef."""
    return _columns(nodes_of_bytes(data).nodes)


def _have_ops(nodes: pa.Array) -> bool:
    return bool(pc.any(pc.not_equal(nodes.field("op"), "")).as_py())


def _binary_nodes(data: bytes) -> GraphNodes | None:
    try:
        found = nodes_of_bytes(data)
        if len(found.nodes) > 1 and _have_ops(found.nodes):
            return found
    except DecodeError:
        pass
    # Something else may look like a graph of few nodes; all of its fields tell them apart.
    graph = _binary_graph(data)
    return None if graph is None else nodes_of_bytes(graph.SerializeToString())


def _text_nodes(data: bytes, called: str) -> GraphNodes:
    with gc_paused():
        from tfprof.loaders.pbtxt.graph import nodes_of_text

        return nodes_of_text(data) or _parsed_text_nodes(data, called)


def _binary_graph(data: bytes) -> graph_pb2.GraphDef | None:
    graph = _parsed(graph_pb2.GraphDef, data)
    if graph is not None and (len(graph.node) != 1 or graph.node[0].name[:1] >= " "):
        return graph
    meta = _parsed(saved_model_pb2.MetaGraphDef, data)
    if meta is not None and any(node.op for node in meta.graph_def.node):
        return meta.graph_def
    # A single odd name is more likely a RunMetadata read as a graph than a graph.
    return None if _other_kind(data) else graph


def _parsed_text_nodes(data: bytes, called: str) -> GraphNodes:
    kind: Any = graph_pb2.GraphDef
    if data.lstrip().startswith((b"meta_info_def", b"graph_def")):
        kind = saved_model_pb2.MetaGraphDef
    try:
        message = parse_text(data, kind)
        graph = message if kind is graph_pb2.GraphDef else message.graph_def
        return nodes_of_bytes(graph.SerializeToString(), well_formed=True)
    except UnicodeDecodeError as error:
        raise LoadError(f"{called}: not {WHAT}; byte {error.start} is no UTF-8 text") from None
    except (text_format.ParseError, DecodeError, RecursionError, ValueError) as error:
        reason = (str(error).splitlines() or ["nested too deeply"])[0]
        raise LoadError(f"{called}: not {WHAT}; {reason}") from None


def _parsed(kind: Any, data: bytes) -> Any:
    try:
        return kind.FromString(data)
    except DecodeError:
        return None


def _other_kind(data: bytes) -> str:
    """What else bytes are, to say so, or nothing."""
    from tfprof.protos import log_pb2, run_metadata_pb2

    run = _parsed(run_metadata_pb2.RunMetadata, data)
    if run is not None and any(device.node_stats for device in run.step_stats.dev_stats):
        return "a RunMetadata; give it as run_meta"
    profile = _parsed(log_pb2.ProfileProto, data)
    if profile is not None and any(node.op for node in profile.nodes.values()):
        return "a saved profile; give it as profile"
    log = _parsed(log_pb2.OpLogProto, data)
    if log is not None and any(entry.name for entry in log.log_entries):
        return "an op log; give it as op_log"
    return ""


def _columns(nodes: pa.Array) -> GraphColumns:
    attrs, inputs = nodes.field("attr"), nodes.field("input")
    input_starts = list_offsets(inputs)
    counts = np.diff(input_starts)
    consumer = np.repeat(np.arange(len(nodes), dtype=np.int32), counts)
    index = np.arange(len(consumer)) - np.repeat(input_starts[:-1], counts)
    producer, output = _split_inputs(inputs.flatten())
    return GraphColumns(
        nodes.field("name"),
        nodes.field("op"),
        attrs,
        _decoded(attrs, "shape", SHAPE, _own_shape),
        _decoded(attrs, "_output_shapes", SHAPES, _output_shapes),
        consumer,
        index.astype(np.int32),
        producer,
        output,
    )


def _split_inputs(inputs: pa.Array) -> tuple[pa.Array, Array]:
    """The producer and its output index that each input names, such as `split:1` or `^control`."""
    at, text = value_offsets(inputs) - value_offsets(inputs)[0], utf8_bytes(inputs)
    control = at[1:] > at[:-1]
    control[control] = text[at[:-1][control]] == ord("^")
    colons = np.flatnonzero(text == ord(":"))
    if not (len(colons) or control.any()):
        return inputs, np.zeros(len(inputs), np.int32)
    following = np.append(colons, at[-1])[np.searchsorted(colons, at[:-1])]
    end = np.minimum(following, at[1:])
    producer = slice_strings(inputs, at[:-1] + control, end)
    rows = np.flatnonzero(end < at[1:])
    numbers = slice_strings(inputs, end[rows] + 1, at[1:][rows]).dictionary_encode()
    known = [_output_number(text) for text in numbers.dictionary.to_pylist()]
    output = np.zeros(len(inputs), np.int32)
    output[rows] = np.array(known, np.int32)[numbers.indices.to_numpy()]
    return producer, output


def _output_number(text: str) -> int:
    """The number after a colon; 0 if it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _decoded(attrs: pa.Array, key: str, kind: pa.DataType, read: Any) -> pa.Array:
    """One attribute of every node, decoded once for each distinct value; empty where absent."""
    entries = attrs.flatten()
    rows = np.flatnonzero(pc.equal(entries.field("key"), key).to_numpy(zero_copy_only=False))
    node_of = np.searchsorted(list_offsets(attrs), rows, side="right") - 1
    distinct = entries.field("value").take(pa.array(rows)).dictionary_encode()
    values = [read(graph_pb2.AttrValue.FromString(v)) for v in distinct.dictionary.to_pylist()]
    code = np.zeros(len(attrs), np.int32)
    code[node_of] = distinct.indices.to_numpy() + 1
    return pa.array([[], *values], kind).take(pa.array(code))


def shape_of(shape: graph_pb2.TensorShapeProto) -> list[int]:
    """Dimensions, -1 for an unknown one; `[1]` for a scalar, empty for an unknown rank."""
    scalar = [] if shape.unknown_rank else [1]
    return [dim.size for dim in shape.dim] or scalar


def _own_shape(value: graph_pb2.AttrValue) -> list[int]:
    return shape_of(value.shape) if value.WhichOneof("value") == "shape" else []


def _output_shapes(value: graph_pb2.AttrValue) -> list[list[int]]:
    if value.WhichOneof("value") != "list":
        return []
    return [shape_of(shape) for shape in value.list.shape]
