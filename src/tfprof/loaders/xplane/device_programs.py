"""The compiled programs whose instructions accelerators run, by the stats and names of events.

A GPU's kernel has the instruction (`hlo_op`, in loops `while.1::fusion.3`), the program and the
name of its module. A TPU's event is named by the text of the instruction, and has its program
itself or inside an event of the line of modules, which is called `<module>(<program>)`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from tfprof.definitions.integers import wrap_integer
from tfprof.loaders.xplane.event_stats import number_stats, text_stats
from tfprof.loaders.xplane.events import TraceEvents, read_events
from tfprof.loaders.xplane.op_events import NO_PROGRAM, PROGRAM
from tfprof.loaders.xplane.op_names import HLO_OP
from tfprof.loaders.xplane.planes import Plane
from tfprof.profiles.schema import Array

HLO_MODULE = "hlo_module"
MODULES = "XLA Modules"
"""The line of a TPU that has the runs of programs."""

_HLO = "Hlo Proto"
_TITLE = re.compile(r"(.*)\((\d{1,20})\)")
_INSTRUCTION = re.compile(r"%?([\w.-]+)(?: = .*)?", re.DOTALL)
_NESTED = "::"


def find_hlo(planes: Iterable[Plane]) -> dict[int, tuple[str, bytes]]:
    """Program -> its module's name and its HLO, from the metadata of events."""
    programs: dict[int, tuple[str, bytes]] = {}
    for plane in planes:
        for event, stats in plane.event_stats.items():
            title = _TITLE.fullmatch(plane.event_names.get(event, ""))
            if title and _HLO in stats:
                programs[_signed(title[2])] = title[1], stats[_HLO]
    return programs


def _signed(digits: str) -> int:
    """An id of 64 bits as the stats of events have it here."""
    return wrap_integer(int(digits), 64)


def find_programs(
    events: TraceEvents,
    plane: Plane,
    modules: Mapping[int, str],
    first_ns: int,
    release: Callable[[], None],
) -> Array:
    """The program that each event is an instruction of, NO_PROGRAM for others.

    `modules` are the programs whose HLO is known, with the names of their modules.
    """
    known, number = number_stats(events, plane, PROGRAM)
    program = np.where(known, number, NO_PROGRAM)
    is_open = program == NO_PROGRAM
    program[is_open] = _programs_of_modules(events, plane, modules)[is_open]
    is_open = program == NO_PROGRAM
    if is_open.any():
        program[is_open] = _running_programs(events, plane, first_ns, release)[is_open]
    return program


def _programs_of_modules(events: TraceEvents, plane: Plane, modules: Mapping[int, str]) -> Array:
    """The only program of the module that an event names."""
    counts = Counter(modules.values())
    by_name = {name: number for number, name in modules.items() if counts[name] == 1}
    codes, names = text_stats(events, plane, HLO_MODULE)
    programs = [by_name.get(name, NO_PROGRAM) for name in names]
    of_event: Array = np.array([*programs, NO_PROGRAM], np.int64)[codes]
    return of_event


def _running_programs(
    events: TraceEvents, plane: Plane, first_ns: int, release: Callable[[], None]
) -> Array:
    """The program that ran when each event started, from the line of modules."""
    lines = [line for line in plane.lines if line.name == MODULES]
    runs = read_events(replace(plane, lines=lines), first_ns, lambda _: True, release=release)
    if not len(runs):
        return np.full(len(events), NO_PROGRAM, np.int64)
    order = np.argsort(runs.start, kind="stable")
    titles = {n: _TITLE.fullmatch(plane.event_names.get(n, "")) for n in set(runs.name.tolist())}
    ids = {n: _signed(title[2]) if title else NO_PROGRAM for n, title in titles.items()}
    program = np.array([ids[number] for number in runs.name[order].tolist()], np.int64)
    position = np.searchsorted(runs.start[order], events.start, side="right") - 1
    is_inside = (position >= 0) & (events.start < runs.end[order][position])
    return np.where(is_inside, program[position], NO_PROGRAM)


def find_instructions(
    events: TraceEvents, plane: Plane, *, by_title: bool
) -> tuple[Array, list[str]]:
    """The instruction that each event is, as the number of a name, -1 for none; and the names.

    With `by_title` also from the titles of events, as those of a TPU.
    """
    codes, texts = text_stats(events, plane, HLO_OP)
    names = [text.rpartition(_NESTED)[2] for text in texts]
    if by_title:
        distinct, index = np.unique(events.name, return_inverse=True)
        titles = [plane.event_names.get(number, "") for number in distinct.tolist()]
        matches = [_INSTRUCTION.fullmatch(title) for title in titles]
        of_title = np.array([len(names) + i if m else -1 for i, m in enumerate(matches)] or [-1])
        codes = np.where(codes >= 0, codes, of_title[index])
        names += [match[1] if match else "" for match in matches]
    return codes, names
