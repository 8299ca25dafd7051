"""How often a run of a program executes each of its computations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from tfprof.loaders.hlo.module import ELEMENT, PARAMETER, TUPLE, WHILE, ComputationCall, Module
from tfprof.protos.hlo_pb2 import HloInstruction

UNKNOWN = 0
"""The number of executions that only the data decide."""

_LARGEST = 2**62
_COPIES, _MAX_COPIES = ("copy", "bitcast"), 100
_INTEGERS = ("s32s", "s64s", "u32s", "u64s")


def count_executions(module: Module) -> Mapping[int, int]:
    """Computation -> how often one run executes it; 0 if only the data decide."""
    counts: dict[int, int] = dict.fromkeys(module.calls, 0)
    known = dict.fromkeys(module.calls, True)
    if module.entry in counts:
        counts[module.entry] = 1
    loops = _Loops(module)
    for computation in _callers_first(module):
        for call in module.calls[computation]:
            caller = module.computation_of[call.caller.id]
            times = _times(loops, call) * counts[caller]
            counts[computation] += times
            known[computation] &= times > 0
        if not known[computation] or counts[computation] > _LARGEST:
            counts[computation] = UNKNOWN
    return counts


def _callers_first(module: Module) -> list[int]:
    """The computations, each after all that call it."""
    waiting = {
        computation: len({module.computation_of[call.caller.id] for call in calls})
        for computation, calls in module.calls.items()
    }
    callees: dict[int, set[int]] = {}
    for computation, calls in module.calls.items():
        for call in calls:
            callees.setdefault(module.computation_of[call.caller.id], set()).add(computation)
    order = [computation for computation, count in waiting.items() if not count]
    for computation in order:
        for callee in sorted(callees.get(computation, ())):
            waiting[callee] -= 1
            if not waiting[callee]:
                order.append(callee)
    return order


def _times(loops: _Loops, call: ComputationCall) -> int:
    """How often a call runs its computation."""
    if call.caller.opcode == "conditional":
        return UNKNOWN
    if call.caller.opcode != WHILE:
        return 1
    count = loops.trip_count(call.caller)
    # The condition, which comes second, is evaluated once more.
    return count + call.position if count is not None else UNKNOWN


def trip_count(module: Module, loop: HloInstruction) -> int | None:
    """The iterations of a loop: as the compiler states it, or from its condition's constant."""
    return _Loops(module).trip_count(loop)


_FusedInstruction = tuple[HloInstruction, HloInstruction]


class _Loops:
    """The loops of a program; what several of them share is read once."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._trips: dict[int, int | None] = {}
        self._find = cache(self._find_once)
        self._limit = cache(self._find_limit)
        self._step = cache(self._find_step)

    def trip_count(self, loop: HloInstruction) -> int | None:
        """The iterations of a loop."""
        if loop.id not in self._trips:
            self._trips[loop.id] = self._read(loop)
        return self._trips[loop.id]

    def _read(self, loop: HloInstruction) -> int | None:
        try:
            config = json.loads(loop.backend_config or b"{}")
            return int(config["known_trip_count"]["n"])
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
            return self._count_trips(loop)

    def _count_trips(self, loop: HloInstruction) -> int | None:
        """The iterations of `for i in range(first, last, step)` over an element of its state."""
        limit = self._limit(_called_root(self._module, loop, 1))
        if limit is None:
            return None
        last, counter = limit
        first = self._initial_value(loop, counter)
        step = self._step(_called_root(self._module, loop, 0), counter)
        if first is None or step is None or step <= 0:
            return None
        return max(-((first - last) // step), 0)

    def _find_limit(self, condition: int) -> tuple[int, int] | None:
        """The constant that a condition compares to, and which element of the state it compares."""
        compare = self._find(condition, "compare")
        if compare is None or compare[0].comparison_direction != "LT":
            return None
        operands = _operands(self._module, *compare)
        limits = [value for item in operands if (value := _constant(item)) is not None]
        counters = [item.tuple_index for item in operands if item.opcode == ELEMENT]
        return (limits[0], counters[0]) if len(limits) == len(counters) == 1 else None

    def _find_once(self, number: int, opcode: str) -> _FusedInstruction | None:
        """An instruction of an opcode and the fusion that it is in, or it again."""
        item = _without_copies(self._module, number)
        if item is None:
            return None
        candidates = (item, *self._module.fused_instructions(item))
        matches = [candidate for candidate in candidates if candidate.opcode == opcode]
        return (matches[0], item) if len(matches) == 1 else None

    def _initial_value(self, loop: HloInstruction, index: int) -> int | None:
        if not loop.operand_ids:
            return None
        value = self._find(_element(self._module, loop.operand_ids[0], index), "constant")
        return None if value is None else _constant(value[0])

    def _find_step(self, body: int, index: int) -> int | None:
        """What the body adds to an element of the loop's state."""
        added = self._find(_element(self._module, body, index), "add")
        operands = _operands(self._module, *added) if added else []
        constants = [value for item in operands if (value := _constant(item)) is not None]
        return constants[0] if len(constants) == 1 else None


def _called_root(module: Module, loop: HloInstruction, position: int) -> int:
    """The result of the body (0) or the condition (1) of a loop; -1 if there is none."""
    called = loop.called_computation_ids
    computation = module.computations.get(called[position]) if position < len(called) else None
    return -1 if computation is None else computation.root_id


def _operands(module: Module, item: HloInstruction, fusion: HloInstruction) -> list[HloInstruction]:
    """The operands of an instruction; what a fusion gets as an argument is that of the fusion."""
    operands = []
    for number in item.operand_ids:
        operand = module.instructions.get(number)
        if operand is not None and operand.opcode == PARAMETER and item is not fusion:
            position = operand.parameter_number
            is_given = -len(fusion.operand_ids) <= position < len(fusion.operand_ids)
            number = fusion.operand_ids[position] if is_given else -1
        operand = _without_copies(module, number)
        if operand is not None:
            operands.append(operand)
    return operands


def _without_copies(module: Module, number: int) -> HloInstruction | None:
    """An instruction, or what it is a copy of."""
    item = module.instructions.get(number)
    for _ in range(_MAX_COPIES):
        if item is None or item.opcode not in _COPIES or not item.operand_ids:
            return item
        item = module.instructions.get(item.operand_ids[0])
    return None


def _constant(instruction: HloInstruction) -> int | None:
    if instruction.opcode != "constant" or instruction.shape.dimensions:
        return None
    values = [v for field in _INTEGERS for v in getattr(instruction.literal, field)]
    return int(values[0]) if len(values) == 1 else None


def _element(module: Module, number: int, index: int) -> int:
    """The instruction that is an element of a tuple; -1 if it is not known."""
    state = module.instructions.get(number)
    is_known = state is not None and state.opcode == TUPLE and index < len(state.operand_ids)
    return state.operand_ids[index] if state is not None and is_known else -1
