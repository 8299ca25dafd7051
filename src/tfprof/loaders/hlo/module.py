"""The instructions of a compiled program, and which computation calls which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

from tfprof.definitions.limits import MAX_RANK, max_fused, max_producer_visits
from tfprof.loaders.hlo.op_names import NO_NAMES
from tfprof.protos.hlo_pb2 import HloComputation, HloInstruction, HloProto, HloShape

PARAMETER, TUPLE, ELEMENT, FUSION, WHILE = (
    *("parameter", "tuple", "get-tuple-element", "fusion", "while"),
)
_FORWARDING = frozenset({PARAMETER, TUPLE, ELEMENT, "bitcast", "optimization-barrier"})
_PLUMBING = frozenset({*_FORWARDING, "constant", "after-all", "partition-id", "replica-id"})
"""Opcodes that only name values: no kernel runs for them."""

_CALLERS = frozenset({WHILE, "call", "conditional", "async-start", "custom-call"})
"""Opcodes whose computations have instructions that run on their own."""

MAX_BYTES = 2**48
_BITS = {1: 8, 2: 8, 3: 16, 4: 32, 5: 64, 6: 8, 7: 16, 8: 32, 9: 64, 10: 16, 11: 32, 12: 64}
_BITS |= {15: 64, 16: 16, 18: 128, 21: 4, 22: 4, 26: 2, 27: 2, 30: 1, 31: 1, 32: 4}
_BITS |= dict.fromkeys((19, 20, 23, 24, 25, 28, 29, 33), 8)
"""Element type -> the bits of an element."""

ELEMENT_TYPES = {1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16"}
ELEMENT_TYPES |= {8: "uint32", 9: "uint64", 10: "float16", 11: "float32", 12: "float64"}
ELEMENT_TYPES |= {15: "complex64", 16: "bfloat16", 18: "complex128", 21: "int4", 22: "uint4"}
ELEMENT_TYPES |= {19: "float8_e5m2", 20: "float8_e4m3fn"}
"""Element type -> its name."""


class ComputationCall(NamedTuple):
    """Where a computation is called: by which instruction, and as which of its computations."""

    caller: HloInstruction
    position: int


@dataclass(slots=True)
class _Work:
    """How much work is left; no program that a compiler made needs so much.

    Without it fusions have no instructions, and instructions no producers.
    """

    fused: int
    visits: int
    is_over: bool = False


@dataclass(frozen=True)
class Module:
    """A program: the message, and its instructions by id."""

    proto: HloProto

    @cached_property
    def computations(self) -> Mapping[int, HloComputation]:
        """The computations by id."""
        return {item.id: item for item in self.proto.hlo_module.computations}

    @cached_property
    def instructions(self) -> Mapping[int, HloInstruction]:
        """All instructions by id."""
        return {
            item.id: item
            for computation in self.computations.values()
            for item in computation.instructions
        }

    @cached_property
    def op_names(self) -> Mapping[int, tuple[str, str]]:
        """Instruction -> the name and the type of the op, where the compiler kept the name.

        Others may refer to it: a text that is read from the message again is another copy.
        """
        return {
            number: (name, item.metadata.op_type)
            for number, item in self.instructions.items()
            if (name := item.metadata.op_name) not in NO_NAMES
        }

    @property
    def entry(self) -> int:
        """The id of the computation that a run starts with."""
        return self.proto.hlo_module.entry_computation_id

    @cached_property
    def calls(self) -> Mapping[int, list[ComputationCall]]:
        """Computation -> the instructions that run it, for those that a run reaches.

        A caller comes before what it calls.
        """
        calls: dict[int, list[ComputationCall]] = (
            {self.entry: []} if self.entry in self.computations else {}
        )
        pending = list(calls)
        for computation in pending:
            for instruction in self.computations[computation].instructions:
                if instruction.opcode not in _CALLERS:
                    continue
                for index, called in enumerate(instruction.called_computation_ids):
                    if called not in self.computations:
                        continue
                    if called not in calls:
                        calls[called] = []
                        pending.append(called)
                    calls[called].append(ComputationCall(instruction, index))
        return calls

    def executed_instructions(self) -> Iterator[tuple[int, HloInstruction]]:
        """The computation and the instruction of all that runs on its own, not fused."""
        for computation in self.calls:
            for instruction in self.computations[computation].instructions:
                yield computation, instruction

    @cached_property
    def computation_of(self) -> Mapping[int, int]:
        """Instruction -> its computation."""
        return {
            instruction.id: computation
            for computation, item in self.computations.items()
            for instruction in item.instructions
        }

    def fused_instructions(self, instruction: HloInstruction) -> list[HloInstruction]:
        """All instructions that a fusion has, those of fusions in it included; else nothing."""
        if instruction.opcode != FUSION:
            return []
        if instruction.id not in self._fused:
            self._fused[instruction.id] = self._find_fused(instruction)
        return self._fused[instruction.id]

    @cached_property
    def _fused(self) -> dict[int, list[HloInstruction]]:
        return {}

    @cached_property
    def _left(self) -> _Work:
        operands = sum(len(item.operand_ids) for item in self.instructions.values())
        return _Work(max_fused(len(self.instructions)), max_producer_visits(operands))

    def _find_fused(self, instruction: HloInstruction) -> list[HloInstruction]:
        fused: list[HloInstruction] = []
        pending, visited = list(instruction.called_computation_ids), set[int]()
        while pending:
            called = pending.pop()
            if called in visited or called not in self.computations:
                continue
            visited.add(called)
            if len(fused) + len(self.computations[called].instructions) > self._left.fused:
                self._left.is_over = True
                return []
            for inner in self.computations[called].instructions:
                fused.append(inner)
                if inner.opcode == FUSION:
                    pending += inner.called_computation_ids
        self._left.fused -= len(fused)
        return fused

    @property
    def is_limited(self) -> bool:
        """Whether fusions or producers were left out, because there are too many."""
        return self._left.is_over or self._left.visits <= 0

    def producers(self, instruction: HloInstruction) -> list[int]:
        """The instructions whose results one reads: through tuples, calls and loops.

        An instruction that calls computations reads their results too, first of all.
        """
        called = instruction.called_computation_ids if instruction.opcode in _CALLERS else ()
        roots = [self.computations[i].root_id for i in called if i in self.computations]
        sources: dict[int, None] = {}
        for operand in (*roots, *instruction.operand_ids):
            sources.update(dict.fromkeys(self._sources(operand)))
        sources.pop(instruction.id, None)
        return list(sources)

    def _sources(self, start: int) -> list[int]:
        """The instructions that compute a value, or an element of it."""
        sources: dict[int, None] = {}
        pending: list[tuple[int, tuple[int, ...]]] = [(start, ())]
        visited = set(pending)
        while pending and self._left.visits > 0:
            number, path = pending.pop()
            self._left.visits -= 1
            instruction = self.instructions.get(number)
            if instruction is None:
                continue
            following = self._forwarded_values(instruction, path)
            if following is None:
                sources[number] = None
            self._left.visits -= len(following or ())
            for item in following or ():
                if item not in visited and len(item[1]) < _DEEPEST:
                    visited.add(item)
                    pending.append(item)
        return list(sources)

    def _forwarded_values(
        self, instruction: HloInstruction, path: tuple[int, ...]
    ) -> list[tuple[int, tuple[int, ...]]] | None:
        """The values that an instruction passes on; None if it computes something itself."""
        operands = list(instruction.operand_ids)
        if instruction.opcode == ELEMENT:
            return [(operand, (instruction.tuple_index, *path)) for operand in operands]
        if instruction.opcode == TUPLE:
            if path and path[0] < len(operands):
                return [(operands[path[0]], path[1:])]
            return [(operand, ()) for operand in reversed(operands)]
        if instruction.opcode == PARAMETER:
            calls = self.calls.get(self.computation_of[instruction.id], [])
            arguments = [operand_of_parameter(call, instruction.parameter_number) for call in calls]
            return [(number, path) for number in arguments if number is not None] or None
        if instruction.opcode == "constant":
            return []
        return [(operand, path) for operand in operands] if is_plumbing(instruction) else None


_DEEPEST = 20
"""Tuples are nested by a few levels."""


def operand_of_parameter(call: ComputationCall, parameter: int) -> int | None:
    """The operand of a caller that is a parameter of the computation that it calls."""
    operands = call.caller.operand_ids
    position = call.position + 1 if call.caller.opcode == "conditional" else parameter
    return operands[position] if position < len(operands) else None


def is_plumbing(instruction: HloInstruction) -> bool:
    """Whether an instruction only names values of others."""
    return instruction.opcode in _PLUMBING


def is_caller(instruction: HloInstruction) -> bool:
    """Whether an instruction runs those of other computations, such as a loop."""
    return instruction.opcode in _CALLERS - {"custom-call"}


def opcode_of(module: Module, instruction: HloInstruction) -> str:
    """The opcode of an instruction; of a fusion that has only one instruction that of this one."""
    inner = [
        item.opcode for item in module.fused_instructions(instruction) if not is_plumbing(item)
    ]
    return inner[0] if len(inner) == 1 else instruction.opcode


def shapes_of(shape: HloShape) -> list[HloShape]:
    """The arrays of a shape: itself, or the elements of a tuple."""
    arrays: list[HloShape] = []
    pending = [shape]
    while pending:
        item = pending.pop()
        pending += reversed(item.tuple_shapes)
        if not item.tuple_shapes:
            arrays.append(item)
    return arrays


def elements_of(shape: HloShape) -> int:
    """The number of elements of an array; 0 if it has more dimensions than any."""
    if len(shape.dimensions) > MAX_RANK:
        return 0
    return prod(max(size, 0) for size in shape.dimensions)


def bytes_of(shape: HloShape) -> int:
    """The memory of all arrays of a shape; 0 if no machine has so much."""
    bits = (elements_of(item) * _BITS.get(item.element_type, 0) for item in shapes_of(shape))
    size = sum((count + 7) // 8 for count in bits)
    return size if size <= MAX_BYTES else 0
