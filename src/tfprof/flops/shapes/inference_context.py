"""The node that a rule looks at, and arithmetic of sizes that may be unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tfprof.flops.atoms import ceil_div, floor_div
from tfprof.flops.polynomial import CountSum, product
from tfprof.flops.tensors import MAX_VALUES, UNKNOWN, Dim, Dims, Tensor
from tfprof.protos.graph_pb2 import AttrValue

_Item = TypeVar("_Item")
_Rule = TypeVar("_Rule")


class IndeterminateError(Exception):
    """A rule needs something that is not known."""


@dataclass(slots=True)
class InferenceContext:
    """One node with its inputs; accessors raise `IndeterminateError` for what is not known."""

    op: str
    attrs: Mapping[str, AttrValue]
    inputs: Sequence[Tensor]
    equal: list[tuple[str, str]] = field(default_factory=list)
    """Symbols that must be equal for the node to be valid, as the rules find them."""
    max_outputs: int = 0
    """How many outputs attributes may give the node."""

    def shape(self, index: int = 0) -> Dims | None:
        """An input's shape, None if its rank is not known."""
        return self.inputs[index].shape if index < len(self.inputs) else None

    def dims(self, index: int = 0, rank: int | None = None) -> Dims:
        """An input's sizes; the rank must be known."""
        shape = self.shape(index)
        if shape is None or (rank is not None and len(shape) != rank):
            raise IndeterminateError
        return shape

    def distinct_shapes(self, first: int = 0) -> list[Dims | None]:
        """The shapes of the inputs from `first` on; those that are one object, once."""
        return list({id(tensor.shape): tensor.shape for tensor in self.inputs[first:]}.values())

    def value(self, index: int) -> tuple[Dim, ...]:
        """An input's elements."""
        value = self.inputs[index].value if index < len(self.inputs) else None
        if value is None:
            raise IndeterminateError
        return value

    def array(self, index: int) -> npt.NDArray[np.object_]:
        """An input's elements in its shape."""
        array = self.inputs[index].array()
        if array is None:
            raise IndeterminateError
        return array

    def ints_in(self, index: int) -> tuple[int, ...]:
        """An input's elements, all of them plain numbers."""
        value = self.value(index)
        numbers = tuple(number for number in value if isinstance(number, int))
        if len(numbers) != len(value):
            raise IndeterminateError
        return numbers

    def vector(self, index: int) -> tuple[Dim, ...]:
        """A vector's elements; if only their number is known, that many unknown ones."""
        if index < len(self.inputs) and (value := self.inputs[index].value) is not None:
            return value
        (length,) = self.dims(index, 1)
        if not isinstance(length, int) or length > MAX_VALUES:
            raise IndeterminateError
        return (None,) * length

    def sizes_in(self, index: int) -> Dims:
        """The shape that a vector's elements spell, -1 for an unknown size."""
        return tuple(None if size == -1 else size for size in self.vector(index))

    def element(self, index: int) -> Tensor:
        """What the handle at an input holds."""
        return self.inputs[index].element or UNKNOWN

    def number(self, name: str, default: int = 0) -> int:
        """A number attribute."""
        return self.attrs[name].i if name in self.attrs else default

    def output_count(self, name: str) -> int:
        """The number of outputs, which an attribute says."""
        count = self.number(name)
        self.check_outputs(count)
        return count

    def check_outputs(self, count: int) -> None:
        """Raise an error if a node may not have so many outputs."""
        if count > self.max_outputs:
            raise IndeterminateError

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A boolean attribute."""
        return self.attrs[name].b if name in self.attrs else default

    def text(self, name: str, default: str = "") -> str:
        """A text attribute."""
        return self.attrs[name].s.decode("utf-8", "replace") if name in self.attrs else default

    def ints(self, name: str) -> tuple[int, ...]:
        """A list of numbers."""
        return tuple(_short(self.attrs[name].list.i)) if name in self.attrs else ()

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        if name not in self.attrs:
            return ()
        return tuple(text.decode("utf-8", "replace") for text in _short(self.attrs[name].list.s))

    def axis(self, axis: int, rank: int) -> int:
        """An axis counted from either end."""
        if not -rank <= axis < rank:
            raise IndeterminateError
        return axis % rank


def _short(items: Sequence[_Item]) -> Sequence[_Item]:
    """The items of an attribute: no op has thousands of them."""
    if len(items) > MAX_VALUES:
        raise IndeterminateError
    return items


ShapeRule = Callable[[InferenceContext], Sequence[Dims | None]]
"""The shapes of a node's outputs, as far as they are known."""


def each(ops: str, rule: _Rule) -> dict[str, _Rule]:
    """The same rule for several op types."""
    return dict.fromkeys(ops.split(), rule)


def shape_of(index: int) -> ShapeRule:
    """The rule of an output that has the shape of an input."""
    return lambda c: [c.shape(index)]


def sizes_from(index: int) -> ShapeRule:
    """The rule of an output whose shape is an input's value."""
    return lambda c: [c.sizes_in(index)]


def scalar(_: InferenceContext) -> Sequence[Dims | None]:
    """The rule of a scalar output."""
    return [()]


def plus(*sizes: Dim) -> Dim:
    """The sum of sizes."""
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        return None
    total = CountSum()
    for size in known:
        total.add(size)
    return total.value()


def times(*sizes: Dim) -> Dim:
    """The product of sizes."""
    known = [size for size in sizes if size is not None]
    return product(known) if len(known) == len(sizes) else None


def divide(a: Dim, b: Dim) -> Dim:
    """The floor of a quotient."""
    return None if a is None or b is None or b == 0 else floor_div(a, b)


def divide_up(a: Dim, b: Dim) -> Dim:
    """The ceiling of a quotient."""
    return None if a is None or b is None or b == 0 else ceil_div(a, b)
