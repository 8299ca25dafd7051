"""The step that each execution belongs to."""

from __future__ import annotations

import numpy as np

from tfprof.profiles.schema import Array

_SMALL = 0.05
"""A program with a smaller share of the time has no steps of its own."""


def find_steps(
    start: Array, root: Array, run: Array, marks: tuple[Array, Array], first_step: int
) -> Array:
    """The step of each row: the number that the program marked at its time, or else its run's.

    Rows are sorted by start. `marks` are the starts and numbers of the steps that the program
    marked. The runs of each root are counted from `first_step`. A row without a root, which is -1,
    belongs to the step of the run that started last.
    """
    starts, numbers = marks
    if len(starts):
        step = latest_step(starts, numbers, start)
        # The mark of a step that had begun before the trace is not recorded.
        is_unmarked = start < starts[0]
        if (root[is_unmarked] >= 0).any():
            step[is_unmarked] = max(int(numbers[0]) - 1, 0)
        return step
    has_root = np.flatnonzero(root >= 0)
    if not len(has_root):
        return np.full(len(start), first_step, np.int64)
    # The first row of a run is where it starts.
    runs, first, of_row = np.unique(run[has_root], return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.zeros(len(runs), np.int64)
    counts: dict[int, int] = {}
    for index in order.tolist():
        key = int(root[has_root[first[index]]])
        number[index] = counts.get(key, first_step)
        counts[key] = counts.get(key, first_step) + 1
    step = latest_step(start[has_root[first[order]]], number[order], start)
    step[has_root] = number[of_row]
    return step


def find_program_steps(
    start: Array, program: Array, run: Array, time: Array, marks: tuple[Array, Array]
) -> tuple[Array, Array, Array]:
    """Root, run and marked step of the rows of compiled programs, each -1 where there is none.

    The rows of one run of a program stay together: the program is launched before it runs, perhaps
    in an earlier step. A program that hardly takes time is part of the steps of others.
    """
    root, marked = np.full(len(start), -1, np.int64), np.full(len(start), -1, np.int64)
    pairs = np.stack([program, run], 1)
    _, first, of_row = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    of_row = of_row.reshape(-1)
    # Ids of programs are any 64 bits, so roots are numbered.
    for number, program_id in enumerate(np.unique(program).tolist()):
        rows = np.flatnonzero(program == program_id)
        if time[rows].sum() >= _SMALL * time.sum():
            root[rows] = number
        if len(marks[0]):
            runs = np.unique(of_row[rows])
            runs = runs[np.argsort(first[runs])]
            is_once = len(runs) == len(marks[1])
            steps = marks[1] if is_once else latest_step(*marks, start[first[runs]])
            step_of_run = np.full(len(first), -1, np.int64)
            step_of_run[runs] = steps
            marked[rows] = step_of_run[of_row[rows]]
    return root, of_row, marked


def latest_step(starts: Array, numbers: Array, time: Array) -> Array:
    """The number that started last at each time; before all of them the first one; 0 for none."""
    if not len(starts):
        return np.zeros(len(time), np.int64)
    latest: Array = numbers[np.maximum(np.searchsorted(starts, time, side="right") - 1, 0)]
    return latest
