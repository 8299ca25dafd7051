"""The Python API: load files into a profile, ask it for reports, and the original's functions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from tfprof import outputs
from tfprof.definitions.options import Options
from tfprof.definitions.quirks import quirks_for
from tfprof.loaders.graph_def import read_graph
from tfprof.loaders.inputs import Source
from tfprof.loaders.op_log import read_op_log
from tfprof.loaders.profile_proto import read_profile
from tfprof.outputs.files import write_file
from tfprof.profiles.profile import Profile
from tfprof.recording.build_profile import (
    add_run,
    build_profile,
    counted_if_none,
    find_model,
    graph_and_run,
    model_log,
    op_log_message,
    with_flop_warnings,
    with_saved_traces,
)
from tfprof.reports.request import (
    OptionsLike,
    answer,
    check_view,
    chosen_options,
    tell,
)
from tfprof.runtime.gc_pause import gc_paused
from tfprof.session import Session

__all__ = [
    "ALL_ADVICE",
    "Session",
    "add_run",
    "advise",
    "answer",
    "load",
    "print_advice",
    "profile",
    "write_op_log",
]

ALL_ADVICE: dict[str, dict[str, Any]] = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}
"""The original's checkers, each without options."""

_LOG_NAME = "tfprof_log"


def load(
    graph: Source = None,
    run_meta: Source | Iterable[Source] = None,
    op_log: Source = None,
    profile: Source = None,
    *,
    checkpoint: str | PathLike[str] | None = None,
    count_float_ops: bool = True,
    compat: bool = False,
) -> Profile:
    """A profile from files, bytes or messages; several run_meta are steps 0, 1, 2 and so on.

    With `count_float_ops` they are counted if no op log has any; never in compat.
    """
    quirks = quirks_for(compat)
    loaded = Profile() if profile is None else read_profile(profile)
    if graph is not None:
        loaded = loaded.with_graph(read_graph(graph))
    if checkpoint is not None:
        from tfprof.loaders.checkpoint import open_checkpoint

        loaded = loaded.with_checkpoint(open_checkpoint(checkpoint))
    runs = [] if run_meta is None else run_meta
    if not isinstance(runs, (list, tuple)):
        runs = [runs]
    for step, run in enumerate(runs):
        loaded = add_run(loaded, step, run, quirks)
    if op_log is not None:
        loaded = loaded.with_op_log(read_op_log(op_log))
    loaded = with_saved_traces(loaded, graph, quirks)
    return counted_if_none(loaded, quirks) if count_float_ops else loaded


def profile(
    graph: Any = None,
    run_meta: Source = None,
    op_log: Source = None,
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
    check_view(cmd)
    quirks = quirks_for(compat)
    chosen = Options.build(chosen_options(options), quirks)
    model = find_model(graph)
    with gc_paused():
        loaded, notes = build_profile(model, run_meta, op_log, quirks, traces=cmd == "code")
        tell(notes)
        return answer(loaded.report(cmd, chosen, compat=compat))


def advise(
    graph: Any = None,
    run_meta: Source = None,
    options: Mapping[str, Mapping[str, Any]] | int | None = 0,
    *,
    compat: bool = False,
) -> Any:
    """Check a model for known problems, print what is found, and return an AdviceProto.

    `options` has a dict for each checker to run: by default all of them; None runs none.
    """
    quirks = quirks_for(compat)
    loaded, notes = build_profile(find_model(graph), run_meta, None, quirks, traces=True)
    tell(notes)
    return print_advice(loaded, options, compat=compat)


def print_advice(
    loaded: Profile,
    options: Mapping[str, Mapping[str, Any]] | int | None,
    *,
    compat: bool,
    views: Mapping[str, Profile] | None = None,
) -> Any:
    """Print the advice on a profile, and return its AdviceProto."""
    from tfprof import advisor

    checkers: dict[str, Mapping[str, Any]] | None
    if isinstance(options, Mapping):
        checkers = dict(options)
    elif options is None:
        checkers = {}
    elif isinstance(options, int) and options == 0:
        checkers = dict(ALL_ADVICE) if compat else None
    else:
        kind = type(options).__name__
        raise TypeError(f"options: a {kind} was given; accepted is a dict of checkers, or None")
    advice = advisor.advise(loaded, checkers, compat=compat, views=views)
    tell(advice.messages)
    outputs.print_bytes(advice.text().encode(errors="surrogateescape"))
    return advice.proto()


def write_op_log(
    graph: Any,
    log_dir: str | PathLike[str],
    op_log: Source = None,
    run_meta: Source = None,
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
    loaded, notes = graph_and_run(model, run_meta, quirks)
    log, counted = model_log(model, loaded, quirks, traces=add_trace)
    tell(notes + with_flop_warnings(loaded, counted, quirks, has_run=run_meta is not None)[1])
    data = op_log_message(log, op_log, quirks).SerializeToString(deterministic=True)
    write_file(Path(log_dir) / _LOG_NAME, data)
