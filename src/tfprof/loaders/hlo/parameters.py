"""Which arguments of a program are parameters of the model, and which of these are trained.

A program only has arguments. State comes as a tree whose leaves have names, `params['w']`, or a
training step returns it in a new version: then all leaves of an argument are among the results. A
trained parameter is one that differentiated ops read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tfprof.loaders.hlo.module import PARAMETER, Module, shapes_of
from tfprof.loaders.hlo.op_names import NO_NAMES, is_named_leaf, parse_argument, parse_op_name
from tfprof.protos.hlo_pb2 import HloInstruction, HloShape

_Key = tuple[int, tuple[int, ...]]


def entry_parameters(module: Module) -> list[HloInstruction]:
    """The arguments of a program that have a name."""
    if module.entry not in module.computations:
        return []
    return [
        item
        for item in module.computations[module.entry].instructions
        if item.opcode == PARAMETER and item.metadata.op_name not in NO_NAMES
    ]


def find_state(module: Module) -> set[int]:
    """The arguments that are state of the model or of its optimizer."""
    leaves: dict[str, list[HloInstruction]] = {}
    for item in entry_parameters(module):
        path = parse_argument(item.metadata.op_name)
        leaves.setdefault(path[0] if path else "", []).append(item)
    results = _result_shapes(module)
    is_training = any(
        parse_op_name(item.metadata.op_name).is_differentiated
        for item in module.instructions.values()
    )
    state: set[int] = set()
    for items in leaves.values():
        is_tree = any(is_named_leaf(item.metadata.op_name) for item in items)
        shapes = Counter(_key(item.shape) for item in items)
        is_returned = all(results[shape] >= count for shape, count in shapes.items())
        has_path = all(len(parse_argument(item.metadata.op_name)) > 1 for item in items)
        if is_tree or (is_training and is_returned and has_path):
            state.update(item.id for item in items)
    return state


def _result_shapes(module: Module) -> Counter[_Key]:
    root = module.instructions.get(module.computations[module.entry].root_id)
    return Counter(_key(shape) for shape in shapes_of(root.shape)) if root else Counter()


def _key(shape: HloShape) -> _Key:
    return shape.element_type, tuple(shape.dimensions)


def find_trained(
    state: set[int], nodes: Sequence[HloInstruction], producers: Mapping[int, list[int]]
) -> set[int]:
    """The state that differentiated ops read; all of it if nothing is differentiated."""
    names = {node.id: parse_op_name(node.metadata.op_name) for node in nodes}
    forward = [n for n in nodes if names[n.id].is_differentiated and not names[n.id].is_backward]
    if not forward:
        return set(state)
    trained: set[int] = set()
    pending = [number for node in forward for number in producers[node.id]]
    visited = set(pending)
    while pending:
        number = pending.pop()
        if number in state:
            trained.add(number)
        # Copies and conversions before the op are not named.
        elif number in names and not names[number].path:
            following = [n for n in producers[number] if n not in visited]
            visited.update(following)
            pending += following
    return trained
