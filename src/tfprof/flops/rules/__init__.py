"""Float operations by op type: one table, open for more, and the count of a node.

    contractions   matmuls, convolutions, einsum, recurrent cells
    elementwise    arithmetic, activations, reductions, pooling
    optimizers     updates of variables
    fused          what Grappler makes of several nodes
    zero_cost      op types that do no floating-point arithmetic
    formula        what a formula is

A node is *counted* (a formula gave its work), *zero-cost* (no floating-point arithmetic by
definition) or *unknown* (no formula, or a shape it needs is not known).
"""

from __future__ import annotations

import enum
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tfprof.flops.polynomial import Count, CountSum
from tfprof.flops.rules import contractions, elementwise, fused, optimizers
from tfprof.flops.rules.formula import NOTHING, Formula, Operation, Work
from tfprof.flops.rules.zero_cost import UNCOPIED, ZERO_COST
from tfprof.flops.shapes.inference_context import IndeterminateError
from tfprof.flops.tensors import TYPE_SIZES, Tensor, elements, is_float

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "ENTRY_POINTS",
    "MULTIPLY_ADDS",
    "RULES",
    "CountKind",
    "FlopCount",
    "Work",
    "count_node",
    "traffic",
]

ENTRY_POINTS = "tfprof.flop_rules"
"""The entry point group of other packages' rules: a `Formula` under the name of its op type."""

RULES: dict[str, Formula] = {
    **contractions.RULES,
    **elementwise.RULES,
    **optimizers.RULES,
    **fused.RULES,
}
"""Op type -> formula."""

MULTIPLY_ADDS = frozenset(
    op
    for op, formula in contractions.RULES.items()
    if formula.contraction and "+" not in formula.text
)
"""The op types that do nothing but multiply-adds."""


class CountKind(enum.Enum):
    """What is known about a node's work."""

    COUNTED = "counted"
    ZERO_COST = "zero-cost"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class FlopCount:
    """What is known about a node's work, the work, and the formula or the reason."""

    kind: CountKind
    work: Work
    reason: str


_DATA_MOVEMENT = FlopCount(CountKind.ZERO_COST, NOTHING, "data movement")
_NO_FLOATS = FlopCount(CountKind.ZERO_COST, NOTHING, "no floating point")
_NO_RULE = FlopCount(CountKind.UNKNOWN, NOTHING, "no formula")
_NO_SHAPE = FlopCount(CountKind.UNKNOWN, NOTHING, "unknown shape")


@cache
def entry_point_rules() -> dict[str, Formula]:
    """The rules of other packages, which are used for op types that `RULES` does not have."""
    # Most models need none of them, and the module takes as long to import as all rules here.
    from importlib.metadata import entry_points

    rules = {point.name: _load_rule(point) for point in entry_points(group=ENTRY_POINTS)}
    return {op: rule for op, rule in rules.items() if rule}


def _load_rule(point: EntryPoint) -> Formula | None:
    try:
        rule: Formula = point.load()
    except (Exception, SystemExit) as error:
        # Whatever another package raises must not end the count.
        text = f"FLOP rule {point.name} of {point.value} cannot be loaded: {error}"
        warnings.warn(text, RuntimeWarning, stacklevel=2)
        return None
    return rule


def count_node(node: Operation) -> FlopCount:
    """Count one node. The op type is the canonical one."""
    if node.op in ZERO_COST:
        return _DATA_MOVEMENT
    formula = RULES.get(node.op) or entry_point_rules().get(node.op)
    if not (formula and formula.contraction) and _integral(node):
        return _NO_FLOATS
    if formula is None:
        return _NO_RULE
    try:
        return FlopCount(CountKind.COUNTED, formula.work(node), formula.text)
    except (IndeterminateError, IndexError, ValueError):
        return _NO_SHAPE


def _integral(node: Operation) -> bool:
    """Whether a node is known to neither read nor make floating-point numbers."""
    tensors = (*node.inputs, *node.outputs)
    return bool(tensors) and all(tensor.dtype and not _holds_floats(tensor) for tensor in tensors)


def _holds_floats(tensor: Tensor) -> bool:
    # Of a captured variable only the shape is known: the other tensors of a node have its type.
    if tensor.element is not None and tensor.element.dtype:
        return is_float(tensor.element.dtype)
    return is_float(tensor.dtype)


def traffic(node: Operation) -> tuple[Count, Count] | None:
    """Bytes read and written, None if a size or type is not known."""
    if node.op in UNCOPIED:
        return 0, 0
    read, written = (_bytes(side) for side in (node.inputs, node.outputs))
    return None if read is None or written is None else (read, written)


def _bytes(tensors: Sequence[Tensor]) -> Count | None:
    # Of thousands of tensors most have the same shape.
    shapes, sizes = {}, Counter[int]()
    for tensor in tensors:
        stored = tensor.element or tensor
        if stored.dtype not in TYPE_SIZES:
            return None
        shapes[id(stored.shape)] = stored.shape
        sizes[id(stored.shape)] += TYPE_SIZES[stored.dtype]
    total = CountSum()
    for key, shape in shapes.items():
        count = elements(shape)
        if count is None:
            return None
        total.add(count * sizes[key])
    return total.value()
