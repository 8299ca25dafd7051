"""The names of executions: the node and the op of each."""

from __future__ import annotations

import re

import numpy as np

from tfprof.loaders.xplane.event_kinds import EAGER_NODE_PREFIX, EAGER_PREFIX, EventKind
from tfprof.loaders.xplane.event_stats import stat_id
from tfprof.loaders.xplane.events import TraceEvents
from tfprof.loaders.xplane.name_budget import NameBudget
from tfprof.loaders.xplane.nesting import find_enclosing
from tfprof.loaders.xplane.planes import Plane
from tfprof.profiles.schema import Array
from tfprof.profiles.string_columns import byte_sizes, strings

Name = tuple[str, str]
"""Node and op."""

_COUNTER = re.compile(r"(_\d+)?")
"""What makes the name of a call of an op unique."""

HLO_OP = "hlo_op"
"""The stat that names an instruction of a compiled program."""


def name_ops(
    events: TraceEvents, kind: Array, rows: Array, plane: Plane, budget: NameBudget
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
    calls, call = _calls_of_ops(events, kind, rows, index)
    if not len(calls):
        return index, names
    index = np.where(call >= 0, len(names) + call, index)
    return index, names + _eager_names(calls, names, plane, budget)


def _calls_of_ops(
    events: TraceEvents, kind: Array, rows: Array, index: Array
) -> tuple[Array, Array]:
    """The distinct calls of ops by Python that a capture named, and that of each op or -1.

    A call is the id of the event with its name, and the number of the op's own name.
    """
    call = np.full(len(rows), -1, np.int64)
    nodes = np.flatnonzero(kind == EventKind.EAGER_NODE)
    eager = np.flatnonzero(kind[rows] == EventKind.EAGER_OP)
    if not len(nodes) or not len(eager):
        return np.zeros((0, 2), np.int64), call
    around, _ = find_enclosing(events, rows[eager], nodes)
    eager, around = eager[around >= 0], around[around >= 0]
    pairs = np.stack([events.name[nodes[around]], index[eager]], 1)
    calls, of_row = np.unique(pairs, axis=0, return_inverse=True)
    call[eager] = of_row.reshape(-1)
    return calls, call


def _eager_names(calls: Array, names: list[Name], plane: Plane, budget: NameBudget) -> list[Name]:
    """The name of each call: the node that a capture gave it, and the op."""
    titles, title = np.unique(calls[:, 0], return_inverse=True)
    nodes = [plane.event_names[n].removeprefix(EAGER_NODE_PREFIX) for n in titles.tolist()]
    ops = [op for _, op in names]
    sizes = byte_sizes(strings(nodes))[title] + 2 * byte_sizes(strings(ops))[calls[:, 1]]
    budget.spend(int(sizes.sum()))
    numbers = zip(title.tolist(), calls[:, 1].tolist(), strict=True)
    pairs = ((nodes[node], ops[name]) for node, name in numbers)
    return [(_eager_node(node, op), op) for node, op in pairs]


def _eager_node(node: str, op: str) -> str:
    """The node of an op that runs in a call of this name.

    One call may run several ops: a matmul of a variable reads it.
    """
    is_called = node.startswith(op) and _COUNTER.fullmatch(node, len(op))
    return node if is_called else f"{node}/{op}"


def _split(text: str) -> Name:
    """The node and the op of an event's name; an eager op has no node of its own."""
    if text.startswith(EAGER_PREFIX):
        op = text.removeprefix(EAGER_PREFIX)
        return op, op
    node, _, op = text.rpartition(":")
    return node, op
