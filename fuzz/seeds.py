"""Where mutation starts: slices of the demo, and small models of the oracle's generator.

They are the same in every process, so that an input can be made again from its seed.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from unittest import mock

from google.protobuf import text_format
from google.protobuf.message import Message

import tfprof
from tests.oracle.cases import Case, generate
from tfprof import demo
from tfprof.loaders.checkpoint.slice_key import key_prefix, key_suffix
from tfprof.loaders.checkpoint.table import open_table
from tfprof.outputs.profile_tables import save_tables
from tfprof.protos import graph_pb2, log_pb2, run_metadata_pb2, saved_model_pb2
from tfprof.protos.checkpoint_pb2 import BundleEntryProto, SavedTensorSlices

__all__ = [
    "checkpoint",
    "graphs",
    "graphs_as_text",
    "logs",
    "meta_graph",
    "meta_graphs",
    "old_checkpoint",
    "profiles",
    "runs",
    "saved_models",
    "tables",
    "whole_cases",
]

_CASES = range(60)
_SMALL = 12_000
_PLACES = 12


@cache
def _cases() -> list[Case]:
    made = [generate(seed, crashing=seed % 3 == 0) for seed in _CASES]
    return [
        replace(
            case,
            graph=_ordered(graph_pb2.GraphDef, case.graph),
            op_log=case.op_log and _ordered(log_pb2.OpLogProto, case.op_log),
        )
        for case in made
        if len(case.graph) < _SMALL
    ]


def _chosen(count: int) -> range:
    """Some places in a sequence, evenly spread."""
    return range(0, count, max(count // _PLACES, 1))


@cache
def graphs() -> list[bytes]:
    """GraphDefs: some nodes of the demo, and generated ones."""
    whole = graph_pb2.GraphDef.FromString(demo.paths()["graph"].read_bytes()).node
    parts = [graph_pb2.GraphDef(node=whole[at : at + 8]) for at in _chosen(len(whole))]
    return [part.SerializeToString(deterministic=True) for part in parts] + [
        case.graph for case in _cases()
    ]


@cache
def graphs_as_text() -> list[bytes]:
    """The same as text."""
    messages = [graph_pb2.GraphDef.FromString(data) for data in graphs() if len(data) < 4000]
    return [text_format.MessageToString(message).encode() for message in messages]


@cache
def runs() -> list[bytes]:
    """RunMetadata: some records of the demo, and generated ones."""
    whole = run_metadata_pb2.RunMetadata.FromString(demo.paths()["run_meta"][0].read_bytes())
    parts = []
    for device in whole.step_stats.dev_stats:
        for at in _chosen(len(device.node_stats)):
            part = run_metadata_pb2.RunMetadata()
            records = device.node_stats[at : at + 6]
            part.step_stats.dev_stats.add(device=device.device, node_stats=records)
            parts.append(part.SerializeToString(deterministic=True))
    return parts + [step.run_meta for case in _cases() for step in case.steps if step.run_meta]


@cache
def whole_cases() -> list[tuple[bytes, bytes, bytes]]:
    """A graph, its op log, and a run of it."""
    steps = [(case, step.run_meta) for case in _cases() for step in case.steps[:1]]
    return [(case.graph, case.op_log, run) for case, run in steps if run]


@cache
def logs() -> list[bytes]:
    """Op logs: some entries of the demo, and generated ones."""
    whole = log_pb2.OpLogProto.FromString(demo.paths()["op_log"].read_bytes())
    parts = []
    for at in _chosen(len(whole.log_entries)):
        part = log_pb2.OpLogProto(log_entries=whole.log_entries[at : at + 4])
        for entry in part.log_entries:
            for trace in entry.code_def.traces:
                for key in (trace.file_id, trace.function_id, trace.line_id):
                    part.id_to_string[key] = whole.id_to_string[key]
        parts.append(part.SerializeToString(deterministic=True))
    return parts + [case.op_log for case in _cases() if case.op_log]


@cache
def profiles() -> list[bytes]:
    """Saved profiles of generated models."""
    made = []
    for case in _cases()[:25]:
        loaded = tfprof.load(
            graph=case.graph,
            run_meta=[step.run_meta for step in case.steps if step.run_meta],
            op_log=case.op_log,
        )
        made.append(_ordered(log_pb2.ProfileProto, loaded.serialize()))
    return made


def _ordered(kind: type[Message], data: bytes) -> bytes:
    """The same message with its maps in order, which is the same in every process."""
    return kind.FromString(data).SerializeToString(deterministic=True)


@cache
def meta_graphs() -> list[bytes]:
    """MetaGraphDefs with a signature that asks for the last node."""
    return [meta_graph(data).SerializeToString(deterministic=True) for data in graphs()]


def meta_graph(data: bytes) -> saved_model_pb2.MetaGraphDef:
    """A graph with such a signature."""
    graph = graph_pb2.GraphDef.FromString(data)
    meta = saved_model_pb2.MetaGraphDef(graph_def=graph)
    if graph.node:
        signature = meta.signature_def["serving_default"]
        signature.outputs["out"].name = graph.node[-1].name + ":0"
        signature.inputs["in"].name = graph.node[0].name + ":0"
        signature.inputs["in"].tensor_shape.dim.add(size=-1)
    return meta


@cache
def saved_models() -> list[bytes]:
    """SavedModels of one such MetaGraphDef."""
    made = []
    for data in graphs():
        model = saved_model_pb2.SavedModel()
        model.meta_graphs.append(meta_graph(data))
        made.append(model.SerializeToString(deterministic=True))
    return made


def _has_stacks(log: bytes | None) -> bool:
    entries = log_pb2.OpLogProto.FromString(log or b"").log_entries
    return any(entry.code_def.traces for entry in entries)


@cache
def traced_model() -> tuple[bytes, bytes]:
    """A SavedModel that has functions, and the traces of all its nodes."""
    for data in saved_models():
        graph = saved_model_pb2.SavedModel.FromString(data).meta_graphs[0].graph_def
        if graph.library.function and len(graph.node) > 5:
            break
    nodes = [f"{node.name}@" for node in graph.node]
    for function in graph.library.function:
        nodes += [f"{node.name}@{function.signature.name}" for node in function.node_def]
    info = graph_pb2.GraphDebugInfo(files=["main.py", "lib.py"])
    for key in range(6):
        info.frames_by_id[key].MergeFrom(
            graph_pb2.GraphDebugInfo.FileLineCol(file_index=key % 2, line=key, func="f")
        )
        info.traces_by_id[key].frame_id.extend(range(key + 1))
    for at, name in enumerate(nodes):
        info.name_to_trace_id[name] = at % 6
    info.traces[nodes[0]].file_line_cols.add(line=3, code="x = y")
    return data, info.SerializeToString(deterministic=True)


@cache
def tables() -> dict[str, bytes]:
    """The files of a small profile that was saved as tables."""
    fitting = [case for case in _cases() if _has_stacks(case.op_log) and len(case.steps) > 1]
    case = next(case for case in fitting if len(tfprof.load(graph=case.graph).edges.consumer))
    loaded = tfprof.load(graph=case.graph, run_meta=[case.steps[0].run_meta], op_log=case.op_log)
    same_id = mock.patch("tfprof.outputs.profile_tables.secrets.token_hex", lambda size: "0" * size)
    with tempfile.TemporaryDirectory() as folder, same_id:
        save_tables(loaded, folder)
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


@cache
def checkpoint() -> tuple[list[tuple[bytes, bytes]], bytes]:
    """The rows of an index with a few of the demo's tensors, and their data."""
    prefix = demo.paths()["checkpoint"]
    data = prefix.with_name(f"{prefix.name}.data-00000-of-00001").read_bytes()
    rows, kept = [], b""
    for key, value in open_table(prefix.with_name(f"{prefix.name}.index")).items():
        if not key:
            rows.append((key, value))
            continue
        entry = BundleEntryProto.FromString(value)
        if entry.size > 256 or len(rows) > 8:
            continue
        values = data[entry.offset : entry.offset + entry.size]
        entry.offset = len(kept)
        kept += values
        rows.append((key, entry.SerializeToString(deterministic=True)))
    return rows, kept


@cache
def old_checkpoint() -> list[tuple[bytes, bytes]]:
    """The rows of a checkpoint of version 1: a whole tensor, and one in two slices."""
    listed, rows = SavedTensorSlices(), []
    listed.meta.versions.producer = 1
    for name, size, bounds in (("a", 3, [(0, 3)]), ("b/c", 4, [(0, 1), (1, 3)])):
        meta = listed.meta.tensor.add(name=name, type=1)
        meta.shape.dim.add(size=size)
        for start, length in bounds:
            meta.slice.add().extent.add(start=start, length=length)
            stored = SavedTensorSlices()
            stored.data.name = name
            stored.data.data.float_val.extend([0.5] * length)
            key = key_prefix(name.encode()) + key_suffix([(start, length)])
            rows.append((key, stored.SerializeToString(deterministic=True)))
    return [(b"", listed.SerializeToString(deterministic=True)), *sorted(rows)]
