"""From a caller's model to a profile: its graph, its runs and its op log.

What only live graphs need is imported where it is used: the command starts without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.definitions.quirks import Quirks
from tfprof.flops.node_flops import log_entries
from tfprof.loaders import read_input
from tfprof.loaders.debug_info import find_debug_info, read_debug_info
from tfprof.loaders.messages import MessageLike, read_message
from tfprof.loaders.op_log import read_op_log
from tfprof.profiles.executions import record_warnings
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import LogEntries
from tfprof.profiles.source_columns import GraphColumns, LogColumns
from tfprof.protos import log_pb2
from tfprof.recording.model_log import ModelLog, merge_op_logs
from tfprof.recording.tensorflow_objects import default_graph, live_graph
from tfprof.resolve.runtime_shapes import with_runtime_shapes


@dataclass(frozen=True, slots=True)
class Model:
    """A model as a caller gave it: a live graph, or a graph to read."""

    live: Any = None
    source: MessageLike = None

    def columns(self, quirks: Quirks) -> GraphColumns | None:
        """The graph as it is now, if there is one."""
        if self.live is not None:
            from tfprof.recording.live_graph import read_live_graph

            return read_live_graph(self.live, quirks)
        return None if self.source is None else read_input("graph", self.source)

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


def add_run(profile: Profile, step: int, run_meta: MessageLike, quirks: Quirks) -> Profile:
    """A profile with a run added to a step; a run without records leaves it as it is."""
    return add_runs(profile, [(step, run_meta)], quirks)


def add_runs(profile: Profile, runs: Iterable[tuple[int, MessageLike]], quirks: Quirks) -> Profile:
    """A profile with runs added to their steps; those without records leave it as it is."""
    columns = ((step, read_input("run_meta", run_meta)) for step, run_meta in runs)
    with_records = [(step, run) for step, run in columns if run is not None]
    return profile.with_runs(with_records, quirks) if with_records else profile


def graph_and_run(model: Model, run_meta: MessageLike, quirks: Quirks) -> tuple[Profile, list[str]]:
    """The profile of a graph and perhaps a run that completes its shapes, and warnings."""
    profile = Profile()
    columns = model.columns(quirks)
    if columns is not None:
        profile = profile.with_graph(columns)
    if run_meta is not None:
        profile = add_run(profile, 0, run_meta, quirks)
    return (profile, []) if model.live is None else with_runtime_shapes(profile, quirks)


def build_profile(
    model: Model, run_meta: MessageLike, op_log: MessageLike, quirks: Quirks, *, traces: bool
) -> tuple[Profile, list[str]]:
    """The profile of a model with all that is known of it, and warnings."""
    profile, notes = graph_and_run(model, run_meta, quirks)
    if model.live is None:
        if op_log is not None:
            profile = profile.with_op_log(read_op_log(op_log))
        profile = with_saved_traces(profile, model.source, quirks)
        return profile, [*notes, *record_warnings(profile, quirks)]
    log, more = model_log(model, profile, quirks, traces=traces, has_run=run_meta is not None)
    profile = profile.with_op_log(log_columns(log, op_log, quirks))
    return profile, [*notes, *more, *record_warnings(profile, quirks)]


def with_saved_traces(profile: Profile, source: MessageLike, quirks: Quirks) -> Profile:
    """A profile with the code traces beside its source, a SavedModel or a captured trace."""
    file = None if quirks.functions_not_inlined else find_debug_info(source)
    if file is None:
        return profile
    from tfprof.resolve.saved_traces import with_debug_info

    return with_debug_info(profile, read_debug_info(file))


def with_empty_traces(profile: Profile, quirks: Quirks) -> Profile:
    """A profile that was just loaded; as the original loads it, each node has a trace.

    Only a ProfileProto has a stack for each node. The original reads no XPlane traces, whose nodes
    share stacks or have none.
    """
    if not quirks.empty_traces_on_load or not profile.saved:
        return profile
    nodes = replace(profile.nodes, stack=np.arange(len(profile.nodes)))
    return profile.replace(nodes=nodes)


def model_log(
    model: Model,
    profile: Profile,
    quirks: Quirks,
    *,
    traces: bool,
    has_run: bool,
    counted: bool = False,
) -> tuple[ModelLog, list[str]]:
    """The log of a model whose graph a profile has, its shapes completed, and warnings.

    With `counted` it has the float operations; a profile counts its own on first use.
    """
    in_graph = profile.nodes.in_graph
    messages: list[str] = []
    names = profile.nodes.name.filter(pa.array(in_graph))
    value, inner = np.zeros(len(profile.nodes), np.int64), LogEntries.empty()
    if quirks.tensorflow_flop_formulas:
        from tfprof.flops.tf_counts import count_tf_float_ops
        from tfprof.flops.tf_formulas import Unknown

        counts = count_tf_float_ops(profile)
        value, unknown = counts.value, counts.unknown
        refused = unknown[Unknown.SHAPE] + unknown[Unknown.FORMAT]
        if refused and quirks.incomplete_shapes_reported and not has_run:
            messages.append(f"{refused} ops no flops stats due to incomplete shapes.")
    elif counted:
        value, inner = log_entries(profile, quirks)
    # Nodes inside functions follow those of the graph.
    names = pa.concat_arrays([names, inner.name]).to_pylist()
    log = ModelLog(names, np.concatenate([value[in_graph], inner.float_ops]))
    if model.live is None:
        return log, messages
    from tfprof.recording.live_graph import operations
    from tfprof.recording.stacks import read_stacks
    from tfprof.recording.variables import trainable_names

    log = replace(log, trainable=trainable_names(model.live, quirks))
    if traces:
        stacks = read_stacks(operations(model.live, names[: int(in_graph.sum())]), quirks)
        log = replace(log, stacks=replace(stacks, index=np.append(stacks.index, inner.stack)))
    return log, messages


def log_columns(log: ModelLog, op_log: MessageLike, quirks: Quirks) -> LogColumns:
    """The columns of a model's log, merged with a caller's."""
    if op_log is None:
        return log.columns()
    return read_op_log(op_log_message(log, op_log, quirks))


def op_log_message(log: ModelLog, op_log: MessageLike, quirks: Quirks) -> Any:
    """A model's log as a message, merged with a caller's."""
    if op_log is None:
        return log.message()
    user_log = read_message(op_log, log_pb2.OpLogProto, "op_log")
    return merge_op_logs(user_log, log.message(), quirks)
