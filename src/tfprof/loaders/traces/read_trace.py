"""A profile from an XPlane trace, with what a capture has saved beside it."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
from google.protobuf.message import DecodeError

from tfprof.errors import LoadError, OptionError
from tfprof.loaders.debug_info import read_debug_info
from tfprof.loaders.files import is_file, read_file
from tfprof.loaders.graph_def import read_graph
from tfprof.loaders.hlo.programs import Programs
from tfprof.loaders.hlo.tf_functions import TfFunctions
from tfprof.loaders.messages import read_message
from tfprof.loaders.op_log import read_op_log
from tfprof.loaders.traces.batch_sizes import Readers, find_batch_sizes, find_readers
from tfprof.loaders.traces.run_columns import run_columns
from tfprof.loaders.xplane.folders import (
    ABOUT,
    DEBUG_INFO,
    FUNCTIONS,
    VARIABLES,
    TraceFiles,
    find_traces,
)
from tfprof.loaders.xplane.host_trace import DeviceTrace, HostTrace
from tfprof.loaders.xplane.op_events import DATA, EAGER
from tfprof.profiles.profile import Profile
from tfprof.profiles.trace_facts import TraceFacts
from tfprof.protos.graph_pb2 import GraphDef

_COMPLETE_LEVEL = 3
_LARGEST = 2**62


def read_trace(source: str | os.PathLike[str]) -> Profile:
    """The profile of a trace file, a TensorBoard log folder or a capture folder."""
    path = Path(source)
    files = find_traces(path)
    if files is None and is_file(path / ABOUT):
        notes = _about(path)["notes"]
        raise LoadError(f"{path}: nothing was captured: {notes[0] if notes else 'no trace'}")
    if files is None:
        raise LoadError(f"{path}: has no trace; expected plugins/profile/<run>/<host>.xplane.pb")
    return _read(files)


def _read(files: TraceFiles) -> Profile:
    profile, scopes, readers = _graph(files.capture)
    about = _about(files.capture)
    notes = [*about.get("notes", ())]
    if files.runs > 1:
        notes.append(f"{files.runs} runs are in this folder: the newest is {files.run}")
    first_step = about.get("steps", [0])[0]
    hosts = []
    sizes: dict[int, dict[str, set[int]]] = {}
    threads: list[str] = []
    programs = Programs(_captured_functions(files.capture))
    for task, file in enumerate(files.traces):
        try:
            host = HostTrace(file, task, is_alone=len(files.traces) == 1, shaped=readers)
            for part in host.device_traces(first_step):
                for step, scope, size in find_batch_sizes(part.ops, readers, scopes):
                    sizes.setdefault(step, {}).setdefault(scope, set()).add(size)
                profile = _add_part(profile, part, host, programs, scopes, len(threads))
                threads += part.threads
        except DecodeError:
            raise LoadError(
                f"{file}: not an XPlane trace; truncated, or a different format"
            ) from None
        except OptionError as error:
            raise LoadError(f"{file}: {error}") from None
        hosts.append(host)
    facts = _facts(hosts)
    # Older versions of TensorFlow do not write the level into the trace.
    facts = replace(
        facts,
        level=facts.level or about.get("level", 0),
        has_buffer_assignment=programs.has_buffers,
        batch_sizes={step: _only(step_sizes) for step, step_sizes in sizes.items()},
        threads=tuple(threads),
    )
    has_graph_ops = any(host.has_graph_ops for host in hosts)
    if not profile.records:
        raise LoadError(
            f"{files.traces[0]}: no op was recorded in this trace; trace steps that run, for "
            "example with tfprof.capture"
        )
    notes += programs.notes
    if has_graph_ops and 0 < facts.level < _COMPLETE_LEVEL:
        notes.append(f"trace level {facts.level}: cheap ops were not recorded")
    if files.capture is None and has_graph_ops:
        notes.append(
            "no graph is beside this trace: graph and code view, parameters and float operations "
            "need one; record it with tfprof.capture or tfprof.KerasCallback"
        )
    if files.capture is not None:
        profile = _with_ops_outside_functions(profile)
    facts = replace(facts, notes=tuple(dict.fromkeys(notes)))
    return profile.replace(
        exact_durations=True, trace=facts, warnings=(*profile.warnings, *facts.notes)
    )


def _add_part(
    profile: Profile,
    part: DeviceTrace,
    host: HostTrace,
    programs: Programs,
    scopes: Mapping[str, str],
    first_thread: int,
) -> Profile:
    """A profile with what a host or one of its accelerators ran."""
    hlo = {number: data for number, (_, data) in host.hlo.items()}
    profile, ops = programs.add(profile, part.ops, hlo, host.budget)
    if not len(ops):
        return profile
    # Runs of compiled programs come after the others.
    device = np.append(part.device, np.zeros(len(ops) - len(part.ops), np.int32))
    run, step = run_columns(
        ops,
        host.epoch_nanos,
        part.devices,
        device,
        scopes,
        first_thread,
        budget=host.budget,
    )
    return profile.with_trace(run, step)


def _facts(hosts: Sequence[HostTrace]) -> TraceFacts:
    """What is known of the traces of some hosts; the level is the lowest of them."""
    used, ignored = Counter[str](), Counter[str]()
    for host in hosts:
        used.update(host.used)
        ignored.update(host.ignored)
    level = min(host.level for host in hosts)
    names = tuple(host.trace.hostname for host in hosts)
    return TraceFacts(dict(used), {k: n for k, n in ignored.items() if n}, level, names)


def _with_ops_outside_functions(profile: Profile) -> Profile:
    """A profile in which ops of no function are nodes of the graph: each is all there is of it."""
    names = profile.nodes.name
    outside = pc.match_substring_regex(names, rf"^({DATA}|{EAGER})/")
    in_graph = profile.nodes.in_graph | outside.to_numpy(zero_copy_only=False)
    return profile.replace(nodes=replace(profile.nodes, in_graph=in_graph))


def _only(sizes: Mapping[str, set[int]]) -> dict[str, int]:
    """Scope -> its batch size, where all runs of a step have the same."""
    return {
        scope: min(scope_sizes) for scope, scope_sizes in sizes.items() if len(scope_sizes) == 1
    }


def _graph(capture: Path | None) -> tuple[Profile, Mapping[str, str], Readers]:
    """A profile of the functions that a capture saved.

    And function -> the node that calls it, and the ops that read inputs of an open batch size.
    """
    profile = Profile()
    if capture is None or not is_file(capture / FUNCTIONS):
        return profile, {}, Readers()
    profile = profile.with_graph(read_graph(capture / FUNCTIONS))
    if is_file(capture / VARIABLES):
        profile = profile.with_op_log(read_op_log(capture / VARIABLES))
    graph = _read_functions(capture)
    calls = {node.attr["f"].func.name: node.name for node in graph.node if "f" in node.attr}
    return profile, calls, find_readers(graph)


def _read_functions(capture: Path) -> GraphDef:
    functions: GraphDef = read_message(capture / FUNCTIONS, GraphDef, "graph")
    return functions


def _captured_functions(capture: Path | None) -> Callable[[], TfFunctions | None]:
    """Reads the functions of a capture with their stacks, to which programs are mapped."""

    def read() -> TfFunctions | None:
        if capture is None or not is_file(capture / FUNCTIONS):
            return None
        graph = _read_functions(capture)
        info = read_debug_info(capture / DEBUG_INFO) if is_file(capture / DEBUG_INFO) else None
        return TfFunctions(graph, info)

    return read


def _about(capture: Path | None) -> dict[str, Any]:
    if capture is None:
        return {}
    try:
        about = json.loads(read_file(capture / ABOUT, "the capture"))
        first, notes, level = about["steps"][0], about["notes"], about.get("level") or 0
    except (LookupError, RecursionError, TypeError, ValueError):
        first, notes, level = None, (), 0
    is_number = all(type(value) is int and 0 <= value < _LARGEST for value in (first, level))
    is_text = isinstance(notes, list) and all(isinstance(note, str) for note in notes)
    if not (is_number and is_text):
        raise LoadError(f"{capture / ABOUT}: not written by tfprof.capture; delete it")
    return {"steps": [first], "notes": notes, "level": level}
