"""The float operations of the nodes that are instructions of programs.

Two numbers: those of the *model*, which the program asked for, and those *executed* after
compilation. The compiler may compute more than was asked for, and programs compute forward ops
again to save memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc
from google.protobuf.message import DecodeError

from tfprof.flops.flop_columns import NodeFlops, integer_column
from tfprof.flops.hlo.compiled_nodes import compiled_nodes
from tfprof.flops.hlo.formulas import count_instruction, elements
from tfprof.flops.rules.formula import NOTHING, Work
from tfprof.loaders.hlo import ATTRIBUTE
from tfprof.loaders.wire import parent_indices
from tfprof.profiles.profile import Profile
from tfprof.protos.graph_pb2 import AttrValue
from tfprof.protos.hlo_pb2 import HloNode


@dataclass(frozen=True, slots=True)
class _Counts:
    """The numbers of a node."""

    model: Work
    executed: Work
    executions: int
    reason: str = ""


def count_compiled(profile: Profile) -> NodeFlops:
    """The float operations of a profile's instructions; 0 for all other nodes."""
    size, attrs = len(profile.nodes), profile.nodes.attrs
    entries = attrs.flatten()
    rows = np.flatnonzero(pc.equal(entries.field("key"), ATTRIBUTE).to_numpy(zero_copy_only=False))
    nodes = parent_indices(attrs)[rows]
    counts = [_count(value) for value in entries.field("value").take(rows).to_pylist()]
    columns = []
    for numbers in (
        [count.model.float_ops() for count in counts],
        [count.model.macs for count in counts],
        [count.executions for count in counts],
        [count.executed.float_ops() for count in counts],
    ):
        values = integer_column([int(number) for number in numbers])
        column = np.zeros(size, values.dtype)
        column[nodes] = values
        columns.append(column)
    float_ops, macs, executions, executed = columns
    reasons = {
        int(node): count.reason for node, count in zip(nodes, counts, strict=True) if count.reason
    }
    return NodeFlops(
        *(float_ops, macs, executions, np.zeros(size, bool), reasons),
        executed=executed,
        compiled=compiled_nodes(profile),
    )


def _count(value: bytes) -> _Counts:
    try:
        node = HloNode.FromString(AttrValue.FromString(value).s)
    except DecodeError:
        return _Counts(NOTHING, NOTHING, 1, "unknown shape")
    shapes = {item.id: item.shape for item in node.instructions}
    model = executed = NOTHING
    reason = ""
    for item in node.instructions:
        operands = [shapes[number] for number in item.operand_ids if number in shapes]
        work = count_instruction(item, operands)
        if isinstance(work, str):
            reason = work
            continue
        executed += work
        if item.opcode == "convolution" and node.used_elements:
            work = Work(work.macs * node.used_elements // max(elements(item.shape), 1))
        model += work
    if node.is_recomputation or node.is_in_graph:
        model = NOTHING
    return _Counts(model, executed, node.executions, reason)
