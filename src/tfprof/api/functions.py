"""The functions of the Python API: load files into a profile, and the original's functions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from tfprof.api.advice import AdviceOptions, print_advice
from tfprof.api.profile import Profile
from tfprof.api.request import OptionsLike, parse_request, run_request
from tfprof.api.screen import Screen
from tfprof.definitions.quirks import quirks_for
from tfprof.errors import OptionError
from tfprof.loaders import assign_inputs, read_input
from tfprof.loaders.messages import MessageLike
from tfprof.outputs.files import make_folder, write_file
from tfprof.profiles import profile as columns
from tfprof.recording.build_profile import (
    add_runs,
    build_profile,
    find_model,
    graph_and_run,
    model_log,
    op_log_message,
    with_empty_traces,
    with_saved_traces,
)
from tfprof.runtime.gc_pause import gc_paused

_LOG_NAME = "tfprof_log"


def load(
    *inputs: MessageLike,
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
    """Load files, folders, bytes or messages into a profile.

    Files and folders are recognized; several RunMetadata are steps 0, 1, 2 and so on. Give what is
    in memory as `graph`, `run_meta`, `op_log` and `profile`, in this order or by name. `bind` gives
    sizes to symbols, such as the batch size `{"B": 32}`. Without `count_float_ops` only those of
    the op log are known, as in compat. With `compat` the profile answers like the original.
    """
    if bind is not None and not isinstance(bind, Mapping):
        raise OptionError(f"cannot bind {bind!r}: give sizes by name, such as {{'B': 32}}")
    if compat and bind:
        raise OptionError("bind: the original has no sizes to bind; leave it out with compat")
    named = {"graph": graph, "run_meta": run_meta, "op_log": op_log, "profile": profile}
    named |= {"checkpoint": checkpoint, "tables": tables}
    if all(isinstance(source, (str, os.PathLike)) for source in inputs):
        parts = assign_inputs(inputs)
    else:
        parts = dict(zip(named, inputs, strict=False))
    for part, source in named.items():
        if source is not None and part in parts:
            raise OptionError(f"{part}: given twice; give only one")
        parts.setdefault(part, source)
    quirks = quirks_for(compat)
    loaded: columns.Profile = Profile()
    for whole in ("profile", "tables"):
        if parts[whole] is not None:
            loaded = read_input(whole, parts[whole])
    if parts["profile"] is not None:
        loaded = with_empty_traces(loaded, quirks)
    if parts["graph"] is not None:
        loaded = loaded.with_graph(read_input("graph", parts["graph"]))
    if parts["checkpoint"] is not None:
        loaded = loaded.with_checkpoint(read_input("checkpoint", parts["checkpoint"]))
    runs = [] if parts["run_meta"] is None else parts["run_meta"]
    if not isinstance(runs, (list, tuple)):
        runs = [runs]
    loaded = add_runs(loaded, enumerate(runs), quirks)
    if parts["op_log"] is not None:
        loaded = loaded.with_op_log(read_input("op_log", parts["op_log"]))
    loaded = loaded.replace(bind=dict(bind or {}), count_float_ops=count_float_ops, compat=compat)
    source = parts["profile"] if parts["graph"] is None else parts["graph"]
    return Profile.from_columns(with_saved_traces(loaded, source, quirks))


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
    with gc_paused():
        loaded, messages = build_profile(
            model, run_meta, op_log, request.quirks, traces=cmd == "code"
        )
        Screen.standard().info(*messages)
        return run_request(loaded, request).proto()


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

    The folder is made if it is not there. What `op_log` says is kept; what it lacks is filled in.
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
    make_folder(log_dir)
    write_file(Path(log_dir) / _LOG_NAME, data)
