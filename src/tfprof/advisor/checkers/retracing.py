"""Retracing: a `tf.function` that is traced again and again, for each shape or Python value."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pyarrow.compute as pc

from tfprof.advisor.checker import GRAPH, TIMELINE, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import NodeQueries, count, time
from tfprof.profiles.profile import Profile
from tfprof.profiles.user_code import describe_user_line
from tfprof.protos.graph_pb2 import AttrValue

_NAME = "Retracing"
_CALL = re.compile(r"(Stateful)?PartitionedCall")
_TRACE = re.compile(r"__inference_(.+)_\d+")


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """A finding for each function that ran in many versions."""
    queries = NodeQueries(profile, settings.quirks)
    for calls in _traces_by_function(queries):
        if len(calls) < settings["count"]:
            continue
        name = queries.name(calls[0])
        message = (
            f"{name} ran in {len(calls)} versions: TensorFlow traces it again for each new shape, "
            "dtype or Python value of its arguments; pass tensors, pad them to a few shapes, or "
            "use reduce_retracing=True"
        )
        rows = tuple(_evidence(queries, call) for call in calls[: settings.top])
        yield Finding(_NAME, "warning", message, rows, Impact(count(len(calls)), "traces"))


def _traces_by_function(queries: NodeQueries) -> list[list[int]]:
    """The nodes that call a trace, of each function: those of one name that one line calls."""
    nodes = queries.profile.nodes
    is_outermost = pc.invert(pc.match_substring(nodes.name, "/")).to_numpy(zero_copy_only=False)
    calls: dict[tuple[str, str], list[int]] = defaultdict(list)
    for node in np.flatnonzero(queries.has_op_type(_CALL) & is_outermost & nodes.in_graph).tolist():
        trace = _TRACE.fullmatch(_attribute(queries.profile, node, "f").func.name)
        if trace:
            calls[trace[1], describe_user_line(queries.profile, node)].append(node)
    return list(calls.values())


def _attribute(profile: Profile, node: int, name: str) -> AttrValue:
    for attribute in profile.nodes.attrs[node].as_py() or ():
        if attribute["key"] == name:
            return AttrValue.FromString(attribute["value"])
    return AttrValue()


def _evidence(queries: NodeQueries, call: int) -> Evidence:
    name = queries.name(call)
    inside = queries.is_in_scope(name)
    micros = int(queries.micros[call]) + int(queries.micros[inside].sum())
    arguments = np.flatnonzero(queries.is_in_scope(f"{name}_args"))
    shapes = [_attribute(queries.profile, node, "shape").shape for node in arguments.tolist()]
    sizes = (", ".join(str(dim.size) for dim in shape.dim) for shape in shapes)
    note = f"arguments of shape {' '.join(f'({text})' for text in sizes)}" if shapes else ""
    source = describe_user_line(queries.profile, call)
    return Evidence(name, {"time": time(micros)}, source=source, note=note)


CHECKER = Checker(
    _NAME,
    "functions that are traced again and again",
    check,
    requires=(GRAPH, TIMELINE),
    settings={
        "count": Setting(3, "report nothing if a function ran in fewer versions"),
        "top": Setting(5, "versions to show"),
    },
)
