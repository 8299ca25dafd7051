"""Which op of the program each instruction comes from.

The compiler keeps the name and the stack of an op at the instructions that it makes of it, but not
at all of them: copies and rewritten instructions have neither. They get those of a neighbour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from tfprof.loaders.hlo.module import PARAMETER, Module
from tfprof.protos.hlo_pb2 import HloInstruction

T = TypeVar("T")

_CONTRACTIONS = frozenset({"dot", "convolution"})


@dataclass(frozen=True, slots=True)
class Origin:
    """The name of an op, its type if the framework says it, and the frame that made it."""

    op_name: str
    op_type: str
    frame_id: int


def find_origins(
    module: Module, nodes: Sequence[HloInstruction], producers: Mapping[int, list[int]]
) -> dict[int, Origin]:
    """The origin of each instruction, which reads `producers`."""
    names = _propagate(module, nodes, producers, lambda node: _find_name(module, node))
    frame_of_name = {
        part: item.metadata.stack_frame_id
        for item in module.instructions.values()
        if item.metadata.stack_frame_id
        for part in item.metadata.op_name.split(";")
    }

    @cache
    def frame_by_name(op_name: str) -> int | None:
        parts = op_name.split(";")
        return next((frame_of_name[part] for part in parts if part in frame_of_name), None)

    def frame(node: HloInstruction) -> int | None:
        op_name, _ = _find_name(module, node) or ("", "")
        return next(iter(_frames(module, node)), None) or frame_by_name(op_name)

    frames = _propagate(module, nodes, producers, frame)
    return {
        node.id: Origin(*names.get(node.id, ("", "")), frames.get(node.id, 0)) for node in nodes
    }


def _inside(module: Module, node: HloInstruction) -> Iterable[HloInstruction]:
    """An instruction, and then those that it fuses, the last one first."""
    return (node, *reversed(module.fused_instructions(node)))


def _find_name(module: Module, node: HloInstruction) -> tuple[str, str] | None:
    if node.opcode == PARAMETER:
        return None
    names = module.op_names
    return next((names[item.id] for item in _inside(module, node) if item.id in names), None)


def _frames(module: Module, node: HloInstruction) -> Iterable[int]:
    return (
        item.metadata.stack_frame_id
        for item in _inside(module, node)
        if item.metadata.stack_frame_id
    )


def _propagate(
    module: Module,
    nodes: Sequence[HloInstruction],
    producers: Mapping[int, list[int]],
    own: Callable[[HloInstruction], T | None],
) -> dict[int, T]:
    """What nodes have themselves, else that of a neighbour.

    The compiler inserts most instructions for the one that reads them: copies, and the steps of
    what it expands, of which the last keeps the name. Of a matmul or convolution that it rewrote,
    what reads it may be the optimizer; there the operands tell more.
    """
    known = {node.id: value for node in nodes if (value := own(node)) is not None}
    silent = [n for n in nodes if n.id not in known and n.opcode != PARAMETER]
    consumers: dict[int, list[int]] = {}
    for node in nodes:
        for producer in producers[node.id]:
            consumers.setdefault(producer, []).append(node.id)
    position = {node.id: index for index, node in enumerate(nodes)}
    latest = _latest_operands(consumers, known, position)
    known |= {
        node.id: known[latest[node.id]]
        for node in silent
        if node.id in latest and _is_contraction(module, node)
    }
    for order, neighbours in ((silent[::-1], consumers), (silent, producers)):
        for node in order:
            value = next((known[n] for n in neighbours.get(node.id, ()) if n in known), None)
            if node.id not in known and value is not None:
                known[node.id] = value
    return known


def _is_contraction(module: Module, node: HloInstruction) -> bool:
    return any(item.opcode in _CONTRACTIONS for item in _inside(module, node))


def _latest_operands(
    consumers: Mapping[int, list[int]], known: Mapping[int, T], position: Mapping[int, int]
) -> dict[int, int]:
    """The last known operand of each other node, through those that have nothing.

    Instructions are in order. A gradient is a product of an activation and of a later gradient,
    whose layer it belongs to.
    """
    latest: dict[int, int] = {}
    for source in sorted(known, key=position.__getitem__, reverse=True):
        pending = [source]
        while pending:
            for reader in consumers.get(pending.pop(), ()):
                if reader not in known and reader not in latest:
                    latest[reader] = source
                    pending.append(reader)
    return latest
