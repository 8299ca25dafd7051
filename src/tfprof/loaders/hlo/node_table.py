"""The nodes of programs as the columns of a profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from tfprof.loaders.hlo import ATTRIBUTE
from tfprof.loaders.hlo.buffers import Buffer
from tfprof.loaders.hlo.stack_table import StackTable
from tfprof.loaders.xplane.name_budget import NameBudget
from tfprof.profiles.schema import ATTRS, SHAPE, SHAPES, LogEntries
from tfprof.profiles.source_columns import GraphColumns, LogColumns
from tfprof.profiles.string_columns import strings
from tfprof.protos.graph_pb2 import AttrValue
from tfprof.protos.hlo_pb2 import HloNode

PROGRAM_OP = "XlaModule"
"""The op type of the node that is a program as a whole."""


@dataclass(slots=True)
class NodeRow:
    """A node: an instruction, an argument, or a program as a whole."""

    name: str
    op: str
    inputs: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    stack: int = -1
    hlo: HloNode = field(default_factory=lambda: HloNode(executions=1))
    shape: list[int] = field(default_factory=list)
    """Of a parameter of the model, which is counted by it."""
    output_shapes: list[list[int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Program:
    """The nodes of a program: instruction -> its node, opcode and the bytes of its output."""

    scope: str
    node: str
    """The node of the program as a whole."""
    names: Mapping[str, str]
    opcodes: Mapping[str, str]
    output_bytes: Mapping[str, int]
    buffers: tuple[Buffer, ...]
    """What a run allocates: the temporary memory alone if it `is_recorded`."""
    is_recorded: bool = False
    """Whether the framework records what a run allocates."""


@dataclass(slots=True)
class HloNodeTable:
    """Collects the nodes of programs."""

    budget: NameBudget
    rows: list[NodeRow] = field(default_factory=list)
    stacks: StackTable = field(default_factory=StackTable)

    def add(self, row: NodeRow) -> None:
        """Add a node, whose name is paid for, before it gets columns of its own."""
        texts = "".join((row.op, *row.inputs, *row.types))
        self.budget.spend(len(texts.encode()) + row.hlo.ByteSize())
        self.rows.append(row)

    def graph(self) -> GraphColumns:
        """The nodes as those of a graph."""
        rows = self.rows
        counts = [len(row.inputs) for row in rows]
        attrs = [[{"key": ATTRIBUTE, "value": _attribute(row.hlo)}] for row in rows]
        index = [i for count in counts for i in range(count)]
        return GraphColumns(
            strings([row.name for row in rows]),
            strings([row.op for row in rows]),
            pa.array(attrs, ATTRS),
            pa.array([row.shape for row in rows], SHAPE),
            pa.array([row.output_shapes for row in rows], SHAPES),
            np.repeat(np.arange(len(rows), dtype=np.int32), counts),
            np.array(index, np.int32),
            strings([name for row in rows for name in row.inputs]),
            np.zeros(len(index), np.int32),
        )

    def log(self) -> LogColumns:
        """Their types and stacks."""
        rows = self.rows
        counts = [len(row.types) for row in rows]
        entries = LogEntries(
            strings([row.name for row in rows]),
            np.zeros(len(rows), np.int64),
            np.array([row.stack for row in rows], np.int64),
            np.repeat(np.arange(len(rows)), counts),
            strings([name for row in rows for name in row.types]),
        )
        return LogColumns(entries, self.stacks.stacks())


def _attribute(node: HloNode) -> bytes:
    data: bytes = AttrValue(s=node.SerializeToString()).SerializeToString()
    return data
