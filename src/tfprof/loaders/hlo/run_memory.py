"""The runs of programs, and what they hold in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tfprof.definitions.limits import max_planned_blocks
from tfprof.loaders.hlo.buffers import Buffer
from tfprof.loaders.hlo.node_table import Program
from tfprof.loaders.xplane.allocations import Allocations
from tfprof.loaders.xplane.op_events import OpExecutions
from tfprof.profiles.schema import Array, BoolArray


@dataclass(frozen=True, slots=True)
class ProgramRuns:
    """The runs of programs, one for each program and step, sorted by program.

    `row` are the executions of instructions, and `run_of_row` says which run each is of.
    """

    program: Array
    step: Array
    line: Array
    start: Array
    end: Array
    row: Array
    run_of_row: Array


def find_runs(ops: OpExecutions, programs: Mapping[int, Program]) -> ProgramRuns:
    """The runs of programs in a trace."""
    rows = np.flatnonzero(np.isin(ops.program, list(programs)))
    keys = np.stack([ops.program[rows], ops.step[rows]], 1)
    distinct, first, run = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    run = run.reshape(-1)
    start = ops.start[rows[first]]
    end = ops.end[rows[first]]
    np.minimum.at(start, run, ops.start[rows])
    np.maximum.at(end, run, ops.end[rows])
    return ProgramRuns(distinct[:, 0], distinct[:, 1], ops.line[rows[first]], start, end, rows, run)


def run_memory(
    ops: OpExecutions, runs: ProgramRuns, programs: Mapping[int, Program]
) -> Allocations:
    """The recorded allocations, and what runs allocate by their buffer assignment.

    Temporary memory lasts until a run ends, and results stay. TensorFlow records the temporary
    memory of its programs as one block, which is divided instead.
    """
    owners = _Owners(ops, runs)
    recorded = ops.allocations
    kept = np.ones(len(recorded), bool)
    parts = []
    left = max_planned_blocks(len(ops))
    for number in np.unique(runs.program).tolist():
        program = programs[number]
        of_program = np.flatnonzero(runs.program == number)
        is_small = len(of_program) * len(program.buffers) <= left
        buffers = program.buffers if is_small else _merge(program.buffers)
        left -= len(of_program) * len(buffers)
        if program.is_recorded:
            block, run = _recorded_blocks(recorded, runs, of_program, program)
            kept[block] = False
            parts.append(_divide(recorded, block, run, buffers, owners))
        else:
            parts.append(_allocate(runs, of_program, buffers, owners))
    return Allocations.concatenate([recorded.filter(kept), *parts])


def _merge(buffers: Sequence[Buffer]) -> list[Buffer]:
    """The temporary memory and the results of a program, each as one buffer of it as a whole."""
    sizes = dict.fromkeys((False, True), 0)
    for buffer in buffers:
        sizes[buffer.is_result] += buffer.bytes
    return [Buffer("", size, is_result) for is_result, size in sizes.items() if size]


class _Owners:
    """The executions that buffers belong to.

    It is the first execution of the instruction in the run; for an instruction without any, the
    program as a whole, whose runs follow all other executions.
    """

    def __init__(self, ops: OpExecutions, runs: ProgramRuns) -> None:
        names = ops.name.dictionary.to_pylist()
        self._count = len(names)
        self._code = {name: number for number, name in enumerate(names)}
        key = runs.run_of_row * self._count + ops.name.indices.to_numpy()[runs.row]
        keys, first = np.unique(key, return_index=True)
        self._keys = np.append(keys, -1)
        self._rows = np.append(runs.row[first], -1)
        self._executions = len(ops)

    def find(self, buffers: Sequence[Buffer], run: Array) -> Array:
        """The execution of each buffer in each of some runs, buffer by buffer for each run."""
        code = np.array([self._code.get(item.instruction, -1) for item in buffers], np.int64)
        code, run = np.tile(code, len(run)), np.repeat(run, len(buffers))
        key = run * self._count + code
        position = np.searchsorted(self._keys[:-1], key)
        has_run = (code >= 0) & (self._keys[position] == key)
        return np.where(has_run, self._rows[position], self._executions + run)


def _allocate(
    runs: ProgramRuns, run: Array, buffers: Sequence[Buffer], owners: _Owners
) -> Allocations:
    """What each of some runs allocates."""
    size, is_result = _columns(buffers, len(run))
    start, end = (np.repeat(column[run], len(buffers)) for column in (runs.start, runs.end))
    end = np.where(is_result, -1, end)
    return Allocations.planned_blocks(owners.find(buffers, run), size, start, end)


def _recorded_blocks(
    recorded: Allocations, runs: ProgramRuns, of_program: Array, program: Program
) -> tuple[Array, Array]:
    """The blocks that are the temporary memory of a program, and the run of each."""
    total = sum(buffer.bytes for buffer in program.buffers)
    candidates = np.flatnonzero((recorded.requested == total) & (recorded.size >= total))
    end = np.where(recorded.end < 0, np.iinfo(np.int64).max, recorded.end)
    blocks, run_of_block = [], []
    for run in of_program.tolist() if total else ():
        overlaps = recorded.start[candidates] <= runs.end[run]
        overlaps &= end[candidates] >= runs.start[run]
        blocks.append(candidates[overlaps])
        run_of_block.append(np.full(int(overlaps.sum()), run))
        candidates = candidates[~overlaps]
    empty = np.zeros(0, np.int64)
    return np.concatenate([empty, *blocks]), np.concatenate([empty, *run_of_block])


def _divide(
    recorded: Allocations, block: Array, run: Array, buffers: Sequence[Buffer], owners: _Owners
) -> Allocations:
    """Blocks as the buffers in them; what the allocator rounds up is the program's."""
    rounded = Buffer("", 0, is_result=False)
    size, _ = _columns([*buffers, rounded], len(block))
    size[len(buffers) :: len(buffers) + 1] = (recorded.size - recorded.requested)[block]
    rows = np.repeat(block, len(buffers) + 1)
    owner = owners.find([*buffers, rounded], run)
    blocks = Allocations(
        owner, size, recorded.start[rows], recorded.end[rows], size, np.zeros(len(rows), bool)
    )
    return blocks.filter(size > 0)


def _columns(buffers: Sequence[Buffer], repeat: int) -> tuple[Array, BoolArray]:
    size = np.array([item.bytes for item in buffers], np.int64)
    is_result = np.array([item.is_result for item in buffers], bool)
    return np.tile(size, repeat), np.tile(is_result, repeat)
