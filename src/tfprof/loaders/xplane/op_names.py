"""The names of executions: the node and the op of each."""

from __future__ import annotations

import re

import numpy as np

from tfprof.loaders.xplane.event_kinds import EAGER_NODE_PREFIX, EAGER_PREFIX, EventKind
from tfprof.loaders.xplane.event_stats import stat_id
from tfprof.loaders.xplane.events import TraceEvents
from tfprof.loaders.xplane.nesting import find_enclosing
from tfprof.loaders.xplane.planes import Plane
from tfprof.profiles.schema import Array

Name = tuple[str, str]
"""Node and op."""

HLO_OP = "hlo_op"
"""The stat that names an instruction of a compiled program."""


def name_ops(
    events: TraceEvents, kind: Array, rows: Array, plane: Plane
) -> tuple[Array, list[Name]]:
    """The number of each op's name, and the names: node and op."""
    ids, index = np.unique(events.name[rows], return_inverse=True)
    names = [_split(plane.event_names[number]) for number in ids.tolist()]
    compiled = np.flatnonzero(kind[rows] == EventKind.HLO)
    if len(compiled):
        owners, numbers, texts = events.texts(stat_id(plane, HLO_OP))
        code = np.zeros(len(events), np.int64)
        code[owners] = numbers
        index[compiled] = len(names) + code[rows[compiled]]
        names += [(name, "") for name in texts]
    return _with_eager_nodes(events, kind, rows, plane, index, names)


def _with_eager_nodes(
    events: TraceEvents, kind: Array, rows: Array, plane: Plane, index: Array, names: list[Name]
) -> tuple[Array, list[Name]]:
    """The names with those that a capture gave to ops that Python called."""
    nodes = np.flatnonzero(kind == EventKind.EAGER_NODE)
    eager = np.flatnonzero(kind[rows] == EventKind.EAGER_OP)
    if not len(nodes) or not len(eager):
        return index, names
    around, _ = find_enclosing(events, rows[eager], nodes)
    eager, around = eager[around >= 0], around[around >= 0]
    pairs = np.stack([events.name[nodes[around]], index[eager]], 1)
    distinct, of_row = np.unique(pairs, axis=0, return_inverse=True)
    index[eager] = len(names) + of_row.reshape(-1)
    added = []
    for title, name in distinct.tolist():
        node, op = plane.event_names[title].removeprefix(EAGER_NODE_PREFIX), names[name][1]
        # One call may run several ops: a matmul of a variable reads it.
        is_called = re.fullmatch(rf"{re.escape(op)}(_\d+)?", node)
        added.append((node if is_called else f"{node}/{op}", op))
    return index, names + added


def _split(text: str) -> Name:
    """The node and the op of an event's name; an eager op has no node of its own."""
    if text.startswith(EAGER_PREFIX):
        op = text.removeprefix(EAGER_PREFIX)
        return op, op
    node, _, op = text.rpartition(":")
    return node, op
