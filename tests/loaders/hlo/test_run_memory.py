"""What runs of programs hold: planned blocks, and recorded ones divided among instructions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.loaders.hlo.buffers import Buffer
from tfprof.loaders.hlo.node_table import Program
from tfprof.loaders.hlo.run_memory import find_runs, run_memory
from tfprof.loaders.xplane.allocations import Allocations
from tfprof.loaders.xplane.op_events import NO_PROGRAM, OpExecutions

BUFFERS = (Buffer("dot", 60, is_result=False), Buffer("gone", 30, is_result=False))
RESULT = Buffer("add", 8, is_result=True)


def _program(*buffers: Buffer, is_recorded: bool) -> Program:
    return Program("step", "step/XlaModule", {}, {}, {}, buffers, is_recorded)


def _executions(*allocations: tuple[int, ...]) -> OpExecutions:
    """A call, and the instructions of two steps of program 7; allocations are rows of columns."""
    rows = [("call", 0, 100, 0, NO_PROGRAM), ("dot", 10, 20, 0, 7), ("add", 20, 40, 0, 7)]
    rows += [("dot", 30, 35, 0, 7), ("dot", 210, 220, 1, 7)]
    name, start, end, step, program = zip(*rows, strict=True)
    columns: dict[str, Any] = {
        field: np.zeros(len(rows), np.int64)
        for field in ("line", "self_time", "output_bytes", "launch_id", "launch_op", "launch_start")
    }
    columns |= {"start": np.array(start), "end": np.array(end), "step": np.array(step)}
    names = pa.array(name).dictionary_encode()
    blocks = np.array(allocations, np.int64).reshape(-1, 5).T
    recorded = Allocations(*blocks, np.zeros(len(allocations), bool))
    return OpExecutions(
        root=names,
        name=names,
        op=names,
        program=np.array(program),
        allocations=recorded,
        used={},
        ignored={},
        marks=(np.zeros(0, np.int64), np.zeros(0, np.int64)),
        input_shapes={},
        **columns,
    )


def _blocks(executions: OpExecutions, program: Program) -> list[tuple[int, int, int, int]]:
    found = run_memory(executions, find_runs(executions, {7: program}), {7: program})
    columns = (found.op, found.size, found.start, found.end)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_planned_blocks_last_as_long_as_the_run() -> None:
    executions = _executions()
    first, second = len(executions), len(executions) + 1  # the runs as a whole
    assert _blocks(executions, _program(*BUFFERS, RESULT, is_recorded=False)) == [
        *((1, 60, 10, 40), (first, 30, 10, 40), (2, 8, 10, -1)),
        *((4, 60, 210, 220), (second, 30, 210, 220), (second, 8, 210, -1)),
    ]


def test_a_recorded_block_is_divided_and_what_is_rounded_up_is_the_programs() -> None:
    #                          op, bytes, start, end, requested
    executions = _executions((0, 128, 5, 50, 90), (0, 256, 6, 60, 200))
    run = len(executions)
    assert _blocks(executions, _program(*BUFFERS, is_recorded=True)) == [
        (0, 256, 6, 60),
        *((1, 60, 5, 50), (run, 30, 5, 50), (run, 38, 5, 50)),
    ]


def test_blocks_of_other_times_stay_as_they_are() -> None:
    executions = _executions((0, 128, 100, 150, 90))
    program = _program(*BUFFERS, is_recorded=True)
    assert _blocks(executions, program) == [(0, 128, 100, 150)]
    assert _blocks(_executions((0, 128, 1, 50, 0)), _program(is_recorded=True)) == [(0, 128, 1, 50)]
