"""The executions of ops in the host planes of a trace: node, op, root and step."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tfprof.loaders.xplane.allocations import STATS, Allocations, find_allocations
from tfprof.loaders.xplane.event_kinds import (
    EAGER_PREFIX,
    STEP_MARK,
    EventKind,
    count_kinds,
    event_kind,
    is_collective,
    may_mark_steps,
)
from tfprof.loaders.xplane.event_stats import stat_id
from tfprof.loaders.xplane.events import TraceEvents, read_events
from tfprof.loaders.xplane.name_budget import NameBudget
from tfprof.loaders.xplane.nesting import find_enclosing, find_outer, self_times
from tfprof.loaders.xplane.op_names import HLO_OP, name_ops
from tfprof.loaders.xplane.planes import Plane
from tfprof.loaders.xplane.steps import find_program_steps, find_steps
from tfprof.profiles.schema import Array, BoolArray
from tfprof.profiles.string_columns import strings

_FUNCTION = re.compile(r"__(?:inference_)?(.+?)(?:_\d+)?")
_RUN_ID, _STEP, _SHAPES = "id", "step_num", "shape"
_COLLECTIVE_RUN = "step_id"
"""The run that an op belongs to that replicas execute together, on threads of its own."""
PROGRAM, PROGRAM_RUN = "program_id", "run_id"
"""The stats of an event that is an instruction of a compiled program, besides its name."""

LAUNCH_ID = "correlation_id"
"""The stat that an accelerator's kernel has in common with its launch on the host."""

NO_PROGRAM = -1
_NO_RUN = -1
"""The run of a program that TensorFlow compiles, which does not number its runs."""

DATA, EAGER, OTHER = "tf_data", "eager", "other"
"""The roots of ops that run for an input pipeline, one by one, and for what is not recorded."""


_WITHOUT_STATS = (EventKind.OP, EventKind.EAGER_OP, EventKind.EAGER_NODE)


def root_name(function: str) -> str:
    """What a function is called that Python calls: `__inference_train_step_123` is `train_step`."""
    name = _FUNCTION.fullmatch(function)
    return name[1] if name else function


def root_functions(plane: Plane) -> list[str]:
    """The functions that Python called, from the names of events alone."""
    names = [n for n in plane.event_names.values() if event_kind(n) is EventKind.FUNCTION]
    return [name.removeprefix(EAGER_PREFIX) for name in names]


def has_session_runs(plane: Plane) -> bool:
    """Whether a session ran, as in TensorFlow 1."""
    return any(event_kind(name) is EventKind.SESSION_RUN for name in plane.event_names.values())


@dataclass(frozen=True, slots=True)
class OpExecutions:
    """The executions of ops, one row each, in the order of their starts; times are picoseconds.

    `root` is the function that Python called, "" for the graph of a session. `step` counts the runs
    of a root, or is the number that the program marked.
    """

    root: pa.Array
    name: pa.Array
    op: pa.Array
    line: Array
    start: Array
    end: Array
    self_time: Array
    step: Array
    allocations: Allocations
    program: Array
    """The compiled program that the op is an instruction of, NO_PROGRAM for other ops."""
    output_bytes: Array
    used: Mapping[str, int]
    """How many events of the plane are used, by kind."""
    ignored: Mapping[str, int]
    launch_id: Array
    """The ids of kernels that were launched, the rows that launched them or -1, and when."""
    launch_op: Array
    launch_start: Array
    marks: tuple[Array, Array]
    """The starts and numbers of the steps that the program marked, sorted by start."""
    input_shapes: Mapping[int, str]
    """Row -> the recorded shapes of its inputs, of the ops whose shapes are asked for."""

    def __len__(self) -> int:
        return len(self.name)

    def names_below(self, root: str) -> list[str]:
        """The distinct names of the executions of a root."""
        roots = np.array(self.root.dictionary.to_pylist(), object)
        rows = (roots == root)[self.root.indices.to_numpy()]
        names: list[str] = self.name.filter(pa.array(rows)).unique().to_pylist()
        return names


def read_op_executions(
    plane: Plane,
    first_ns: int,
    first_step: int = 0,
    release: Callable[[], None] = lambda: None,
    shaped: Container[str] = (),
    *,
    budget: NameBudget,
) -> OpExecutions:
    """The executions of ops in a host plane; steps that are counted begin with `first_step`.

    `release` is called while it is read. `shaped` are the nodes whose input shapes are read.
    """
    events = read_events(
        plane,
        first_ns,
        lambda name: event_kind(name) != EventKind.IGNORED,
        stats=[_RUN_ID, _COLLECTIVE_RUN, _SHAPES, PROGRAM, PROGRAM_RUN, *STATS],
        has_stats=lambda name: (
            event_kind(name) not in _WITHOUT_STATS
            or is_collective(name)
            or name.rpartition(":")[0] in shaped
        ),
        marks=[_STEP, HLO_OP, LAUNCH_ID],
        may_mark=may_mark_steps,
        release=release,
    )
    kind = _kinds(events, plane)
    used, ignored = count_kinds(
        plane.event_names,
        events.counts,
        marks=int((kind == EventKind.IGNORED).sum()),
        instructions=int((kind == EventKind.HLO).sum()),
    )
    rows = np.flatnonzero(np.isin(kind, (EventKind.OP, EventKind.EAGER_OP, EventKind.HLO)))
    rows = rows[np.argsort(events.start[rows], kind="stable")]
    start, end, own = _times(events, kind, rows)
    root, roots, run = _roots_of_ops(events, kind, rows, plane)
    root_of_step = np.where(root > roots.index(OTHER), root, -1)
    index, names = name_ops(events, kind, rows, plane, budget)
    launch_id, launch_op, launch_start = _launches(events, plane, rows)
    return OpExecutions(
        root=pa.DictionaryArray.from_arrays(root, strings(roots)),
        name=pa.DictionaryArray.from_arrays(index, strings([name for name, _ in names])),
        op=pa.DictionaryArray.from_arrays(index, strings([op for _, op in names])),
        line=events.line[rows],
        start=start,
        end=end,
        self_time=own,
        step=_steps(events, plane, rows, root_of_step, run, own, first_step),
        allocations=find_allocations(
            events,
            np.flatnonzero(kind == EventKind.ALLOCATION),
            np.flatnonzero(kind == EventKind.DEALLOCATION),
            rows,
            {name: number for number, name in plane.stat_names.items()},
        ),
        program=_programs(events, plane)[rows],
        output_bytes=np.zeros(len(rows), np.int64),
        used=used,
        ignored=ignored,
        launch_id=launch_id,
        launch_op=launch_op,
        launch_start=launch_start,
        marks=_marks(events, plane),
        input_shapes=_input_shapes(events, kind, rows, plane),
    )


def _input_shapes(events: TraceEvents, kind: Array, rows: Array, plane: Plane) -> dict[int, str]:
    """Row -> the shapes of its inputs, as text."""
    owners, numbers, texts = events.texts(stat_id(plane, _SHAPES))
    position = np.full(len(events), -1, np.int64)
    position[rows] = np.arange(len(rows))
    is_op = kind == EventKind.OP
    return {
        int(position[event]): texts[number]
        for event, number in zip(owners.tolist(), numbers.tolist(), strict=True)
        if is_op[event] and texts[number]
    }


def _times(events: TraceEvents, kind: Array, rows: Array) -> tuple[Array, Array, Array]:
    """The start, the end and the self time of each op; those of an eager op are its kernels'."""
    start, end = events.start[rows], events.end[rows]
    outer = find_outer(events.line[rows], start, end)
    own = self_times(events.duration[rows], outer)
    is_eager = kind[rows] == EventKind.EAGER_OP
    if is_eager.any():
        time, first, last = _kernels_of(events, kind, rows)
        own[is_eager] = np.minimum(own, time)[is_eager]
        start[is_eager], end[is_eager] = first[is_eager], last[is_eager]
    # A call of a compiled program waits while other threads run it.
    own = np.maximum(own - _inner_times(events, kind == EventKind.WAIT, rows), 0)
    return start, end, own


def _roots_of_ops(
    events: TraceEvents, kind: Array, rows: Array, plane: Plane
) -> tuple[Array, list[str], Array]:
    """The number of each op's root, the roots, and the number of each op's run."""
    runs, run = np.unique(_runs_of_ops(events, kind, rows, plane), return_inverse=True)
    root_of = _roots(events, kind, plane)
    roots = list(dict.fromkeys([DATA, EAGER, OTHER, *root_of.values()]))
    number = {name: index for index, name in enumerate(roots)}
    of_run = np.array([number[root_of.get(r, OTHER)] for r in runs.tolist()], np.int64)
    root = of_run[run]
    is_data = _is_data_line(plane)[events.line[rows]]
    root[(root == number[OTHER]) & is_data] = number[DATA]
    root[kind[rows] == EventKind.EAGER_OP] = number[EAGER]
    return root, roots, run


def _is_data_line(plane: Plane) -> BoolArray:
    """Whether each line of a plane is a thread of an input pipeline."""
    return np.array([line.name.startswith("tf_data") for line in plane.lines], bool)


def _kinds(events: TraceEvents, plane: Plane) -> Array:
    """The kind of each event."""
    ids, index = np.unique(events.name, return_inverse=True)
    kind = np.array([event_kind(plane.event_names.get(i, "")) for i in ids.tolist()], np.int64)[
        index
    ]
    kind[events.has(stat_id(plane, HLO_OP))] = EventKind.HLO
    return kind


def _programs(events: TraceEvents, plane: Plane) -> Array:
    """The program that each event is an instruction of; NO_PROGRAM for the others."""
    stat = stat_id(plane, PROGRAM)
    is_instruction = events.has(stat_id(plane, HLO_OP)) & events.has(stat)
    return np.where(is_instruction, events.number(stat), NO_PROGRAM)


def _launches(events: TraceEvents, plane: Plane, rows: Array) -> tuple[Array, Array, Array]:
    """The ids of the kernels that are launched, the ops that do it or -1, and when."""
    stat = stat_id(plane, LAUNCH_ID)
    launches = np.flatnonzero(events.has(stat))
    around = np.full(len(launches), -1, np.int64)
    if len(launches) and len(rows):
        around, _ = find_enclosing(events, launches, rows)
    return events.number(stat)[launches], around, events.start[launches]


def _runs_of_ops(events: TraceEvents, kind: Array, rows: Array, plane: Plane) -> Array:
    """The run that each op belongs to: its own stat, or that of the Process around it.

    A Process that was still open when the trace stopped is not recorded: then the last one before.
    """
    process = np.flatnonzero(kind == EventKind.PROCESS)
    if not len(process):
        return np.zeros(len(rows), np.int64)
    around, before = find_enclosing(events, rows, process)
    owner = np.where(around >= 0, around, before)
    run = events.number(stat_id(plane, _RUN_ID))
    own = stat_id(plane, _COLLECTIVE_RUN)
    of_process = np.where(owner >= 0, run[process[owner]], 0)
    return np.where(events.has(own)[rows], events.number(own)[rows], of_process)


def _kernels_of(events: TraceEvents, kind: Array, rows: Array) -> tuple[Array, Array, Array]:
    """The time of the kernels inside each event, their first start and their last end."""
    kernels = np.flatnonzero(kind == EventKind.KERNEL)
    start, end = events.start[rows], events.end[rows]
    time, first, last = np.zeros(len(rows), np.int64), end.copy(), start.copy()
    if len(kernels):
        around, _ = find_enclosing(events, kernels, rows)
        kernels, around = kernels[around >= 0], around[around >= 0]
        np.add.at(time, around, events.duration[kernels])
        np.minimum.at(first, around, events.start[kernels])
        np.maximum.at(last, around, events.end[kernels])
    has_none = last <= first
    return time, np.where(has_none, start, first), np.where(has_none, start, last)


def _inner_times(events: TraceEvents, mask: Array, rows: Array) -> Array:
    """The time of the events in `mask` inside each row."""
    inner = np.flatnonzero(mask)
    time = np.zeros(len(rows), np.int64)
    if len(inner):
        around, _ = find_enclosing(events, inner, rows)
        np.add.at(time, around[around >= 0], events.duration[inner[around >= 0]])
    return time


def _roots(events: TraceEvents, kind: Array, plane: Plane) -> dict[int, str]:
    """Run -> the root that it is a run of."""
    run = events.number(stat_id(plane, _RUN_ID))
    roots = dict.fromkeys(run[kind == EventKind.DATA_RUN].tolist(), DATA)
    roots |= dict.fromkeys(run[kind == EventKind.SESSION_RUN].tolist(), "")
    runs = np.flatnonzero(kind == EventKind.RUN)
    # A pipeline of several devices calls functions, which run on other threads.
    roots |= dict.fromkeys(run[runs[_is_data_line(plane)[events.line[runs]]]].tolist(), DATA)
    functions = np.flatnonzero(kind == EventKind.FUNCTION)
    if len(runs) and len(functions):
        around, _ = find_enclosing(events, runs, functions)
        for row, function in zip(runs.tolist(), around.tolist(), strict=True):
            if function >= 0:
                text = plane.event_names[int(events.name[functions[function]])]
                roots.setdefault(int(run[row]), text.removeprefix(EAGER_PREFIX))
    return roots


def _marks(events: TraceEvents, plane: Plane) -> tuple[Array, Array]:
    """The starts and numbers of the steps that the program marked, sorted by start.

    Where the capture marked steps, only those count.
    """
    marker = stat_id(plane, _STEP)
    marks = np.flatnonzero(events.has(marker))
    ours = [number for number, name in plane.event_names.items() if name == STEP_MARK]
    is_ours = np.isin(events.name[marks], ours)
    marks = marks[is_ours] if is_ours.any() else marks
    marks = marks[np.argsort(events.start[marks], kind="stable")]
    return events.start[marks], events.number(marker)[marks]


def _steps(
    events: TraceEvents,
    plane: Plane,
    rows: Array,
    root: Array,
    run: Array,
    time: Array,
    first_step: int,
) -> Array:
    """The step of each op; a compiled program may tell which of its runs an op belongs to."""
    marks = _marks(events, plane)
    stat, program = stat_id(plane, PROGRAM_RUN), _programs(events, plane)[rows]
    program_run = events.number(stat)[rows]
    has_run = events.has(stat)[rows] & (program_run != _NO_RUN)
    compiled = np.flatnonzero((program != NO_PROGRAM) & has_run)
    if not len(compiled):
        return find_steps(events.start[rows], root, run, marks, first_step)
    of_program, program_runs, marked = find_program_steps(
        events.start[rows[compiled]],
        program[compiled],
        program_run[compiled],
        time[compiled],
        marks,
    )
    # Numbers after those of other roots and runs.
    root, run = root.copy(), run.copy()
    shift = root.max(initial=0) + 1
    root[compiled] = np.where(of_program >= 0, shift + of_program, -1)
    run[compiled] = run.max(initial=0) + 1 + program_runs
    step = find_steps(events.start[rows], root, run, marks, first_step)
    step[compiled] = np.where(marked >= 0, marked, step[compiled])
    return step
