"""What a formula is: a text to show, and a function from a node with known shapes to its work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tfprof.flops.polynomial import Count
from tfprof.flops.shapes.inference_context import IndeterminateError, InferenceContext
from tfprof.flops.tensors import Dims, Tensor, elements


@dataclass(frozen=True, slots=True)
class Work:
    """Multiply-adds of contractions, and all other float operations."""

    macs: Count = 0
    elementwise: Count = 0

    def __add__(self, other: Work) -> Work:
        return Work(self.macs + other.macs, self.elementwise + other.elementwise)

    def __mul__(self, times: Count) -> Work:
        return self if times == 1 else Work(self.macs * times, self.elementwise * times)

    def float_ops(self) -> Count:
        """By the convention that a multiply-add is two operations."""
        return 2 * self.macs + self.elementwise


NOTHING = Work()
TOO_LARGE = "the number is too large"
"""Why the work of a node is not known that has more than MAX_COUNT float operations."""


@dataclass(slots=True)
class Operation(InferenceContext):
    """A node with its outputs; accessors raise `IndeterminateError` for what is not known."""

    outputs: tuple[Tensor, ...] = field(default=())

    def n(self, index: int = 0) -> Count:
        """The number of elements of an input."""
        return _count(self.shape(index))

    def n_out(self, index: int = 0) -> Count:
        """The number of elements of an output."""
        return _count(self.out(index))

    def out(self, index: int = 0) -> Dims:
        """An output's sizes."""
        shape = self.outputs[index].shape if index < len(self.outputs) else None
        if shape is None:
            raise IndeterminateError
        return shape

    def known(self, index: int) -> tuple[Count, ...]:
        """An input's sizes, every one of them known."""
        return _all(self.dims(index))

    def known_out(self, index: int = 0) -> tuple[Count, ...]:
        """An output's sizes, every one of them known."""
        return _all(self.out(index))


def _count(shape: Dims | None) -> Count:
    count = elements(shape)
    if count is None:
        raise IndeterminateError
    return count


def _all(shape: Dims) -> tuple[Count, ...]:
    known = tuple(size for size in shape if size is not None)
    if len(known) != len(shape):
        raise IndeterminateError
    return known


@dataclass(frozen=True, slots=True)
class Formula:
    """How an op type is counted."""

    text: str
    work: Callable[[Operation], Work]
    contraction: bool = False
    """Contractions count whatever their type; other arithmetic only on floating point."""


def per_output(factor: int) -> Formula:
    """So many operations per output element."""
    text = "N(out)" if factor == 1 else f"{factor}·N(out)"
    return Formula(text, lambda x: Work(elementwise=factor * x.n_out()))


def per_input(factor: int, index: int = 0) -> Formula:
    """So many operations per element of an input."""
    text = f"N(in{index})" if factor == 1 else f"{factor}·N(in{index})"
    return Formula(text, lambda x: Work(elementwise=factor * x.n(index)))
