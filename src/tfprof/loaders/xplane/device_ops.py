"""What accelerators ran, from the device planes of a trace: kernels of streams, instructions.

A GPU has a line for each stream. A kernel has the id of its launch, by which the op on the host is
found that launched it, and the name of that op (`tf_op`) or the instruction of a compiled program
(`hlo_op`). A TPU has a line of instructions. Other lines of both are derived from these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tfprof.loaders.xplane.allocations import Allocations
from tfprof.loaders.xplane.device_programs import (
    HLO_MODULE,
    MODULES,
    find_instructions,
    find_programs,
)
from tfprof.loaders.xplane.event_stats import stat_id, text_stats
from tfprof.loaders.xplane.events import TraceEvents, count_events, read_events
from tfprof.loaders.xplane.name_budget import NameBudget
from tfprof.loaders.xplane.nesting import find_outer, self_times
from tfprof.loaders.xplane.op_events import (
    LAUNCH_ID,
    NO_PROGRAM,
    OTHER,
    PROGRAM,
    OpExecutions,
)
from tfprof.loaders.xplane.op_names import HLO_OP
from tfprof.loaders.xplane.planes import Line, Plane
from tfprof.loaders.xplane.steps import latest_step
from tfprof.profiles.schema import Array, BoolArray
from tfprof.profiles.string_columns import byte_sizes, strings

_PLANE = re.compile(r"/device:([A-Za-z]+):(\d{1,18})")
_STEPS = "Steps"
_INSTRUCTIONS = ("XLA Ops", "Framework Ops", "TensorFlow Ops")
"""The lines of a TPU that have what ran, the best first."""
_DERIVED = frozenset(
    {
        *(_STEPS, *_INSTRUCTIONS, MODULES, "Async XLA Ops", "Source code", "Launch Stats"),
        *("Framework Name Scope", "TensorFlow Name Scope", "_counters_"),
    }
)
"""The lines of a GPU that are no streams."""
_OP = "tf_op"
_NO_OPS = frozenset({"XlaModule", "Thunk"})
"""What XLA calls its own annotations, where the name of an op is otherwise."""
_COPY = re.compile(r"Memcpy(\w+?)2(\w+)")
_HLO = re.compile(r"%([\w.-]+)")
_KERNELS, _DERIVED_EVENTS = "kernels", "derived from kernels"


@dataclass(frozen=True, slots=True)
class DeviceOps:
    """What one accelerator ran; `launched_by` is the row of the op on the host, -1 for none."""

    kind: str
    number: int
    ops: OpExecutions
    launched_by: Array
    lines: list[str]
    """The names of its streams or lines of instructions."""

    def records(self) -> tuple[OpExecutions, Array]:
        """What ran, and whether it is a stream's record (1) or one of the device itself (0).

        Of what no op of the host launched, and of instructions, a record of the device that takes
        no time counts the run, as the host's op does otherwise.
        """
        ops, count = self.ops, len(self.ops)
        is_instruction = ops.program != NO_PROGRAM
        alone = np.flatnonzero(np.where(is_instruction, _starts_run(ops), self.launched_by < 0))
        # Those of the device come first: they have the memory of instructions.
        rows = np.concatenate([alone, np.arange(count)])
        is_stream = np.arange(len(rows)) >= len(alone)
        start = ops.start[rows]
        records = replace(
            ops,
            root=ops.root.take(pa.array(rows)),
            name=ops.name.take(pa.array(rows)),
            op=ops.op.take(pa.array(rows)),
            line=ops.line[rows],
            start=start,
            end=np.where(is_stream, ops.end[rows], start),
            self_time=np.where(is_stream, ops.self_time[rows], 0),
            step=ops.step[rows],
            program=ops.program[rows],
            output_bytes=ops.output_bytes[rows],
        )
        return records, is_stream.astype(np.int32)


def is_device(plane: Plane) -> bool:
    """Whether a plane is that of an accelerator."""
    return _PLANE.fullmatch(plane.name) is not None


def _starts_run(ops: OpExecutions) -> BoolArray:
    """Which kernels begin a run of their instruction: those of one run follow each other."""
    name, first = ops.name.indices.to_numpy(), np.ones(len(ops), bool)
    order = np.lexsort((ops.start, ops.line))
    keys = np.stack([ops.line, name, ops.program, ops.step])[:, order]
    first[order[1:]] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    return first


def read_device_ops(
    plane: Plane,
    first_ns: int,
    host: OpExecutions | None,
    modules: Mapping[int, str],
    release: Callable[[], None],
    budget: NameBudget,
) -> DeviceOps:
    """What an accelerator ran; roots and steps are those of the host.

    `modules` are the compiled programs whose HLO the trace has, with the names of their modules.
    """
    match = _PLANE.fullmatch(plane.name)
    kind, number = (match[1].lower(), int(match[2])) if match else ("", 0)
    used = _op_lines(plane, kind)
    ids = {id(line) for line in used}
    lines = [line for line in plane.lines if id(line) not in ids]
    ops_plane = replace(plane, lines=used)
    events = read_events(
        ops_plane,
        first_ns,
        lambda _: True,
        stats=[_OP, HLO_OP, HLO_MODULE, PROGRAM, LAUNCH_ID],
        release=release,
    )
    instructions = find_instructions(
        events, plane, by_title=any(line.name == _INSTRUCTIONS[0] for line in used)
    )
    program = find_programs(events, plane, modules, first_ns, release)
    program[instructions[0] < 0] = NO_PROGRAM
    is_known = np.isin(program, list(modules))
    names, ops, code = _names(events, plane, instructions, is_known, budget)
    launch = _find_launches(events, plane, host)
    launched_by = launch.copy()
    if host is not None and (launch >= 0).any():
        launched_by = np.where(launch >= 0, host.launch_op[launch], -1)
    derived = count_events(replace(plane, lines=lines), release)
    outer = find_outer(events.line, events.start, events.end)
    root, roots = _roots(code, names, launched_by, host)
    executions = OpExecutions(
        root=pa.DictionaryArray.from_arrays(root, strings(roots)),
        name=pa.DictionaryArray.from_arrays(code, strings(names)),
        op=pa.DictionaryArray.from_arrays(code, strings(ops)),
        line=events.line,
        start=events.start,
        end=events.end,
        self_time=self_times(events.duration, outer),
        step=_steps(events, plane, first_ns, launch, host),
        allocations=Allocations.none(),
        program=program,
        output_bytes=np.zeros(len(events), np.int64),
        used={f"{kind} {_KERNELS}": len(events)},
        ignored={f"{kind} {_DERIVED_EVENTS}": derived} if derived else {},
        **_NO_LAUNCHES,
    )
    return DeviceOps(kind, number, executions, launched_by, [line.name for line in used])


_NONE = np.zeros(0, np.int64)
_NO_LAUNCHES: dict[str, Any] = {
    **dict.fromkeys(("launch_id", "launch_op", "launch_start"), _NONE),
    "marks": (_NONE, _NONE),
    "input_shapes": {},
}


def _op_lines(plane: Plane, kind: str) -> list[Line]:
    """The lines with what ran, each moment once."""
    if kind == "gpu":
        return [line for line in plane.lines if line.name not in _DERIVED]
    for name in _INSTRUCTIONS:
        lines = [line for line in plane.lines if line.name == name]
        if lines:
            return lines
    return [line for line in plane.lines if line.name not in _DERIVED]


def _names(
    events: TraceEvents,
    plane: Plane,
    instructions: tuple[Array, list[str]],
    is_known: BoolArray,
    budget: NameBudget,
) -> tuple[list[str], list[str], Array]:
    """The distinct nodes and op types, and which of them each event is.

    Of an instruction of a program that `is_known` the name is that of the instruction.
    """
    ops_of_events, modules = (text_stats(events, plane, key) for key in (_OP, HLO_MODULE))
    texts = ops_of_events, instructions, modules
    title, which = np.unique(events.name, return_inverse=True)
    titles = [_parse_title(plane.event_names.get(number, "")) for number in title.tolist()]
    keys = np.stack([is_known, which, *(codes for codes, _ in texts)], 1)
    distinct, code = np.unique(keys, axis=0, return_inverse=True)
    sizes = byte_sizes(strings([title.copy or title.short for title in titles]))[distinct[:, 1]]
    for codes, (_, values) in zip(distinct[:, 2:].T, texts, strict=True):
        sizes += byte_sizes(strings([*values, ""]))[codes]  # the last is that of -1
    budget.spend(int(sizes.sum()))
    index_of_pair: dict[tuple[str, str], int] = {}
    of_key = []
    for is_instruction, number, *codes in distinct.tolist():
        op, instruction, module = (
            values[i] if i >= 0 else "" for i, (_, values) in zip(codes, texts, strict=True)
        )
        pair = (
            (instruction, "") if is_instruction else _split(titles[number], op, instruction, module)
        )
        of_key.append(index_of_pair.setdefault(pair, len(index_of_pair)))
    names, ops = [name for name, _ in index_of_pair], [op for _, op in index_of_pair]
    return names, ops, np.array(of_key, np.int64)[code.reshape(-1)]


class _Title(NamedTuple):
    """What the name of an event says: what is copied, as the original's tracer called it, or ''.

    And `fusion.3` of an instruction's text, `cub.reduce` of a kernel's signature.
    """

    copy: str
    short: str


def _parse_title(title: str) -> _Title:
    copy = _COPY.match(title)
    return _Title(f"MEMCPY{copy[1]}to{copy[2]}" if copy else "", _short_title(title))


def _split(title: _Title, op: str, instruction: str, module: str) -> tuple[str, str]:
    """The node and the op type of a kernel or an instruction."""
    node, _, op_type = op.rpartition(":") if ":" in op else (op, "", "")
    node = "" if node in _NO_OPS else node
    if title.copy:
        return f"{node or 'copy'}:{title.copy}", "MEMCPY"
    hlo = instruction or title.short
    base = hlo.rstrip(".0123456789") or hlo
    if node:
        return node, op_type or base
    if instruction:
        return f"{module}/{instruction}" if module else instruction, base
    return hlo, base


def _short_title(title: str) -> str:
    instruction = _HLO.match(title)
    if instruction:
        return instruction[1]
    name = re.split(r"[<(]", title.removeprefix("void "))[0].replace("::", ".")
    return name.replace(":", ".").strip() or "kernel"


def _find_launches(events: TraceEvents, plane: Plane, host: OpExecutions | None) -> Array:
    """The launch of each kernel, a row of the host's launches, -1 for none."""
    launch = np.full(len(events), -1, np.int64)
    stat = stat_id(plane, LAUNCH_ID)
    if host is None or stat is None or not len(host.launch_id):
        return launch
    order = np.argsort(host.launch_id, kind="stable")
    ids = host.launch_id[order]
    wanted = events.number(stat)
    position = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    known = events.has(stat) & (ids[position] == wanted)
    launch[known] = order[position[known]]
    return launch


def _roots(
    code: Array, names: list[str], launched_by: Array, host: OpExecutions | None
) -> tuple[Array, list[str]]:
    """The root of each kernel: that of its launch, or of the host's op with its name."""
    if host is None or not len(host):
        return np.zeros(len(code), np.int64), [OTHER]
    roots: list[str] = host.root.dictionary.to_pylist()
    if OTHER not in roots:
        roots.append(OTHER)
    host_root = host.root.indices.to_numpy()
    by_name = _root_of_names(host, host_root)
    of_name = np.array([by_name.get(n.partition(":")[0], roots.index(OTHER)) for n in names] or [0])
    root = of_name[code]
    known = launched_by >= 0
    root[known] = host_root[launched_by[known]]
    return root, roots


def _root_of_names(host: OpExecutions, host_root: Array) -> Mapping[str, int]:
    """Node -> the root in which it ran first."""
    distinct, first = np.unique(host.name.indices.to_numpy(), return_index=True)
    texts = host.name.dictionary.to_pylist()
    return {texts[n]: int(host_root[i]) for n, i in zip(distinct.tolist(), first, strict=True)}


def _steps(
    events: TraceEvents, plane: Plane, first_ns: int, launch: Array, host: OpExecutions | None
) -> Array:
    """The step of each kernel: that of its launch, or the one that was the last to start."""
    starts, numbers = _marked_steps(plane, first_ns)
    if not len(starts) and host is not None:
        starts, numbers = host.marks
    if not len(starts) and host is not None and len(host):
        order = np.argsort(host.start, kind="stable")
        starts, numbers = host.start[order], host.step[order]
    if host is None or not (launch >= 0).any():
        return latest_step(starts, numbers, events.start)
    launched_by = host.launch_op[launch]
    time = np.where(launch >= 0, host.launch_start[launch], events.start)
    step = latest_step(starts, numbers, time)
    known = (launch >= 0) & (launched_by >= 0)
    step[known] = host.step[launched_by[known]]
    return step


def _marked_steps(plane: Plane, first_ns: int) -> tuple[Array, Array]:
    """The starts and numbers of the steps in a device's own line of steps."""
    lines = [line for line in plane.lines if line.name == _STEPS]
    marks = read_events(replace(plane, lines=lines), first_ns, lambda _: True)
    order = np.argsort(marks.start, kind="stable")
    names = [plane.event_names.get(number, "") for number in marks.name[order].tolist()]
    is_numbered = all(name.isascii() and name.isdigit() and len(name) < 10 for name in names)
    numbers = [int(name) for name in names] if is_numbered else list(range(len(names)))
    return marks.start[order], np.array(numbers, np.int64)
