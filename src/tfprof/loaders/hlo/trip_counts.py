"""How often a run of a program executes each of its computations."""

from __future__ import annotations

import json
from collections.abc import Mapping

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
    for computation in _callers_first(module):
        for call in module.calls[computation]:
            caller = module.computation_of[call.caller.id]
            times = _times(module, call) * counts[caller]
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


def _times(module: Module, call: ComputationCall) -> int:
    """How often a call runs its computation."""
    if call.caller.opcode == "conditional":
        return UNKNOWN
    if call.caller.opcode != WHILE:
        return 1
    count = trip_count(module, call.caller)
    # The condition, which comes second, is evaluated once more.
    return count + call.position if count is not None else UNKNOWN


def trip_count(module: Module, loop: HloInstruction) -> int | None:
    """The iterations of a loop: as the compiler states it, or from its condition's constant."""
    try:
        config = json.loads(loop.backend_config or b"{}")
        return int(config["known_trip_count"]["n"])
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
        return _count_trips(module, loop)


def _count_trips(module: Module, loop: HloInstruction) -> int | None:
    """The iterations of a loop `for i in range(first, last, step)` over an element of its state."""
    compare = _find(module, _called_root(module, loop, 1), "compare")
    if compare is None or compare[0].comparison_direction != "LT":
        return None
    operands = _operands(module, *compare)
    limits = [value for item in operands if (value := _constant(item)) is not None]
    counters = [item.tuple_index for item in operands if item.opcode == ELEMENT]
    if len(limits) != 1 or len(counters) != 1:
        return None
    first, step = _initial_value(module, loop, counters[0]), _step(module, loop, counters[0])
    if first is None or step is None or step <= 0:
        return None
    return max(-((first - limits[0]) // step), 0)


def _called_root(module: Module, loop: HloInstruction, position: int) -> int:
    """The result of the body (0) or the condition (1) of a loop; -1 if there is none."""
    called = list(loop.called_computation_ids)
    computation = module.computations.get(called[position]) if position < len(called) else None
    return -1 if computation is None else computation.root_id


_FusedInstruction = tuple[HloInstruction, HloInstruction]


def _find(module: Module, number: int, opcode: str) -> _FusedInstruction | None:
    """An instruction of an opcode and the fusion that it is in, or it again."""
    item = _without_copies(module, number)
    if item is None:
        return None
    candidates = (item, *module.fused_instructions(item))
    matches = [candidate for candidate in candidates if candidate.opcode == opcode]
    return (matches[0], item) if len(matches) == 1 else None


def _operands(module: Module, item: HloInstruction, fusion: HloInstruction) -> list[HloInstruction]:
    """The operands of an instruction; what a fusion gets as an argument is that of the fusion."""
    operands = []
    for number in item.operand_ids:
        operand = module.instructions.get(number)
        if operand is not None and operand.opcode == PARAMETER and item is not fusion:
            position = operand.parameter_number
            outer = list(fusion.operand_ids)[position : position + 1]
            number = outer[0] if outer else -1
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


def _initial_value(module: Module, loop: HloInstruction, index: int) -> int | None:
    if not loop.operand_ids:
        return None
    value = _find(module, _element(module, loop.operand_ids[0], index), "constant")
    return None if value is None else _constant(value[0])


def _step(module: Module, loop: HloInstruction, index: int) -> int | None:
    """What the body adds to an element of the loop's state."""
    added = _find(module, _element(module, _called_root(module, loop, 0), index), "add")
    operands = _operands(module, *added) if added else []
    constants = [value for item in operands if (value := _constant(item)) is not None]
    return constants[0] if len(constants) == 1 else None
