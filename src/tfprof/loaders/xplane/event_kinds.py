"""What the events of a host plane are, by their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from enum import IntEnum

from tfprof.profiles.trace_facts import ALLOCATIONS

EAGER_PREFIX = "EagerLocalExecute: "
EAGER_NODE_PREFIX = "EagerNode: "
"""How the names of events start in which a capture runs an op that Python called."""
STEP_MARK = "tfprof step"
"""The event with which a capture marks a step that runs of functions do not tell."""


class EventKind(IntEnum):
    """What an event tells."""

    IGNORED = 0
    OP = 1
    PROCESS = 2
    RUN = 3
    SESSION_RUN = 4
    DATA_RUN = 5
    FUNCTION = 6
    EAGER_OP = 7
    KERNEL = 8
    ALLOCATION = 9
    DEALLOCATION = 10
    HLO = 11
    WAIT = 12
    EAGER_NODE = 13


_KINDS = (
    (re.compile(r"ExecutorState::Process"), EventKind.PROCESS),
    (re.compile(r"FunctionRun"), EventKind.RUN),
    (re.compile(r"SessionRun"), EventKind.SESSION_RUN),
    (re.compile(r"InstantiatedCapturedFunction::Run\w*"), EventKind.DATA_RUN),
    # A function may have any name, such as `<lambda>`; `__wrapped__` is before that of an eager op.
    (re.compile(rf"{EAGER_PREFIX}__(?!wrapped__).+"), EventKind.FUNCTION),
    (re.compile(rf"{EAGER_PREFIX}\w+"), EventKind.EAGER_OP),
    (re.compile(r"EagerKernelExecute"), EventKind.KERNEL),
    (re.compile(rf"{EAGER_NODE_PREFIX}\w+"), EventKind.EAGER_NODE),
    (re.compile(r"BlockUntilReady"), EventKind.WAIT),
    (re.compile(r"MemoryAllocation"), EventKind.ALLOCATION),
    (re.compile(r"MemoryDeallocation"), EventKind.DEALLOCATION),
    (re.compile(r"[^\s:$][^:]*:[A-Za-z_]\w*"), EventKind.OP),
)

_USED = {
    EventKind.OP: "ops",
    EventKind.EAGER_OP: "eager ops",
    EventKind.KERNEL: "eager ops",
    EventKind.EAGER_NODE: "eager ops",
    EventKind.ALLOCATION: ALLOCATIONS,
    EventKind.DEALLOCATION: ALLOCATIONS,
    EventKind.WAIT: "waits",
}
_RUNS, _OTHERS = "runs of functions", "others"
_INSTRUCTIONS, _MARKS = "instructions", "steps and launches"

_IGNORED = (
    (re.compile(r"\$"), "Python functions"),
    (re.compile(r"Executor|PropagateOutputs|ThreadpoolListener|ParallelFor"), "scheduling"),
    (re.compile(r"Iterator|MakeIterator|Prefetch|ParallelMap|InstantiatedCaptured"), "tf.data"),
    (re.compile(r"Eager|TFE_|KernelAndDevice|TensorHandle|ValidateInput|tf\."), "eager runtime"),
)
"""How the names of events start that are not used, and what they are."""


def event_kind(name: str) -> EventKind:
    """What an event of a name tells."""
    return next((kind for pattern, kind in _KINDS if pattern.fullmatch(name)), EventKind.IGNORED)


def is_collective(name: str) -> bool:
    """Whether an event of a name is an op that several devices execute together."""
    return name.rpartition(":")[2].startswith("Collective") and event_kind(name) is EventKind.OP


def may_mark_steps(name: str) -> bool:
    """Whether an event of a name may be what a program marks its steps with."""
    return event_kind(name) is EventKind.IGNORED and _ignored_kind(name) == _OTHERS


def _ignored_kind(name: str) -> str:
    return next((text for pattern, text in _IGNORED if pattern.match(name)), _OTHERS)


def count_kinds(
    names: Mapping[int, str], counts: Mapping[int, int], *, marks: int, instructions: int
) -> tuple[dict[str, int], dict[str, int]]:
    """How many events are used and how many are ignored, by kind.

    `counts` has the number of all events by the id of their names. Of other names are those that
    mark steps or launch kernels (`marks`), and the instructions of compiled programs.
    """
    used: Counter[str] = Counter()
    ignored: Counter[str] = Counter()
    for number, count in counts.items():
        name = names.get(number, "")
        kind = event_kind(name)
        if kind is EventKind.IGNORED:
            ignored[_ignored_kind(name)] += count
        else:
            used[_USED.get(kind, _RUNS)] += count
    used.update({_MARKS: marks, _INSTRUCTIONS: instructions})
    ignored[_OTHERS] -= marks + instructions
    return dict(+used), dict(+ignored)
