"""Executions of instructions as records of their nodes, and of programs as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from tfprof.loaders.hlo.node_table import PROGRAM_OP, Program
from tfprof.loaders.hlo.run_memory import find_runs, run_memory
from tfprof.loaders.xplane.name_budget import NameBudget
from tfprof.loaders.xplane.op_events import OpExecutions
from tfprof.profiles.schema import Array
from tfprof.profiles.string_columns import strings


def attribute_executions(
    ops: OpExecutions, programs: Mapping[int, Program], budget: NameBudget
) -> OpExecutions:
    """Executions under the names of their nodes, and one for each run of a program as a whole."""
    root, name, op = (_Column(column) for column in (ops.root, ops.name, ops.op))
    output_bytes = ops.output_bytes.copy()
    for number, program in programs.items():
        rows = np.flatnonzero(ops.program == number)
        distinct, index = np.unique(name.indices[rows], return_inverse=True)
        instructions = [name.values[code] for code in distinct.tolist()]
        names, opcodes = _names(program, instructions, budget)
        root.set(rows, [""], np.zeros(len(rows), np.int64))
        name.set(rows, names, index)
        op.set(rows, opcodes, index)
        sizes = np.array([program.output_bytes.get(i, 0) for i in instructions], np.int64)
        output_bytes[rows] = sizes[index]
    runs = find_runs(ops, programs)
    for number, count in zip(*np.unique(runs.program, return_counts=True), strict=True):
        root.append("", int(count))
        name.append(programs[int(number)].node, int(count))
        op.append(PROGRAM_OP, int(count))
    zeros = np.zeros(len(runs.program), np.int64)
    return replace(
        ops,
        root=root.array(),
        name=name.array(),
        op=op.array(),
        line=np.append(ops.line, runs.line).astype(ops.line.dtype),
        start=np.append(ops.start, runs.start),
        end=np.append(ops.end, runs.end),
        self_time=np.append(ops.self_time, zeros),
        step=np.append(ops.step, runs.step),
        program=np.append(ops.program, runs.program),
        output_bytes=np.append(output_bytes, zeros),
        allocations=run_memory(ops, runs, programs),
    )


def _names(
    program: Program, instructions: Iterable[str], budget: NameBudget
) -> tuple[list[str], list[str]]:
    """The node and the opcode of each instruction."""
    names, opcodes = [], []
    for instruction in instructions:
        name = program.names.get(instruction) or f"{program.scope}/{instruction}"
        opcode = program.opcodes.get(instruction, "")
        budget.spend(len(name.encode()) + len(opcode.encode()))
        names.append(name)
        opcodes.append(opcode)
    return names, opcodes


class _Column:
    """A dictionary column of which rows are replaced."""

    def __init__(self, column: pa.DictionaryArray) -> None:
        self.indices = column.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        self.values: list[str] = column.dictionary.to_pylist()

    def set(self, rows: Array, values: list[str], index: Array) -> None:
        """Replace rows by values, of which `index` says which."""
        self.indices[rows] = len(self.values) + index
        self.values += values

    def append(self, value: str, count: int) -> None:
        """Add rows of one value."""
        self.indices = np.append(self.indices, np.full(count, len(self.values)))
        self.values.append(value)

    def array(self) -> pa.DictionaryArray:
        """The column."""
        return pa.DictionaryArray.from_arrays(self.indices, strings(self.values))
