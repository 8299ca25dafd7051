"""The functions of the Python API: load files into a profile, and the original's functions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from tfprof.api.advice import AdviceOptions, print_advice
from tfprof.api.profile import Profile
from tfprof.api.request import OptionsLike, answer, parse_request
from tfprof.api.screen import Screen
from tfprof.definitions.quirks import quirks_for
from tfprof.loaders import assign_inputs
from tfprof.loaders.checkpoint import open_checkpoint
from tfprof.loaders.graph_def import read_graph
from tfprof.loaders.messages import MessageLike
from tfprof.loaders.op_log import read_op_log
from tfprof.loaders.parquet.profile_tables import read_tables
from tfprof.loaders.profile_proto import read_profile
from tfprof.outputs.files import write_file
from tfprof.profiles import profile as columns
from tfprof.recording.build_profile import (
    add_run,
    build_profile,
    find_model,
    graph_and_run,
    model_log,
    op_log_message,
    with_saved_traces,
)
from tfprof.runtime.gc_pause import gc_paused
from tfprof.runtime.malloc import malloc_tuned

__all__ = ["advise", "load", "profile", "write_op_log"]

_LOG_NAME = "tfprof_log"


def load(
    *paths: str | PathLike[str],
    graph: MessageLike = None,
    run_meta: MessageLike | Iterable[MessageLike] = None,
    op_log: MessageLike = None,
    profile: MessageLike = None,
    checkpoint: str | PathLike[str] | None = None,
    tables: str | PathLike[str] | None = None,
    bind: Mapping[str, int] | None = None,
    count_float_ops: bool = True,
    compat: bool = False,
) -> Profile:
    """Load files into a profile; what each of the `paths` is, is recognised.

    Inputs can be given by name instead, also as bytes and messages. Several `run_meta` are steps 0,
    1, 2 and so on. `bind` gives sizes to symbols, such as the batch size `{"B": 32}`. Without
    `count_float_ops` only those of the op log are known, as in compat.
    """
    named = {"graph": graph, "run_meta": run_meta, "op_log": op_log, "profile": profile}
    named |= {"checkpoint": checkpoint, "tables": tables}
    given = {name: value for name, value in named.items() if value is not None}
    if paths:
        inputs = assign_inputs(paths, given)
        return load(**inputs, bind=bind, count_float_ops=count_float_ops, compat=compat)
    quirks = quirks_for(compat)
    with malloc_tuned():
        loaded: columns.Profile = Profile()
        if profile is not None:
            loaded = read_profile(profile)
        elif tables is not None:
            loaded = read_tables(tables)
        if graph is not None:
            loaded = loaded.with_graph(read_graph(graph))
        if checkpoint is not None:
            loaded = loaded.with_checkpoint(open_checkpoint(checkpoint))
        runs = [] if run_meta is None else run_meta
        if not isinstance(runs, (list, tuple)):
            runs = [runs]
        for step, run in enumerate(runs):
            loaded = add_run(loaded, step, run, quirks)
        if op_log is not None:
            loaded = loaded.with_op_log(read_op_log(op_log))
        loaded = loaded.replace(bind=dict(bind or {}), count_float_ops=count_float_ops)
        return Profile.of(with_saved_traces(loaded, graph, quirks))


def profile(
    graph: Any = None,
    run_meta: MessageLike = None,
    op_log: MessageLike = None,
    cmd: str = "scope",
    options: OptionsLike = 0,
    *,
    compat: bool = False,
) -> Any:
    """Profile a model once: write a report where the options say, and return its message.

    `graph` is a tf.Graph, a FuncGraph, a concrete function, a GraphDef message, bytes or a path;
    by default TensorFlow's default graph. `options` are the parameters of trainable variables by
    default. The message is a GraphNodeProto for scope and graph, a MultiGraphNodeProto for op and
    code.
    """
    request = parse_request(cmd, 0 if options is None else options, compat=compat, banners=True)
    model = find_model(graph)
    with gc_paused(), malloc_tuned():
        loaded, messages = build_profile(
            model, run_meta, op_log, request.quirks, traces=cmd == "code"
        )
        Screen.standard().info(*messages)
        return answer(loaded, request).proto()


def advise(
    graph: Any = None,
    run_meta: MessageLike = None,
    options: AdviceOptions = 0,
    *,
    compat: bool = False,
) -> Any:
    """Check a model for known problems, print what is found, and return an AdviceProto.

    `options` has a dict for each checker to run: by default all of them; None runs none.
    """
    loaded, messages = build_profile(
        find_model(graph), run_meta, None, quirks_for(compat), traces=True
    )
    Screen.standard().info(*messages)
    return print_advice(loaded, options, compat=compat)


def write_op_log(
    graph: Any,
    log_dir: str | PathLike[str],
    op_log: MessageLike = None,
    run_meta: MessageLike = None,
    add_trace: bool = True,
    *,
    compat: bool = False,
) -> None:
    """Write `<log_dir>/tfprof_log`: float operations, trainable variables and stacks of a model.

    What `op_log` says is kept; what it lacks is filled in.
    """
    if not isinstance(log_dir, (str, os.PathLike)):
        raise TypeError(f"log_dir: a {type(log_dir).__name__} was given; accepted is a folder")
    quirks = quirks_for(compat)
    model = find_model(graph)
    loaded, messages = graph_and_run(model, run_meta, quirks)
    has_run = run_meta is not None
    log, more = model_log(model, loaded, quirks, traces=add_trace, has_run=has_run, counted=True)
    Screen.standard().info(*messages, *more)
    data = op_log_message(log, op_log, quirks).SerializeToString(deterministic=True)
    write_file(Path(log_dir) / _LOG_NAME, data)
