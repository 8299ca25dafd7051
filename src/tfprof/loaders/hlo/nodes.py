"""The instructions of a program as nodes: names, inputs, types, stacks and what counting needs."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache

from tfprof.definitions.options import TRAINABLE_TYPE
from tfprof.loaders.debug_info import Frame
from tfprof.loaders.hlo.buffers import argument_bytes, find_buffers
from tfprof.loaders.hlo.module import (
    PARAMETER,
    Module,
    bytes_of,
    elements_of,
    is_plumbing,
    opcode_of,
    shapes_of,
)
from tfprof.loaders.hlo.node_table import PROGRAM_OP, HloNodeTable, NodeRow, Program
from tfprof.loaders.hlo.op_names import BACKWARD, OpName, parse_argument, parse_op_name
from tfprof.loaders.hlo.origins import Origin, find_origins
from tfprof.loaders.hlo.parameters import entry_parameters, find_state, find_trained
from tfprof.loaders.hlo.stack_table import FrameIndex, shared_frames
from tfprof.loaders.hlo.tf_functions import TAPE, TfFunctions
from tfprof.loaders.hlo.trip_counts import count_executions
from tfprof.profiles.gradients import BACKWARD_TYPE
from tfprof.protos.hlo_pb2 import HloInstruction, HloNode


def add_program(
    table: HloNodeTable,
    module: Module,
    scope: str,
    *,
    ran: AbstractSet[str],
    functions: TfFunctions | None,
) -> Program:
    """Add the instructions of a program to a table; those that `ran` are nodes in any case.

    `functions` are those of TensorFlow, if the program was compiled from one of them.
    """
    return _Builder(table, module, scope, ran, functions).add()


class _Builder:
    """The nodes of one program."""

    def __init__(
        self,
        table: HloNodeTable,
        module: Module,
        scope: str,
        ran: AbstractSet[str],
        functions: TfFunctions | None,
    ) -> None:
        self._table, self._module, self._scope, self._functions = table, module, scope, functions
        self._function = functions.function_of(module.proto.hlo_module.name) if functions else ""
        self._frames = FrameIndex(module.proto.hlo_module.stack_frame_index)
        arguments = {item.id for item in entry_parameters(module)}
        self._nodes = [
            item
            for _, item in module.executed_instructions()
            if not is_plumbing(item) or item.name in ran or item.id in arguments
        ]
        numbers = {item.id for item in self._nodes}
        self._producers = {
            item.id: [number for number in module.producers(item) if number in numbers]
            for item in self._nodes
        }
        self._origins = find_origins(module, self._nodes, self._producers)
        self._executions = count_executions(module)
        self._state = find_state(module) if arguments else set()
        self._trained = find_trained(self._state, self._nodes, self._producers)
        self._readers: dict[int, HloInstruction | None] = {}
        self._consumers: dict[int, list[HloInstruction]] = {}
        for item in self._nodes:
            for number in self._producers[item.id]:
                self._consumers.setdefault(number, []).append(item)

    def add(self) -> Program:
        """Add all nodes, the program as a whole first."""
        names = {item.id: self._name(item) for item in self._nodes}
        node = f"{self._scope}/{PROGRAM_OP}"
        results = [names[number] for number in self._results() if number in names]
        shared = shared_frames(
            self._stack(self._origins[item.id]) for item in self._nodes if item.opcode != PARAMETER
        )
        hlo = HloNode(executions=1, argument_bytes=argument_bytes(self._module))
        stack = self._table.stacks.add(shared)
        self._table.add(NodeRow(node, PROGRAM_OP, results, stack=stack, hlo=hlo))
        for item in self._nodes:
            is_parameter = item.opcode == PARAMETER
            make = self._parameter if is_parameter else self._instruction
            self._table.add(make(item, names))
        buffers = find_buffers(self._module, self._results())
        # TensorFlow records what its programs allocate.
        is_recorded = self._functions is not None
        if is_recorded:
            buffers = [buffer for buffer in buffers if not buffer.is_result]
        return Program(
            self._scope,
            node,
            {item.name: names[item.id] for item in self._nodes},
            {item.name: opcode_of(self._module, item) for item in self._nodes},
            {item.name: bytes_of(item.shape) for item in self._nodes},
            tuple(buffers),
            is_recorded,
        )

    def _results(self) -> list[int]:
        entry = self._module.computations.get(self._module.entry)
        root = self._module.instructions.get(entry.root_id) if entry else None
        if root is None:
            return []
        return [root.id] if not is_plumbing(root) else self._module.producers(root)

    def _op_name(self, item: HloInstruction) -> OpName:
        origin = self._origins[item.id]
        if self._functions is not None:
            return _parse_tf_name(origin.op_name)
        return parse_op_name(origin.op_name)

    def _name(self, item: HloInstruction) -> str:
        if item.opcode == PARAMETER:
            path = parse_argument(item.metadata.op_name) or (item.name,)
            name = "/".join((self._scope, *path))
        else:
            op_name = self._op_name(item)
            is_marked = op_name.is_backward and self._functions is None
            backward = (BACKWARD,) if is_marked else ()
            name = "/".join((self._scope, *backward, *op_name.path, item.name)).replace(":", "_")
        self._table.budget.spend(len(name.encode()))
        return name

    def _parameter(self, item: HloInstruction, names: Mapping[int, str]) -> NodeRow:
        sizes = list(item.shape.dimensions)
        is_state = item.id in self._state
        return NodeRow(
            names[item.id],
            PARAMETER,
            types=[TRAINABLE_TYPE] if item.id in self._trained else [],
            stack=self._table.stacks.add(self._reader_stack(item)),
            shape=(sizes or [1]) if is_state else [],
            output_shapes=[sizes],
        )

    def _reader_stack(self, item: HloInstruction) -> tuple[Frame, ...]:
        """The stack of the first op that reads an argument: nothing says where it was made."""
        consumers = self._consumers.get(item.id, [])
        forward = [c for c in consumers if not self._op_name(c).is_backward]
        stacks = (self._stack(self._origins[c.id]) for c in (*forward, *consumers))
        return next((stack for stack in stacks if stack), ())

    def _instruction(self, item: HloInstruction, names: Mapping[int, str]) -> NodeRow:
        origin, op_name = self._origins[item.id], self._op_name(item)
        return NodeRow(
            names[item.id],
            opcode_of(self._module, item),
            inputs=[names[number] for number in self._producers[item.id]],
            types=self._types(item, origin, op_name),
            stack=self._table.stacks.add(self._stack(origin)),
            hlo=self._hlo(item, op_name),
            output_shapes=[list(shape.dimensions) for shape in shapes_of(item.shape)],
        )

    def _types(self, item: HloInstruction, origin: Origin, op_name: OpName) -> list[str]:
        """The ops of the framework that an instruction computes, and whether it is backward."""
        op_names = self._module.op_names
        types = [
            self._framework_op(origin.op_name, origin.op_type),
            *(
                self._framework_op(*op_names[inner.id])
                for inner in self._module.fused_instructions(item)
                if inner.id in op_names
            ),
        ]
        marks = [BACKWARD_TYPE] if op_name.is_backward else []
        return [name for name in dict.fromkeys([*types, *marks]) if name]

    def _framework_op(self, op_name: str, op_type: str) -> str:
        if self._functions is not None:
            return op_type or self._functions.op_type(self._function, op_name)
        return op_type or next(reversed(parse_op_name(op_name).path), "")

    def _stack(self, origin: Origin) -> tuple[Frame, ...]:
        if self._functions is not None:
            return self._functions.frames(self._function, origin.op_name)
        return self._frames.frames(origin.frame_id)

    def _hlo(self, item: HloInstruction, op_name: OpName) -> HloNode:
        fused = self._module.fused_instructions(item)
        operands = [self._module.instructions.get(number) for number in item.operand_ids]
        node = HloNode(
            executions=self._executions.get(self._module.computation_of[item.id], 0),
            is_recomputation=op_name.is_recomputation,
            used_elements=self._used_elements(item),
            is_in_graph=bool(self._function),
            shape=item.shape,
        )
        node.shape.DiscardUnknownFields()
        # A copy keeps the memory of what is cleared in it, and many fusions may share one.
        self._table.budget.spend(sum(instruction.ByteSize() for instruction in fused or [item]))
        for instruction in fused or [item]:
            _add_slim(node, instruction, is_operand=False)
        for operand in [] if fused else operands:
            if operand is not None:
                _add_slim(node, operand, is_operand=True)
        return node

    def _used_elements(self, item: HloInstruction) -> int:
        """The elements that the program asked for, if the compiler computes more; else 0.

        A gradient of a depthwise convolution may run as a dense one, of which most is dropped. The
        dense one has no name, what picks the result from it has that of the convolution.
        """
        inner = [
            i for i in (item, *self._module.fused_instructions(item)) if i.opcode == "convolution"
        ]
        names = self._module.op_names
        if len(inner) != 1 or inner[0].id in names or item.id in names:
            return 0
        reader = self._named_reader(item)
        if reader is None:
            return 0
        is_convolution = "conv" in names[reader.id][0].rpartition("/")[2].lower()
        used, computed = elements_of(reader.shape), elements_of(inner[0].shape)
        return used if is_convolution and used < computed else 0

    def _named_reader(self, item: HloInstruction) -> HloInstruction | None:
        """The next instruction with a name, if each one before has only one that reads it."""
        path: list[int] = []
        reader: HloInstruction | None = item
        while reader is not None and reader.id not in self._module.op_names:
            if reader.id in self._readers:
                reader = self._readers[reader.id]
                break
            self._readers[reader.id] = None
            path.append(reader.id)
            consumers = self._consumers.get(reader.id, [])
            reader = consumers[0] if len(consumers) == 1 else None
        self._readers.update(dict.fromkeys(path, reader))
        return reader


@lru_cache(maxsize=65536)
def _parse_tf_name(text: str) -> OpName:
    """In TensorFlow parentheses are not part of a name, and slashes always separate scopes."""
    return OpName(tuple(part for part in text.split("/") if part), TAPE in text)


def _add_slim(node: HloNode, instruction: HloInstruction, *, is_operand: bool) -> None:
    """Add what counting needs: no names, no literals; of an operand only its shape."""
    added = node.instructions.add(id=instruction.id, opcode=PARAMETER)
    added.shape.CopyFrom(instruction.shape)
    if not is_operand:
        added.CopyFrom(instruction)
        for name in ("name", "metadata", "literal", "called_computation_ids"):
            added.ClearField(name)
        if instruction.opcode != "custom-call":
            added.ClearField("backend_config")
    added.DiscardUnknownFields()
