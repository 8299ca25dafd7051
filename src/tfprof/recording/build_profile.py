"""From a caller's model to a profile: its graph, runs, and what is known of it beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.definitions.quirks import Quirks
from tfprof.flops.count_nodes import FloatOps, count_float_ops, with_float_ops
from tfprof.flops.tf_formulas import Unknown
from tfprof.loaders.graph_def import GraphColumns, read_graph
from tfprof.loaders.inputs import Source, read_message
from tfprof.loaders.op_log import LogColumns, read_op_log
from tfprof.loaders.run_metadata import read_run
from tfprof.loaders.saved_model.graph import is_saved_model
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.profile import Profile
from tfprof.protos import log_pb2
from tfprof.recording.live_graph import operations, read_live_graph
from tfprof.recording.model_log import ModelLog, merge_op_logs
from tfprof.recording.stacks import read_stacks
from tfprof.recording.tensorflow_objects import default_graph, live_graph
from tfprof.recording.variables import trainable_names
from tfprof.resolve import graph_ops, resolve
from tfprof.resolve.runtime_shapes import with_runtime_shapes
from tfprof.runtime.malloc import malloc_tuned

__all__ = [
    "Model",
    "add_run",
    "build_profile",
    "counted_if_none",
    "find_model",
    "graph_and_run",
    "log_columns",
    "model_log",
    "op_log_message",
    "with_flop_warnings",
    "with_saved_traces",
]


@dataclass(frozen=True, slots=True)
class Model:
    """A model as a caller gave it: a live graph, or a graph to read."""

    live: Any = None
    source: Source = None

    def columns(self, quirks: Quirks) -> GraphColumns | None:
        """The graph as it is now, if there is one."""
        if self.live is not None:
            return read_live_graph(self.live, quirks)
        return None if self.source is None else read_graph(self.source)

    @property
    def version(self) -> Any:
        """What changes when the graph grows."""
        return None if self.live is None else self.live.version


def find_model(graph: Any) -> Model:
    """What a caller means by a graph; nothing is the default graph, if the program has one."""
    if graph is None:
        return Model(live=default_graph())
    live = live_graph(graph)
    return Model(source=graph) if live is None else Model(live=live)


def add_run(profile: Profile, step: int, run_meta: Source, quirks: Quirks) -> Profile:
    """A profile with a run added to a step; a run without records leaves it as it is."""
    with malloc_tuned():
        run = read_run(run_meta)
        return profile if run is None else profile.with_run(step, run, quirks)


def graph_and_run(model: Model, run_meta: Source, quirks: Quirks) -> tuple[Profile, list[str]]:
    """The profile of a graph and perhaps a run that completes its shapes, and what to tell."""
    profile = Profile()
    columns = model.columns(quirks)
    if columns is not None:
        profile = profile.with_graph(columns)
    if run_meta is not None:
        profile = add_run(profile, 0, run_meta, quirks)
    return (profile, []) if model.live is None else with_runtime_shapes(profile, quirks)


def build_profile(
    model: Model, run_meta: Source, op_log: Source, quirks: Quirks, *, traces: bool
) -> tuple[Profile, list[str]]:
    """The profile of a model with all that is known of it, and what to tell about it."""
    profile, notes = graph_and_run(model, run_meta, quirks)
    if model.live is None:
        if op_log is not None:
            profile = profile.with_op_log(read_op_log(op_log))
        return counted_if_none(with_saved_traces(profile, model.source, quirks), quirks), notes
    log, counted = model_log(model, profile, quirks, traces=traces)
    profile = profile.with_op_log(log_columns(log, op_log, quirks))
    profile, more = with_flop_warnings(profile, counted, quirks, has_run=run_meta is not None)
    return profile, notes + more


def with_saved_traces(profile: Profile, graph: Source, quirks: Quirks) -> Profile:
    """A profile with the code traces that its graph was saved with, if it is a SavedModel."""
    if quirks.functions_not_inlined or not is_saved_model(graph):
        return profile
    from tfprof.loaders.saved_model.debug_info import read_debug_info
    from tfprof.resolve.saved_traces import with_debug_info

    info = read_debug_info(graph)
    return profile if info is None else with_debug_info(profile, info)


def with_flop_warnings(
    profile: Profile, counted: FloatOps, quirks: Quirks, *, has_run: bool
) -> tuple[Profile, list[str]]:
    """A profile that knows what was not counted, and what to tell of it at once."""
    if not quirks.incomplete_shapes_reported:
        return profile.changed(uncounted=counted.summary()), []
    refused = counted.unknown[Unknown.SHAPE] + counted.unknown[Unknown.FORMAT]
    if has_run or not refused:
        return profile, []
    return profile, [f"{refused} ops no flops stats due to incomplete shapes."]


def counted_if_none(profile: Profile, quirks: Quirks) -> Profile:
    """A profile with float operations: those it has, or else those that can be counted."""
    return profile if profile.nodes.float_ops.any() else with_float_ops(profile, quirks)


def model_log(
    model: Model, profile: Profile, quirks: Quirks, *, traces: bool
) -> tuple[ModelLog, FloatOps]:
    """What is known of a model whose graph a profile has, its shapes completed."""
    inside = resolve(profile, graph_ops(quirks))
    if inside is not profile:
        inside, _ = with_runtime_shapes(inside, quirks)
    counted = count_float_ops(inside, quirks)
    at = index_in(profile.nodes.name, inside.nodes.name)[profile.nodes.in_graph]
    # Nodes inside functions follow those of the graph.
    inner = np.setdiff1d(np.flatnonzero(counted.value), at)
    at = np.concatenate([at, inner])
    names = inside.nodes.name.take(pa.array(at)).to_pylist()
    log = ModelLog(names, counted.value[at])
    if model.live is None:
        return log, counted
    log = replace(log, trainable=trainable_names(model.live, quirks))
    if traces:
        own = names[: len(names) - len(inner)]
        stacks = read_stacks(operations(model.live, own), quirks)
        index = np.concatenate([stacks.index, np.full(len(inner), -1, np.int64)])
        log = replace(log, stacks=replace(stacks, index=index))
    return log, counted


def log_columns(log: ModelLog, op_log: Source, quirks: Quirks) -> LogColumns:
    """The columns of a model's log, merged with a caller's."""
    if op_log is None:
        return log.columns()
    return read_op_log(op_log_message(log, op_log, quirks))


def op_log_message(log: ModelLog, op_log: Source, quirks: Quirks) -> Any:
    """A model's log as a message, merged with a caller's."""
    if op_log is None:
        return log.message()
    given = read_message(op_log, log_pb2.OpLogProto, "op_log", "an OpLogProto")
    return merge_op_logs(given, log.message(), quirks)
